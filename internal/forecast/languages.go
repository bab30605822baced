package forecast

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// numbersOf parses "two=2 hundred=*100": what each word adds, or multiplies by.
func numbersOf(text string) map[string]number {
	all := map[string]number{}
	for _, entry := range strings.Fields(text) {
		word, value, _ := strings.Cut(entry, "=")
		n, factor := number{}, strings.HasPrefix(value, "*")
		for _, digit := range strings.TrimPrefix(value, "*") {
			n.value = 10*n.value + int(digit-'0')
		}
		n.factor = factor
		all[word] = n
	}
	return all
}

// among returns a pattern that matches any of the words, the longest first.
func among(words map[string]number) string {
	all := slices.SortedFunc(maps.Keys(words), func(a, b string) int { return len(b) - len(a) })
	return "(?:" + strings.Join(all, "|") + ")"
}

var (
	english = numbersOf("zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 " +
		"sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 hundred=*100 thousand=*1000 " +
		"twenties=20 thirties=30 forties=40 fifties=50 sixties=60 seventies=70 eighties=80 nineties=90 dozen=*12")
	korean = numbersOf("영=0 공=0 일=1 이=2 삼=3 사=4 오=5 육=6 칠=7 팔=8 구=9 십=*10 백=*100 천=*1000 " +
		"한=1 두=2 세=3 네=4 다섯=5 여섯=6 일곱=7 여덟=8 아홉=9 열=10 스물=20 스무=20 서른=30 마흔=40 쉰=50 예순=60 일흔=70 여든=80 아흔=90")
	vietnamese = numbersOf("một=1 mốt=1 hai=2 ba=3 bốn=4 tư=4 năm=5 lăm=5 sáu=6 bảy=7 tám=8 chín=9 mười=10 mươi=*10 trăm=*100 nghìn=*1000")
)

// particles matches what may follow a Korean unit.
const particles = `(?:은|는|이|가|을|를|로|으로|까지|정도|쯤|에|에는|의|와|과|도|만|씩|부터|입니다|이며|이고|예요|이에요|일)?(?:[^가-힣]|$)`

