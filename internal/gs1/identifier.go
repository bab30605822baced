package gs1

// identifierLength returns the number of digits of the application identifier at the start
// of s, or 0 if there is none. The first two digits determine it.
func identifierLength(s string) int {
	if len(s) < 2 || !digits(s[:2]) {
		return 0
	}
	n := identifierLengths[s[:2]]
	if len(s) < n || n > 0 && !digits(s[:n]) {
		return 0
	}
	return n
}

// identifierLengths is keyed by the first two digits (section 3.2).
var identifierLengths = map[string]int{
	"00": 2, "01": 2, "02": 2, "03": 2,
	"10": 2, "11": 2, "12": 2, "13": 2, "15": 2, "16": 2, "17": 2,
	"20": 2, "21": 2, "22": 2, "23": 3, "24": 3, "25": 3,
	"30": 2, "31": 4, "32": 4, "33": 4, "34": 4, "35": 4, "36": 4, "37": 2, "39": 4,
	"40": 3, "41": 3, "42": 3, "43": 4,
	"70": 4, "71": 3, "72": 4,
	"80": 4, "81": 4, "82": 4,
	"90": 2, "91": 2, "92": 2, "93": 2, "94": 2, "95": 2, "96": 2, "97": 2, "98": 2, "99": 2,
}

// fixedLength returns the number of digits of ai's value if that is fixed, so that no
// separator need follow (section 7.8.5), or 0.
func fixedLength(ai string) int { return fixedLengths[ai[:2]] }

var fixedLengths = map[string]int{
	"00": 18, "01": 14, "02": 14, "03": 14,
	"11": 6, "12": 6, "13": 6, "15": 6, "16": 6, "17": 6,
	"20": 2, "31": 6, "32": 6, "33": 6, "34": 6, "35": 6, "36": 6, "41": 13,
}

// longest returns the largest number of characters in ai's value.
func longest(ai string) int {
	switch ai {
	case "10", "21", "22":
		return 20
	case "30", "37":
		return 8
	}
	return 90
}

// verifies reports whether the last digit of s is its check digit (section 7.9).
func verifies(s string) bool {
	sum := 0
	for i := range len(s) {
		weight := 1
		if (len(s)-1-i)%2 == 1 {
			weight = 3
		}
		sum += weight * int(s[i]-'0')
	}
	return sum%10 == 0
}
