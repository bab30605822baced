package forecast

import (
	"regexp"
	"sync"
)

// english returns our own words of English.
var english = sync.OnceValue(func() words {
	numbers := numbersOf("zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 " +
		"sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 hundred=*100 thousand=*1000 " +
		"twenties=20 thirties=30 forties=40 fifties=50 sixties=60 seventies=70 eighties=80 nineties=90 dozen=*12")
	return words{
		vocabulary: vocabulary{
			spoken: regexp.MustCompile(`\b(` + among(numbers) + `(?:[ -](?:and )?` + among(numbers) + `)*)\b(?:(?: or)?[ -](degrees?|percent|per cent|miles?|kilomet\w+|met\w+|mph|kelvin|hours?|minutes?|inch\w*|o'clock|below|above|am|pm|a\.m|p\.m))?`),
			values: numbers, token: regexp.MustCompile(among(numbers)), bareFrom: 2,
			clauses:     regexp.MustCompile(`(\b(?:but|while|although|though|yet|however|because|so)\b|[.,;:!?—–\n])`),
			conditional: regexp.MustCompile(`\b(?:if|unless|whether|in case|should it|just in case)\b`),
			negated:     regexp.MustCompile(`\b(?:no|not|never|without|none|nor|neither|nothing|hardly|unlikely|free of|instead of|away|holds? off|(?:is|are) over|(?:has|have) (?:passed|gone|stopped)|out of the question|ruled out)\b|n['’]t\b|\b(?:little|low|small|slim) (?:chance|risk)\b|\bcannot\b`),
			units:       regexp.MustCompile(`\b(?:mph|km/h|kilomet\w+|knots|millimet\w+|inch(?:es)?|celsius|fahrenheit)\b`),
			yesterday:   regexp.MustCompile(`\b(?:yesterday|last night|the day before)\b`),
			dry:         regexp.MustCompile(`\b(?:(?:stays?|remains?|is|be|it's|looks?) (?:\w+ )?dry|dry (?:and \w+ )?(?:day|morning|afternoon|evening|night|weather|skies|spell|conditions|throughout)|rain-free)\b`),
			scales: scalesOf(`\b(?:blustery|gusty|windy|(?:strong|stiff|fierce|howling|rough) (?:winds?|gusts)|winds? (?:is|are|turns?|gets?|blows?|will be) (?:very )?(?:strong|rough)|gusts (?:rattle|tear|shake|whip)\w*|hold on to your hat)\b`,
				`\b(?:gales?|gale[- ]force|storm[- ]force|hurricane[- ]force)\b`, `\b(?:(?:light|gentle|soft|weak) (?:winds?|breezes?)|winds? (?:is|are|stays?|remains?|will be) (?:only )?(?:a )?(?:light|weak|gentle|calm))\b`,
				`\b(?:windless|no wind(?: at all)?|without (?:any |a )?(?:wind|breeze)|(?:barely|hardly|not) a (?:breath|breeze|whisper)|dead calm|air is still)\b`, `\b(?:hot (?:day|weather|afternoon|evening)|(?:is|be|gets?|turns?|it's|really|very) hot|sweltering|scorching|tropical heat)\b`,
				`\bheat ?waves?\b`, `\b(?:cold (?:day|night|morning|evening|weather)|(?:is|be|gets?|turns?|feels?|very) cold)\b`, `\b(?:bitter(?:ly)?[ -]cold|freezing cold|arctic|frigid|icy cold)\b`, `\b(?:(?:very|so|as|turns|feels) humid|humid (?:day|air|night|heat)|muggy|sultry)\b`),
			parts: map[string]*regexp.Regexp{
				"night": regexp.MustCompile(`\b(?:overnight|after midnight|before dawn|small hours|(?:the|at|by|during the|through the) night)\b`), "morning": regexp.MustCompile(`\b(?:mornings?|at dawn|forenoon|breakfast)\b`),
				"afternoon": regexp.MustCompile(`\b(?:afternoons?|after lunch|at noon)\b`), "evening": regexp.MustCompile(`\b(?:evenings?|sunset|dinner|nightfall|after dark)\b`),
			},
			dayNames: dayPatterns(map[string]string{Today: "today", Tomorrow: "tomorrow", "tonight": "tonight", "monday": "monday", "tuesday": "tuesday", "wednesday": "wednesday", "thursday": "thursday", "friday": "friday", "saturday": "saturday", "sunday": "sunday"}),
			allDay:   regexp.MustCompile(`\b(?:all day|the whole day|all day long|throughout the day|(?:from )?dawn to dusk|from morning to (?:night|evening)|round the clock)\b`),
			only:     regexp.MustCompile(`\b(?:only|alone|just)\b`), begins: regexp.MustCompile(`\b(?:begins?|starts?|sets? in|arrives?|moves? in)\b`), ends: regexp.MustCompile(`\b(?:ends?|stops?|eases? off|dies? down|clears?|lets? up)\b`),
			bounds: regexp.MustCompile(`\b(?:until|till|before|after|by|from|towards?|except|apart from)\b`), umbrella: regexp.MustCompile(`\bumbrella\b`),
			idioms: regexp.MustCompile(`(?:chance|risk|probability) of (?:rain|snow|showers)(?: is| of| at| stands at)* §|§ (?:chance|risk) of (?:rain|snow|showers)|\b(?:rain or shine|rain[- ]check|(?:right )?as rain|snowed under|hail a|perfect storm|brainstorm\w*|storm of|cook up a storm|cloud nine|by storm|sunny (?:disposition|side|mood)|ray of sunshine|under a cloud|clouds? computing|two cents|or two|two birds|day or two|at sixes and sevens|one hundred percent sure)\b`),
			measured: measuredBy(`(?: (?:is|are|will be|of|at|up to|near|around|about|stands at|reach(?:es|ing)?|blows?|blowing|only|just|a|the))*[ :]+`,
				`humidity|(?:chance|probability) of (?:rain|snow|precipitation|showers)`, `temperatures?|feels like`, `winds?|gusts`, `(?:lowest|minimum) temperature|a low|lows`, `(?:highest|maximum) temperature|a high|highs`),
			conditions: map[string]*regexp.Regexp{
				"frost":  regexp.MustCompile(`\b(?:frosty?|frosts|icy|black ice|freez(?:e|es|ing))\b`),
				"rain":   regexp.MustCompile(`\b(?:rain(?:s|y|ing|fall|drops?|storms?)?|showers?|showery|pour(?:s|ing)|drizzl\w+|downpours?|wet weather)\b`),
				"snow":   regexp.MustCompile(`\b(?:snow(?:s|y|ing|fall|flakes?|storms?)?|sleet|blizzards?|flurries)\b`),
				"storm":  regexp.MustCompile(`\b(?:(?:thunder)?storms?|stormy|thunder\w*|lightning|hail|hurricanes?|typhoons?|tornado\w*)\b`),
				"fog":    regexp.MustCompile(`\b(?:fog|foggy|mist|misty|haze|hazy|smog)\b`),
				"clear":  regexp.MustCompile(`\b(?:sunny|sunshine|sun (?:shines|is out|beams)|cloudless|(?:clear|blue) sk(?:y|ies))\b`),
				"clouds": regexp.MustCompile(`\b(?:cloudy|clouds?|overcast)\b`),
			},
		},
		current: [][]string{
			{
				"In {city} it is {temp} and feels like {feels_like}, with {conditions}.", "In {city} it is {temp} and feels like {feels_like}.",
				"In {city} it is {temp}, with {conditions}.", "In {city} it is {temp}.",
			},
			{"The humidity is {humidity}, and the wind blows at {wind}.", "The humidity is {humidity}.", "The wind blows at {wind}."},
		},
		ahead: [][]string{{
			"DAY in {city}HOURS: {conditions}, with a high of {high} and a low of {low}.", "DAY in {city}HOURS there is a high of {high} and a low of {low}.",
			"DAY in {city}HOURS: {conditions}.", "DAY in {city}HOURS the service names no temperature.",
		}},
		winds: [][]string{{
			"DAY the chance of precipitation is {rain_chance}, and the wind reaches {wind}, with gusts of {gust}.", "DAY the chance of precipitation is {rain_chance}, and the wind reaches {wind}.",
			"DAY the chance of precipitation is {rain_chance}.", "DAY the wind reaches {wind}.",
		}},
		expect:   "DAY expect LIST.",
		kinds:    map[string]string{"rain": "rain {rain_times}", "sleet": "sleet {sleet_times}", "snow": "snow {snow_times}", "storm": "thunder or storms {storm_times}", "fog": "fog or haze {fog_times}"},
		detail:   "DAY part by part: LIST.",
		inDetail: "DAY in {city}HOURS: LIST.",
		part:     []string{"PART {conditions}, {low} to {high}", "PART {conditions}", "PART {low} to {high}"},
		parts:    map[string]string{"night": "in the night", "morning": "in the morning", "afternoon": "in the afternoon", "evening": "in the evening"},
		days: map[string]string{Today: "Today", Tomorrow: "Tomorrow", "tonight": "Tonight", "monday": "On Monday", "tuesday": "On Tuesday", "wednesday": "On Wednesday", "thursday": "On Thursday",
			"friday": "On Friday", "saturday": "On Saturday", "sunday": "On Sunday"},
		hours:    ", {hours}",
		missing:  "The forecast does not reach {day} yet.",
		weekdays: map[string]string{Today: "today", Tomorrow: "tomorrow", "monday": "Monday", "tuesday": "Tuesday", "wednesday": "Wednesday", "thursday": "Thursday", "friday": "Friday", "saturday": "Saturday", "sunday": "Sunday"},
		sayings:  sayings{"from %s to %s", " and ", "the place at %s"},

		whichCity:  "Which city would you like the forecast for?",
		whichPlace: "There are several places called %s. Which one do you mean? %s",
	}
})
