package answers

// A phrasebook has the sentences of a language, each in several forms: the first whose slots
// all have values is said. P_ stands for the prefix of a day's slots.
type phrasebook struct {
	now     [][]string
	ahead   [][]string
	days    map[string]string // before a sentence of ahead, by its prefix
	hours   string            // then, if its hours are not of a whole day
	rain    string
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
			{"The wind reaches {P_wind}, and the chance that something falls is {P_rain_chance}.", "The wind reaches {P_wind}.", "The chance that something falls is {P_rain_chance}."},
		},
		days:  daysOf("Tonight: ", "Tomorrow: ", "Saturday: ", "Sunday: "),
		hours: "From {P_from} to {P_to}: ", rain: "Take an umbrella along from {P_rain_from} on.", dry: "There is no need for an umbrella.",
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
		days:  daysOf("오늘 밤: ", "내일: ", "토요일: ", "일요일: "),
		hours: "{P_from}부터 {P_to}까지, ", rain: "{P_rain_from}부터는 우산을 챙기세요.", dry: "우산은 필요 없습니다.",
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
		days:  daysOf("Đêm nay: ", "Ngày mai: ", "Thứ Bảy: ", "Chủ Nhật: "),
		hours: "Từ {P_from} đến {P_to}: ", rain: "Hãy mang theo một chiếc ô từ {P_rain_from}.", dry: "Bạn không cần mang ô đâu.",
		missing: "Ngày còn lại chưa có dự báo.", end: "Hãy ăn mặc phù hợp và tận hưởng nhé!",
	},
	"de": short("In {city} sind es {temp}, {conditions}.", "In {city} erwarten Sie {P_conditions}, höchstens {P_high} und mindestens {P_low}.", "Von {P_from} bis {P_to}: ",
		"Nehmen Sie ab {P_rain_from} einen Schirm mit.", "So weit reicht die Vorhersage noch nicht.", "Kommen Sie gut durch den Tag!", "Heute Nacht: ", "Morgen: ", "Samstag: ", "Sonntag: "),
	"fr": short("À {city}, il fait {temp}, {conditions}.", "À {city}, attendez-vous à {P_conditions}, avec {P_high} au plus et {P_low} au moins.", "De {P_from} à {P_to} : ",
		"Prenez un parapluie à partir de {P_rain_from}.", "Les prévisions ne vont pas encore jusque-là.", "Passez un bon moment !", "Cette nuit : ", "Demain : ", "Samedi : ", "Dimanche : "),
	"es": short("En {city} hay {temp}, {conditions}.", "En {city} se espera {P_conditions}, con una máxima de {P_high} y una mínima de {P_low}.", "De {P_from} a {P_to}: ",
		"Lleve un paraguas desde las {P_rain_from}.", "El pronóstico aún no llega tan lejos.", "¡Que lo pase bien!", "Esta noche: ", "Mañana: ", "Sábado: ", "Domingo: "),
	"ja": short("{city}は現在{temp}、{conditions}です。", "{city}は{P_conditions}、最高{P_high}、最低{P_low}の見込みです。", "{P_from}から{P_to}まで、",
		"{P_rain_from}からは傘をお持ちください。", "その日の予報はまだありません。", "よい一日をお過ごしください。", "今夜、", "明日、", "土曜日、", "日曜日、"),
	"ar": short("في {city} الآن {temp}، {conditions}.", "في {city} يُتوقع {P_conditions}، العظمى {P_high} والصغرى {P_low}.", "من {P_from} إلى {P_to}: ",
		"خذ مظلة ابتداءً من {P_rain_from}.", "لا تصل التوقعات إلى ذلك اليوم بعد.", "نتمنى لك وقتًا ممتعًا!", "الليلة: ", "غدًا: ", "السبت: ", "الأحد: "),
	"hi": short("{city} में अभी {temp} है, {conditions}.", "{city} में {P_conditions} रहेगा, अधिकतम {P_high} और न्यूनतम {P_low}.", "{P_from} से {P_to} तक: ",
		"{P_rain_from} से छाता साथ रखें.", "उस दिन का पूर्वानुमान अभी नहीं है.", "आपका समय अच्छा बीते!", "आज रात: ", "कल: ", "शनिवार: ", "रविवार: "),
	"ru": short("В городе {city} сейчас {temp}, {conditions}.", "В городе {city} ожидается {P_conditions}, максимум {P_high}, минимум {P_low}.", "С {P_from} до {P_to}: ",
		"С {P_rain_from} берите зонт.", "Так далеко прогноз пока не простирается.", "Хорошего дня!", "Сегодня ночью: ", "Завтра: ", "Суббота: ", "Воскресенье: "),
	"": short("{city}: {temp}, {conditions}.", "{city}: {P_conditions}, {P_high} / {P_low}.", "{P_from} – {P_to}: ", "", "{city}: –.", ""),
}

// short returns the phrasebook of a language in which less is said.
func short(now, ahead, hours, rain, missing, end string, days ...string) phrasebook {
	return phrasebook{
		now: [][]string{{now, "{city}: {temp}."}}, ahead: [][]string{{ahead, "{city}: {P_conditions}.", "{city}: {P_high} / {P_low}."}},
		days: daysOf(days...), hours: hours, rain: rain, missing: missing, end: end,
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
