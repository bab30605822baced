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
			clauses: regexp.MustCompile(`(\b(?:but|while|although|though|yet|however|because|so)\b|[.,;:!?—–\n])`),
			excused: regexp.MustCompile(`\b(?:no|not|never|without|none|nor|neither|nothing|hardly|barely|unlikely|free of|if|unless|whether|instead of|in case|away|holds? off|(?:is|are) over|(?:has|have) (?:passed|gone|stopped))\b|n['’]t\b|\b(?:little|low|small|slim) (?:chance|risk)\b|\bcannot\b`),
			idioms:  regexp.MustCompile(`(?:chance|risk|probability) of (?:rain|snow|showers)(?: is| of| at| stands at)* §|§ (?:chance|risk) of (?:rain|snow|showers)|\b(?:rain or shine|rain[- ]check|(?:right )?as rain|snowed under|hail a|perfect storm|brainstorm\w*|storm of|cook up a storm|cloud nine|by storm|sunny (?:disposition|side|mood)|ray of sunshine|under a cloud|clouds? computing|two cents|or two|two birds|day or two|at sixes and sevens|one hundred percent sure)\b`),
			measured: measuredBy(`(?: (?:is|are|will be|of|at|up to|near|around|about|stands at|reach(?:es|ing)?|blows?|blowing|only|just|a|the))*[ :]+`,
				`humidity|(?:chance|probability) of (?:rain|snow|precipitation|showers)`, `temperatures?|feels like`, `winds?|gusts`),
			conditions: map[string]*regexp.Regexp{
				"frost":  regexp.MustCompile(`\b(?:frosty?|frosts|icy|black ice|freez(?:e|es|ing))\b`),
				"rain":   regexp.MustCompile(`\b(?:rain(?:s|y|ing|fall|drops?|storms?)?|showers?|showery|drizzl\w+|downpours?|wet weather)\b`),
				"snow":   regexp.MustCompile(`\b(?:snow(?:s|y|ing|fall|flakes?|storms?)?|sleet|blizzards?|flurries)\b`),
				"storm":  regexp.MustCompile(`\b(?:(?:thunder)?storms?|stormy|thunder\w*|lightning|hail|hurricanes?|typhoons?|tornado\w*)\b`),
				"fog":    regexp.MustCompile(`\b(?:fog|foggy|mist|misty|haze|hazy|smog)\b`),
				"clear":  regexp.MustCompile(`\b(?:sunny|sunshine|cloudless|(?:clear|blue) sk(?:y|ies))\b`),
				"clouds": regexp.MustCompile(`\b(?:cloudy|clouds?|overcast)\b`),
			},
		},
		days:  map[string]string{Today: "Today", Tomorrow: "Tomorrow", "tonight": "Tonight", "saturday": "On Saturday", "sunday": "On Sunday", Hours: "In the hours ahead"},
		hours: ", from {from} to {to}",
		current: [][]string{
			{
				"In {city} it is {temp} and feels like {feels_like}, with {conditions}.", "In {city} it is {temp} and feels like {feels_like}.",
				"In {city} it is {temp}, with {conditions}.", "In {city} it is {temp}.",
			},
			{"The humidity is {humidity}, and the wind blows at {wind}.", "The humidity is {humidity}.", "The wind blows at {wind}."},
		},
		ahead: [][]string{
			{
				"DAY in {city}HOURS: {conditions}, with a high of {high} and a low of {low}.", "DAY in {city}HOURS there is a high of {high} and a low of {low}.",
				"DAY in {city}HOURS: {conditions}.", "DAY in {city}HOURS the service names no temperature.",
			},
			{"The chance of precipitation is {rain_chance}, and the wind reaches {wind}.", "The chance of precipitation is {rain_chance}.", "The wind reaches {wind}."},
			{"Precipitation is expected from {rain_from} to {rain_to}."},
		},
		missing:    "The forecast does not reach {day} yet.",
		weekdays:   map[string]string{"saturday": "Saturday", "sunday": "Sunday"},
		whichCity:  "Which city would you like the forecast for?",
		whichPlace: "There are several places called %s. Which one do you mean? %s",
	}
})
