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
			clauses:  regexp.MustCompile(`((?:^|[^\p{L}])(?:nhưng|còn|song|tuy nhiên|vì vậy|nên)(?:[^\p{L}]|$)|[.,;:!?—–\n])`),
			excused:  regexp.MustCompile(`(?:^|[^\p{L}])(?:không|chẳng|chả|chưa|khỏi|hết|ít khả năng|khó có|nếu|phòng khi|phòng|lỡ|kẻo|thay vì|tạnh|tránh)(?:[^\p{L}]|$)`),
			idioms:   regexp.MustCompile(`khả năng (?:có )?mưa(?: là| khoảng)? §|áo mưa|ô che mưa|giày đi mưa|kính nắng|mũ che nắng|kem chống nắng|áo chống nắng|chống nắng|che nắng|che mưa|cầu vồng sau mưa|sấm sét bên tai`),
			measured: measuredBy(`(?: (?:là|đang|chỉ|khoảng|ở mức|lên tới|thổi|với|tốc độ|mạnh nhất))*[ :]+`, `độ ẩm|khả năng (?:có )?mưa`, `nhiệt độ|cảm giác như`, `gió`),
			conditions: map[string]*regexp.Regexp{
				"frost":  regexp.MustCompile(`sương giá|băng giá|đóng băng`),
				"rain":   regexp.MustCompile(`(?:^|[^\p{L}])mưa(?:[^\p{L}]|$)`),
				"snow":   regexp.MustCompile(`(?:^|[^\p{L}])tuyết(?:[^\p{L}]|$)`),
				"storm":  regexp.MustCompile(`(?:^|[^\p{L}])(?:bão|dông|giông|sấm|sét|lốc|mưa đá)(?:[^\p{L}]|$)`),
				"fog":    regexp.MustCompile(`sương mù|mù sương`),
				"clear":  regexp.MustCompile(`(?:^|[^\p{L}])(?:nắng|quang đãng|trời xanh|trong xanh)(?:[^\p{L}]|$)`),
				"clouds": regexp.MustCompile(`nhiều mây|mây mù|u ám|âm u|mây đen|trời mây`),
			},
		},
		days:  map[string]string{Today: "Hôm nay", Tomorrow: "Ngày mai", "tonight": "Đêm nay", "saturday": "Thứ Bảy", "sunday": "Chủ Nhật", Hours: "Trong những giờ tới"},
		hours: ", từ {from} đến {to}",
		current: [][]string{
			{
				"Ở {city} hiện là {temp}, cảm giác như {feels_like}, {conditions}.", "Ở {city} hiện là {temp}, cảm giác như {feels_like}.",
				"Ở {city} hiện là {temp}, {conditions}.", "Ở {city} hiện là {temp}.",
			},
			{"Độ ẩm {humidity}, gió {wind}.", "Độ ẩm {humidity}.", "Gió {wind}."},
		},
		ahead: [][]string{
			{
				"DAY ở {city}HOURS: {conditions}, cao nhất {high}, thấp nhất {low}.", "DAY ở {city}HOURS: cao nhất {high}, thấp nhất {low}.",
				"DAY ở {city}HOURS: {conditions}.", "DAY ở {city}HOURS: không có số liệu nhiệt độ.",
			},
			{"Khả năng có mưa {rain_chance}, gió mạnh nhất {wind}.", "Khả năng có mưa {rain_chance}.", "Gió mạnh nhất {wind}."},
			{"Dự kiến có giáng thủy từ {rain_from} đến {rain_to}."},
		},
		missing:    "Dự báo chưa tới {day}.",
		weekdays:   map[string]string{"saturday": "Thứ Bảy", "sunday": "Chủ Nhật"},
		whichCity:  "Bạn muốn nghe dự báo của thành phố nào?",
		whichPlace: "Có nhiều nơi tên là %s. Bạn muốn nói nơi nào? %s",
	}
})
