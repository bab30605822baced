package forecast

import (
	"regexp"
	"sync"
)

// vietnamese returns our own words of Vietnamese.
var vietnamese = sync.OnceValue(func() words {
	numbers := numbersOf("một=1 mốt=1 hai=2 ba=3 bốn=4 tư=4 năm=5 lăm=5 sáu=6 bảy=7 tám=8 chín=9 mười=10 mươi=*10 trăm=*100 nghìn=*1000")
	return words{
		vocabulary: vocabulary{
			spoken: regexp.MustCompile(`(?:^|[^\p{L}])(` + among(numbers) + `(?: (?:linh |lẻ )?` + among(numbers) + `)*) (độ|phần trăm|giờ|phút|km|ki-?lô-?mét|cây số|mét|dặm|mi-?li-?mét|tiếng)(?:[^\p{L}]|$)`),
			values: numbers, token: regexp.MustCompile(among(numbers)), bareFrom: 1 << 30,
			clauses:     regexp.MustCompile(`((?:^|[^\p{L}])(?:nhưng|còn|song|tuy nhiên|vì vậy|nên)(?:[^\p{L}]|$)|[.,;:!?—–\n])`),
			conditional: regexp.MustCompile(`(?:^|[^\p{L}])(?:nếu|phòng khi|phòng|lỡ|kẻo)(?:[^\p{L}]|$)`),
			negated:     regexp.MustCompile(`(?:^|[^\p{L}])(?:không|chẳng|chả|chưa|khỏi|hết|ít khả năng|khó có|thay vì|tạnh|tránh)(?:[^\p{L}]|$)`),
			units:       regexp.MustCompile(`độ c(?:[^\p{L}]|$)|km/h|ki-?lô-?mét|mi-?li-?mét`),
			yesterday:   regexp.MustCompile(`hôm qua|đêm qua|hôm trước`),
			dry:         regexp.MustCompile(`khô ráo|hanh khô|tạnh ráo`),
			scales: scalesOf(`gió (?:rất )?mạnh(?: lên| cấp|\.|$)|gió lớn|gió giật (?:mạnh|đùng|làm)|gió thổi mạnh`, `cấp bão|gió bão|cuồng phong`, `gió (?:chỉ |vẫn )?nhẹ|gió hiu hiu|gió thoảng`, `lặng gió|không có gió|không một gợn gió|hầu như không có gió`,
				`trời (?:sẽ )?nóng|oi bức|nóng nực|nóng bức`, `nắng nóng gay gắt|đợt nắng nóng`, `trời (?:rất )?lạnh|giá lạnh|rét`, `lạnh cắt da|rét đậm|rét buốt`, `ẩm ướt|nồm|ẩm như`),
			parts: map[string]*regexp.Regexp{
				"night": regexp.MustCompile(`ban đêm|nửa đêm|rạng sáng|trong đêm|suốt đêm`), "morning": regexp.MustCompile(`buổi sáng|sáng sớm|sáng mai|bình minh`), "afternoon": regexp.MustCompile(`buổi chiều|buổi trưa|giữa trưa`),
				"evening": regexp.MustCompile(`buổi tối|chập tối`),
			},
			dayNames: dayPatterns(map[string]string{Today: "hôm nay", Tomorrow: "ngày mai", "tonight": "đêm nay", "monday": "thứ hai", "tuesday": "thứ ba", "wednesday": "thứ tư", "thursday": "thứ năm", "friday": "thứ sáu", "saturday": "thứ bảy", "sunday": "chủ nhật"}),
			allDay:   regexp.MustCompile(`suốt (?:cả )?ngày|cả ngày|từ sáng đến (?:tối|đêm|chiều)`),
			only:     regexp.MustCompile(`(?:^|[^\p{L}])chỉ(?:[^\p{L}]|$)`), begins: regexp.MustCompile(`bắt đầu`), ends: regexp.MustCompile(`tạnh|kết thúc|ngớt|dứt`),
			bounds: regexp.MustCompile(`(?:^|[^\p{L}])(?:cho đến|đến|trước|sau|từ|trừ)(?:[^\p{L}]|$)`), umbrella: regexp.MustCompile(`(?:^|[^\p{L}])(?:ô|dù)(?:[^\p{L}]|$)`),
			idioms:   regexp.MustCompile(`giữ cho \S+ khô ráo|không khí|gió giật §|gió mạnh nhất §|khả năng (?:có )?mưa(?: là| khoảng)? §|áo mưa|ô che mưa|giày đi mưa|kính nắng|mũ che nắng|kem chống nắng|áo chống nắng|chống nắng|che nắng|che mưa|cầu vồng sau mưa|sấm sét bên tai`),
			measured: measuredBy(`(?: (?:là|đang|chỉ|khoảng|ở mức|lên tới|thổi|với|tốc độ|mạnh nhất))*[ :]+`, `độ ẩm|khả năng (?:có )?mưa`, `nhiệt độ|cảm giác như`, `gió`, `(?:nhiệt độ )?thấp nhất`, `(?:nhiệt độ )?cao nhất`),
			conditions: map[string]*regexp.Regexp{
				"frost":  regexp.MustCompile(`sương giá|băng giá|đóng băng`),
				"rain":   regexp.MustCompile(`(?:^|[^\p{L}])mưa(?:[^\p{L}]|$)`),
				"snow":   regexp.MustCompile(`(?:^|[^\p{L}])tuyết(?:[^\p{L}]|$)`),
				"storm":  regexp.MustCompile(`(?:^|[^\p{L}])(?:bão|dông|giông|sấm|sét|lốc|mưa đá)(?:[^\p{L}]|$)`),
				"fog":    regexp.MustCompile(`sương mù|mù sương`),
				"clear":  regexp.MustCompile(`(?:^|[^\p{L}])(?:nắng|quang đãng|quang mây|trời xanh|trong xanh)(?:[^\p{L}]|$)`),
				"clouds": regexp.MustCompile(`nhiều mây|mây mù|u ám|âm u|mây đen|trời mây`),
			},
		},
		current: [][]string{
			{
				"Ở {city} hiện là {temp}, cảm giác như {feels_like}, {conditions}.", "Ở {city} hiện là {temp}, cảm giác như {feels_like}.",
				"Ở {city} hiện là {temp}, {conditions}.", "Ở {city} hiện là {temp}.",
			},
			{"Độ ẩm {humidity}, gió {wind}.", "Độ ẩm {humidity}.", "Gió {wind}."},
		},
		ahead: [][]string{{
			"DAY ở {city}HOURS: {conditions}, cao nhất {high}, thấp nhất {low}.", "DAY ở {city}HOURS: cao nhất {high}, thấp nhất {low}.",
			"DAY ở {city}HOURS: {conditions}.", "DAY ở {city}HOURS: không có số liệu nhiệt độ.",
		}},
		winds: [][]string{{
			"DAY khả năng có mưa {rain_chance}, gió mạnh nhất {wind}, gió giật {gust}.", "DAY khả năng có mưa {rain_chance}, gió mạnh nhất {wind}.",
			"DAY khả năng có mưa {rain_chance}.", "DAY gió mạnh nhất {wind}.",
		}},
		expect:   "DAY dự kiến có LIST.",
		kinds:    map[string]string{"rain": "mưa {rain_times}", "sleet": "mưa tuyết {sleet_times}", "snow": "tuyết {snow_times}", "storm": "dông hoặc lốc {storm_times}", "fog": "sương mù hoặc mù {fog_times}"},
		detail:   "DAY theo từng buổi: LIST.",
		inDetail: "DAY ở {city}HOURS: LIST.",
		part:     []string{"PART {conditions}, {low} đến {high}", "PART {conditions}", "PART {low} đến {high}"},
		parts:    map[string]string{"night": "ban đêm", "morning": "buổi sáng", "afternoon": "buổi chiều", "evening": "buổi tối"},
		days: map[string]string{Today: "Hôm nay", Tomorrow: "Ngày mai", "tonight": "Đêm nay", "monday": "Thứ Hai", "tuesday": "Thứ Ba", "wednesday": "Thứ Tư", "thursday": "Thứ Năm", "friday": "Thứ Sáu",
			"saturday": "Thứ Bảy", "sunday": "Chủ Nhật"},
		hours:    ", {hours}",
		missing:  "Dự báo chưa tới {day}.",
		weekdays: map[string]string{Today: "hôm nay", Tomorrow: "ngày mai", "monday": "thứ Hai", "tuesday": "thứ Ba", "wednesday": "thứ Tư", "thursday": "thứ Năm", "friday": "thứ Sáu", "saturday": "thứ Bảy", "sunday": "Chủ Nhật"},
		sayings:  sayings{"từ %s đến %s", " và ", "nơi có tọa độ %s"},

		whichCity:  "Bạn muốn nghe dự báo của thành phố nào?",
		whichPlace: "Có nhiều nơi tên là %s. Bạn muốn nói nơi nào? %s",
	}
})
