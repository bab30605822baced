package forecast

import (
	"regexp"
	"sync"
)

// particles matches what may follow a Korean unit.
const particles = `(?:은|는|이|가|을|를|로|으로|까지|정도|쯤|에|에는|의|와|과|도|만|씩|부터|입니다|이며|이고|예요|이에요|일)?(?:[^가-힣]|$)`

// korean returns our own words of Korean.
var korean = sync.OnceValue(func() words {
	numbers := numbersOf("영=0 공=0 일=1 이=2 삼=3 사=4 오=5 육=6 칠=7 팔=8 구=9 십=*10 백=*100 천=*1000 " +
		"한=1 두=2 세=3 네=4 다섯=5 여섯=6 일곱=7 여덟=8 아홉=9 열=10 스물=20 스무=20 서른=30 마흔=40 쉰=50 예순=60 일흔=70 여든=80 아흔=90")
	return words{
		vocabulary: vocabulary{
			spoken: regexp.MustCompile(`(?:^|[^가-힣])((?:[일이삼사오육칠팔구십백천영공]*[삼사육칠팔구십백천영공][일이삼사오육칠팔구십백천영공]*)|(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔) ?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)?|한|두|세|네|다섯|여섯|일곱|여덟|아홉) ?(도|퍼센트|프로|시간|시|분|미터|마일|킬로미터|밀리미터|킬로)` + particles),
			values: numbers, token: regexp.MustCompile(among(numbers)), bareFrom: 1 << 30,
			clauses:     regexp.MustCompile(`(지만|는데|으나|없고|않고|아니고|없으며|않으며|없이|없으니|없으므로|[.,;:!?。\n])`),
			conditional: regexp.MustCompile(`면 |다면|거든|경우|대비`),
			negated:     regexp.MustCompile(`없|않|아니|못|(?:^| )안 (?:오|내리|와)|그칩|그치|멎`),
			units:       regexp.MustCompile(`섭씨|화씨|킬로미터|밀리미터`),
			yesterday:   regexp.MustCompile(`어제|어젯밤|전날|그저께`),
			dry:         regexp.MustCompile(`건조하|건조한|마른 날|비 없이|비 걱정 없`),
			scales: scalesOf(`강한 바람|거센 바람|바람이 (?:강하|거세|세게|매우)|바람이 심하|돌풍|강풍`, `강풍|폭풍급|태풍급`, `바람은? ?(?:계속 )?약|바람이 약|약한 바람|산들바람|미풍|잔잔`, `바람(?:이|은|도|) ?(?:한 점|거의|전혀) ?없|무풍`,
				`무더운|무더위|덥겠|더운 날|덥습니다|뜨거운 날`, `폭염|찜통`, `추운|춥습니다|춥겠|추위`, `살을 에는|혹한|강추위|매섭게 추`, `습합니다|습하겠|눅눅|후텁지근`),
			parts: map[string]*regexp.Regexp{
				"night": regexp.MustCompile(`새벽|밤사이|한밤|심야`), "morning": regexp.MustCompile(`아침|오전`), "afternoon": regexp.MustCompile(`오후|한낮|정오`), "evening": regexp.MustCompile(`저녁|해 질 녘`),
			},
			dayNames: dayPatterns(map[string]string{Today: "오늘", Tomorrow: "내일", "tonight": "오늘 밤", "monday": "월요일", "tuesday": "화요일", "wednesday": "수요일", "thursday": "목요일", "friday": "금요일", "saturday": "토요일", "sunday": "일요일"}),
			allDay:   regexp.MustCompile(`하루 ?종일|온종일|종일|새벽부터 저녁까지|아침부터 (?:밤|저녁)까지`),
			only:     regexp.MustCompile(`(?:새벽|아침|오전|오후|저녁)에만`), begins: regexp.MustCompile(`시작`), ends: regexp.MustCompile(`그칩|그치|멎|끝나|갭니다`),
			bounds: regexp.MustCompile(`까지|부터|이후|(?:^|[^오])(?:전에|후에)|제외`), umbrella: regexp.MustCompile(`우산`),
			idioms:   regexp.MustCompile(`눈(?:이|을)? ?(?:부시|부셔|부신|보호|건강|길을 끄|에 띄|여겨|앞|높이)|눈에 띄|한눈|비(?:가)? ?올 확률은? §|비(?:교|타민|상|록|결|싸|슷|율|용|누|행|어|빔|닐)|안개꽃|구름 위를`),
			measured: measuredBy(`(?:은|는|이|가|도)?(?: (?:현재|지금|약|대략|최대|초속))* ?:? ?`, `습도|강수 확률|비(?:가)? ?올 확률`, `기온|온도`, `바람|풍속`, `최저(?: 기온)?`, `최고(?: 기온)?`),
			conditions: map[string]*regexp.Regexp{
				"frost":  regexp.MustCompile(`서리|결빙|빙판|영하|얼어붙`),
				"rain":   regexp.MustCompile(`(?:^|[^가-힣])(?:(?:가랑|이슬|장맛|봄|가을|겨울|여름|실|보슬|부슬)?비(?:가|는|를|도|만|와|나|로|에|소식)?(?:[^가-힣]|$)|소나기|빗방울|빗길|폭우|호우)|우산이 필요|비 ?(?:소식|예보|올|오는|옵|내리)`),
				"snow":   regexp.MustCompile(`(?:^|[^가-힣])(?:함박|첫|싸락|진)?눈(?:이|은|도|과)? ?(?:오|온|올|옵|와|왔|내|쌓|소식|예보|날리)|폭설|눈길|진눈깨비|눈보라|함박눈|대설`),
				"storm":  regexp.MustCompile(`천둥|번개|뇌우|폭풍|태풍|우박|벼락`),
				"fog":    regexp.MustCompile(`안개|연무`),
				"clear":  regexp.MustCompile(`맑(?:은|고|습|아|겠|게|다|을)|화창|쾌청|햇살|햇볕|햇빛|파란 하늘|푸른 하늘`),
				"clouds": regexp.MustCompile(`흐리|흐린|흐림|흐립|흐려|흐릴|구름`),
			},
		},
		current: [][]string{
			{
				"{city}의 지금 기온은 {temp}, 체감 온도는 {feels_like}이며, 하늘 상태는 {conditions}입니다.", "{city}의 지금 기온은 {temp}, 체감 온도는 {feels_like}입니다.",
				"{city}의 지금 기온은 {temp}, 하늘 상태는 {conditions}입니다.", "{city}의 지금 기온은 {temp}입니다.",
			},
			{"습도는 {humidity}, 바람은 {wind}입니다.", "습도는 {humidity}입니다.", "바람은 {wind}입니다."},
		},
		ahead: [][]string{{
			"DAY {city}HOURS: {conditions}, 최고 기온은 {high}, 최저 기온은 {low}입니다.", "DAY {city}HOURS: 최고 기온은 {high}, 최저 기온은 {low}입니다.",
			"DAY {city}HOURS: {conditions}입니다.", "DAY {city}HOURS: 기온 자료가 없습니다.",
		}},
		winds: [][]string{{
			"DAY 강수 확률은 {rain_chance}, 바람은 최대 {wind}, 순간 최대 풍속은 {gust}입니다.", "DAY 강수 확률은 {rain_chance}, 바람은 최대 {wind}입니다.",
			"DAY 강수 확률은 {rain_chance}입니다.", "DAY 바람은 최대 {wind}입니다.",
		}},
		expect:   "DAY 예상 시간: LIST.",
		kinds:    map[string]string{"rain": "비 {rain_times}", "sleet": "진눈깨비 {sleet_times}", "snow": "눈 {snow_times}", "storm": "뇌우 또는 폭풍 {storm_times}", "fog": "안개 또는 연무 {fog_times}"},
		detail:   "DAY 시간대별: LIST.",
		inDetail: "DAY {city}HOURS: LIST.",
		part:     []string{"PART {conditions}, {low}~{high}", "PART {conditions}", "PART {low}~{high}"},
		parts:    map[string]string{"night": "새벽", "morning": "오전", "afternoon": "오후", "evening": "저녁"},
		days: map[string]string{Today: "오늘", Tomorrow: "내일", "tonight": "오늘 밤", "monday": "월요일", "tuesday": "화요일", "wednesday": "수요일", "thursday": "목요일", "friday": "금요일",
			"saturday": "토요일", "sunday": "일요일"},
		hours:    ", {hours}",
		missing:  "{day} 예보는 아직 나오지 않았습니다.",
		weekdays: map[string]string{Today: "오늘", Tomorrow: "내일", "monday": "월요일", "tuesday": "화요일", "wednesday": "수요일", "thursday": "목요일", "friday": "금요일", "saturday": "토요일", "sunday": "일요일"},
		sayings:  sayings{"%s부터 %s까지", ", ", "%s 지점"},

		whichCity:  "어느 도시의 날씨를 알려 드릴까요?",
		whichPlace: "%s(이)라는 곳이 여러 군데 있습니다. 어느 곳을 말씀하시나요? %s",
	}
})
