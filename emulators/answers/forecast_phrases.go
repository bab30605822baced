package answers

// A phrasebook has the sentences of a language, each in several forms: the first whose slots
// all have values is said. P_ stands for the prefix of a day's slots.
type phrasebook struct {
	now     [][]string
	ahead   [][]string
	days    map[string]string // before a sentence of ahead, by its prefix
	times   [5]string         // what is expected at the times of timeKinds
	dry     string
	missing string // of days out of reach
	end     string
}

var phrasebooks = map[string]phrasebook{
	"en": {
		now: [][]string{
			{"Right now in {city} it is {temp} and feels like {feels_like}, with {conditions}.", "Right now in {city} it is {temp}, with {conditions}.", "Right now in {city} it is {temp}."},
			{"The humidity is at {humidity}, and the wind blows at {wind}.", "The humidity is at {humidity}.", "The wind blows at {wind}."},
		},
		ahead: [][]string{
			{"In {city} expect {P_conditions}, with a high of {P_high} and a low of {P_low}.", "In {city} expect {P_conditions}.", "In {city} expect a high of {P_high} and a low of {P_low}."},
			{"The wind reaches {P_wind}, and the chance of precipitation is {P_rain_chance}.", "The wind reaches {P_wind}.", "The chance of precipitation is {P_rain_chance}."},
		},
		days:  daysOf("Tonight: ", "Tomorrow: ", "Saturday: ", "Sunday: ", "Today: ", "Monday: ", "Tuesday: ", "Wednesday: ", "Thursday: ", "Friday: "),
		times: [5]string{"Rain", "Sleet", "Snow", "Thunder", "Fog"}, dry: "There is no need for an umbrella.",
		missing: "The forecast does not reach the other day yet.", end: "Dress for it and have a good time out there!",
	},
	"ko": {
		now: [][]string{
			{"지금 {city}의 기온은 {temp}, 체감 온도는 {feels_like}이고 {conditions} 상태입니다.", "지금 {city}의 기온은 {temp}이고 {conditions} 상태입니다.", "지금 {city}의 기온은 {temp}입니다."},
			{"습도는 {humidity}, 바람은 {wind}입니다.", "습도는 {humidity}입니다.", "바람은 {wind}입니다."},
		},
		ahead: [][]string{
			{"{city}의 날씨는 {P_conditions}, 최고 기온 {P_high}, 최저 기온 {P_low}입니다.", "{city}의 날씨는 {P_conditions}입니다.", "{city}의 최고 기온은 {P_high}, 최저 기온은 {P_low}입니다."},
			{"바람은 최대 {P_wind}, 강수 확률은 {P_rain_chance}입니다.", "바람은 최대 {P_wind}입니다.", "강수 확률은 {P_rain_chance}입니다."},
		},
		days:  daysOf("오늘 밤: ", "내일: ", "토요일: ", "일요일: ", "오늘: ", "월요일: ", "화요일: ", "수요일: ", "목요일: ", "금요일: "),
		times: [5]string{"비", "진눈깨비", "눈", "뇌우", "안개"}, dry: "우산은 필요 없습니다.",
		missing: "다른 하루의 예보는 아직 없습니다.", end: "알맞은 옷차림으로 즐거운 시간 보내세요!",
	},
	"vi": {
		now: [][]string{
			{"Hiện tại ở {city} là {temp}, cảm giác như {feels_like}, {conditions}.", "Hiện tại ở {city} là {temp}, {conditions}.", "Hiện tại ở {city} là {temp}."},
			{"Độ ẩm là {humidity}, gió thổi {wind}.", "Độ ẩm là {humidity}.", "Gió thổi {wind}."},
		},
		ahead: [][]string{
			{"Thời tiết ở {city}: {P_conditions}, cao nhất {P_high} và thấp nhất {P_low}.", "Thời tiết ở {city}: {P_conditions}.", "Ở {city} cao nhất {P_high} và thấp nhất {P_low}."},
			{"Gió mạnh nhất {P_wind}, khả năng có mưa là {P_rain_chance}.", "Gió mạnh nhất {P_wind}.", "Khả năng có mưa là {P_rain_chance}."},
		},
		days:  daysOf("Đêm nay: ", "Ngày mai: ", "Thứ Bảy: ", "Chủ Nhật: ", "Hôm nay: ", "Thứ Hai: ", "Thứ Ba: ", "Thứ Tư: ", "Thứ Năm: ", "Thứ Sáu: "),
		times: [5]string{"Mưa", "Mưa tuyết", "Tuyết", "Dông", "Sương mù"}, dry: "Bạn không cần mang ô đâu.",
		missing: "Ngày còn lại chưa có dự báo.", end: "Hãy ăn mặc phù hợp và tận hưởng nhé!",
	},
	"de": short("In {city} sind es {temp}, {conditions}.", "In {city} erwarten Sie {P_conditions}, höchstens {P_high} und mindestens {P_low}.", [5]string{"Regen", "Schneeregen", "Schnee", "Gewitter", "Nebel"},
		"So weit reicht die Vorhersage noch nicht.", "Kommen Sie gut durch den Tag!", "Heute Nacht: ", "Morgen: ", "Samstag: ", "Sonntag: "),
	"fr": short("À {city}, il fait {temp}, {conditions}.", "À {city}, attendez-vous à {P_conditions}, avec {P_high} au plus et {P_low} au moins.", [5]string{"Pluie", "Neige fondue", "Neige", "Orage", "Brouillard"},
		"Les prévisions ne vont pas encore jusque-là.", "Passez un bon moment !", "Cette nuit : ", "Demain : ", "Samedi : ", "Dimanche : "),
	"es": short("En {city} hay {temp}, {conditions}.", "En {city} se espera {P_conditions}, con una máxima de {P_high} y una mínima de {P_low}.", [5]string{"Lluvia", "Aguanieve", "Nieve", "Tormenta", "Niebla"},
		"El pronóstico aún no llega tan lejos.", "¡Que lo pase bien!", "Esta noche: ", "Mañana: ", "Sábado: ", "Domingo: "),
	"ja": short("{city}は現在{temp}、{conditions}です。", "{city}は{P_conditions}、最高{P_high}、最低{P_low}の見込みです。", [5]string{"雨", "みぞれ", "雪", "雷雨", "霧"},
		"その日の予報はまだありません。", "よい一日をお過ごしください。", "今夜、", "明日、", "土曜日、", "日曜日、"),
	"ar": short("في {city} الآن {temp}، {conditions}.", "في {city} يُتوقع {P_conditions}، العظمى {P_high} والصغرى {P_low}.", [5]string{"مطر", "مطر ثلجي", "ثلج", "عاصفة رعدية", "ضباب"},
		"لا تصل التوقعات إلى ذلك اليوم بعد.", "نتمنى لك وقتًا ممتعًا!", "الليلة: ", "غدًا: ", "السبت: ", "الأحد: "),
	"hi": short("{city} में अभी {temp} है, {conditions}.", "{city} में {P_conditions} रहेगा, अधिकतम {P_high} और न्यूनतम {P_low}.", [5]string{"बारिश", "ओले के साथ बारिश", "बर्फ़", "गरज", "कोहरा"},
		"उस दिन का पूर्वानुमान अभी नहीं है.", "आपका समय अच्छा बीते!", "आज रात: ", "कल: ", "शनिवार: ", "रविवार: "),
	"ru": short("В городе {city} сейчас {temp}, {conditions}.", "В городе {city} ожидается {P_conditions}, максимум {P_high}, минимум {P_low}.", [5]string{"Дождь", "Мокрый снег", "Снег", "Гроза", "Туман"},
		"Так далеко прогноз пока не простирается.", "Хорошего дня!", "Сегодня ночью: ", "Завтра: ", "Суббота: ", "Воскресенье: "),
	"": short("{city}: {temp}, {conditions}.", "{city}: {P_conditions}, {P_high} / {P_low}.", [5]string{}, "{city}: –.", ""),
}

// short returns the phrasebook of a language in which less is said.
func short(now, ahead string, times [5]string, missing, end string, days ...string) phrasebook {
	return phrasebook{
		now: [][]string{{now, "{city}: {temp}."}}, ahead: [][]string{{ahead, "{city}: {P_conditions}.", "{city}: {P_high} / {P_low}."}},
		days: daysOf(days...), times: times, missing: missing, end: end,
	}
}

// daysOf maps the prefixes of days to the words that name them, in the order of spanPrefixes
// from tonight on.
func daysOf(words ...string) map[string]string {
	days := map[string]string{}
	for i, word := range words {
		days[spanPrefixes[i+1]] = word
	}
	return days
}