// vocabularies has the languages whose texts are checked against the data word by word.
// They cover the language of forecasts only: of 100 correct sentences in a test, one is
// refused.
var vocabularies = map[string]vocabulary{
	"en": {
		spoken: regexp.MustCompile(`\b(` + among(english) + `(?:[ -](?:and )?` + among(english) + `)*)\b(?:(?: or)?[ -](degrees?|percent|per cent|miles?|kilomet\w+|met\w+|mph|kelvin|hours?|minutes?|inch\w*|o'clock|below|above|am|pm|a\.m|p\.m))?`),
		values: english, token: regexp.MustCompile(among(english)), bareFrom: 2,
		clauses: regexp.MustCompile(`(\b(?:but|while|although|though|yet|however|because|so)\b|[.,;:!?—–\n])`),
		excused: regexp.MustCompile(`\b(?:no|not|never|without|none|nor|neither|nothing|hardly|barely|unlikely|free of|if|unless|whether|instead of|in case|away|holds? off|(?:is|are) over|(?:has|have) (?:passed|gone|stopped))\b|n['’]t\b|\b(?:little|low|small|slim) (?:chance|risk)\b|\bcannot\b`),
		idioms:  regexp.MustCompile(`(?:chance|risk|probability) of (?:rain|snow|showers)(?: is| of| at| stands at)* §|§ (?:chance|risk) of (?:rain|snow|showers)|\b(?:rain or shine|rain[- ]check|(?:right )?as rain|snowed under|hail a|perfect storm|brainstorm\w*|storm of|cook up a storm|cloud nine|by storm|sunny (?:disposition|side|mood)|ray of sunshine|under a cloud|clouds? computing|two cents|or two|two birds|day or two|at sixes and sevens|one hundred percent sure)\b`),
		conditions: map[string]*regexp.Regexp{
			"rain":   regexp.MustCompile(`\b(?:rain(?:s|y|ing|fall|drops?|storms?)?|showers?|showery|drizzl\w+|downpours?|wet weather)\b`),
			"snow":   regexp.MustCompile(`\b(?:snow(?:s|y|ing|fall|flakes?|storms?)?|sleet|blizzards?|flurries)\b`),
			"storm":  regexp.MustCompile(`\b(?:(?:thunder)?storms?|stormy|thunder\w*|lightning|hail|hurricanes?|typhoons?|tornado\w*)\b`),
			"fog":    regexp.MustCompile(`\b(?:fog|foggy|mist|misty|haze|hazy|smog)\b`),
			"clear":  regexp.MustCompile(`\b(?:sunny|sunshine|cloudless|(?:clear|blue) sk(?:y|ies))\b`),
			"clouds": regexp.MustCompile(`\b(?:cloudy|clouds?|overcast)\b`),
		},
	},
	"ko": {
		spoken: regexp.MustCompile(`(?:^|[^가-힣])((?:[일이삼사오육칠팔구십백천영공]*[삼사육칠팔구십백천영공][일이삼사오육칠팔구십백천영공]*)|(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔) ?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)?|한|두|세|네|다섯|여섯|일곱|여덟|아홉) ?(도|퍼센트|프로|시간|시|분|미터|마일|킬로미터|밀리미터|킬로)` + particles),
		values: korean, token: regexp.MustCompile(among(korean)), bareFrom: 1 << 30,
		clauses: regexp.MustCompile(`(지만|는데|으나|없고|않고|아니고|없으며|않으며|없이|없으니|없으므로|[.,;:!?。\n])`),
		excused: regexp.MustCompile(`없|않|아니|못|(?:^| )안 (?:오|내리|와)|면 |다면|거든|경우|대비`),
		idioms:  regexp.MustCompile(`눈(?:이|을)? ?(?:부시|부셔|부신|보호|건강|길을 끄|에 띄|여겨|앞|높이)|눈에 띄|한눈|비(?:가)? ?올 확률은? §|비(?:교|타민|상|록|결|싸|슷|율|용|누|행|어|빔|닐)|안개꽃|구름 위를`),
		conditions: map[string]*regexp.Regexp{
			"rain":   regexp.MustCompile(`(?:^|[^가-힣])(?:(?:가랑|이슬|장맛|봄|가을|겨울|여름|실|보슬|부슬)?비(?:가|는|를|도|만|와|나|로|에|소식)?(?:[^가-힣]|$)|소나기|빗방울|빗길|폭우|호우)|우산이 필요|비 ?(?:소식|예보|올|오는|옵|내리)`),
			"snow":   regexp.MustCompile(`(?:^|[^가-힣])(?:함박|첫|싸락|진)?눈(?:이|은|도|과)? ?(?:오|온|올|옵|와|왔|내|쌓|소식|예보|날리)|폭설|눈길|진눈깨비|눈보라|함박눈|대설`),
			"storm":  regexp.MustCompile(`천둥|번개|뇌우|폭풍|태풍|우박|돌풍|벼락`),
			"fog":    regexp.MustCompile(`안개|연무`),
			"clear":  regexp.MustCompile(`맑(?:은|고|습|아|겠|게|다|을)|화창|쾌청|햇살|햇볕|햇빛|파란 하늘|푸른 하늘`),
			"clouds": regexp.MustCompile(`흐리|흐린|흐림|흐립|흐려|흐릴|구름`),
		},
	},
	"vi": {
		spoken: regexp.MustCompile(`(?:^|[^\p{L}])(` + among(vietnamese) + `(?: (?:linh |lẻ )?` + among(vietnamese) + `)*) (độ|phần trăm|giờ|phút|km|ki-?lô-?mét|cây số|mét|dặm|mi-?li-?mét|tiếng)(?:[^\p{L}]|$)`),
		values: vietnamese, token: regexp.MustCompile(among(vietnamese)), bareFrom: 1 << 30,
		clauses: regexp.MustCompile(`((?:^|[^\p{L}])(?:nhưng|còn|song|tuy nhiên|vì vậy|nên)(?:[^\p{L}]|$)|[.,;:!?—–\n])`),
		excused: regexp.MustCompile(`(?:^|[^\p{L}])(?:không|chẳng|chả|chưa|khỏi|hết|ít khả năng|khó có|nếu|phòng khi|phòng|lỡ|kẻo|thay vì|tạnh|tránh)(?:[^\p{L}]|$)`),
		idioms:  regexp.MustCompile(`khả năng (?:có )?mưa(?: là| khoảng)? §|áo mưa|ô che mưa|giày đi mưa|kính nắng|mũ che nắng|kem chống nắng|áo chống nắng|chống nắng|che nắng|che mưa|cầu vồng sau mưa|sấm sét bên tai`),
		conditions: map[string]*regexp.Regexp{
			"rain":   regexp.MustCompile(`(?:^|[^\p{L}])mưa(?:[^\p{L}]|$)`),
			"snow":   regexp.MustCompile(`(?:^|[^\p{L}])tuyết(?:[^\p{L}]|$)`),
			"storm":  regexp.MustCompile(`(?:^|[^\p{L}])(?:bão|dông|giông|sấm|sét|lốc|mưa đá)(?:[^\p{L}]|$)`),
			"fog":    regexp.MustCompile(`sương mù|mù sương`),
			"clear":  regexp.MustCompile(`(?:^|[^\p{L}])(?:nắng|quang đãng|trời xanh|trong xanh)(?:[^\p{L}]|$)`),
			"clouds": regexp.MustCompile(`nhiều mây|mây mù|u ám|âm u|mây đen|trời mây`),
		},
	},
}
