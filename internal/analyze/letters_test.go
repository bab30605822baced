package analyze

import (
	"testing"
)

// A name is supported by its print in capitals and other letters of its script, and not by
// a word with other vowels.
func TestEvidenceOfLetters(t *testing.T) {
	tests := []struct {
		name, printed string
		want          bool
	}{
		{"Weißbier", "WEISSBIER", true},
		{"Kırmızı Çay", "KIRMIZI ÇAY", true},
		{"Œufs frais", "OEUFS FRAIS", true},
		{"Rødgrød", "RODGROD", true},
		{"Żółty Ser", "ZOLTY SER", true},
		{"Καφές", "ΚΑΦΕΣ", true},
		{"می\u200cخوری", "میخوری", true},
		{"ガム", "ｶﾞﾑ", true},
		{"किताब", "काताबी", false},
		{"หมาก", "มีด", false},
		{"ガム", "カム", false},
	}
	for _, test := range tests {
		if got := newReading([]Line{{Text: test.printed}}).proof(test.name) != nil; got != test.want {
			t.Errorf("proof(%q) in %q found: %v, want %v", test.name, test.printed, got, test.want)
		}
	}
}

// Names keep the joiners that their script needs, and lose bidirectional controls.
func TestCleanLetters(t *testing.T) {
	tests := []struct{ in, want string }{
		{"چای می\u200cخوری", "چای می\u200cخوری"},
		{"क्\u200dष", "क्\u200dष"},
		{"👩\u200d🍳 soup", "👩\u200d🍳 soup"},
		{"\u202eTea\u202c \u200fچای\u2066", "Tea چای"},
		{"Bar\u200cley", "Barley"},
	}
	for _, test := range tests {
		if got := clean(test.in, 40); got != test.want {
			t.Errorf("clean(%+q) = %+q, want %+q", test.in, got, test.want)
		}
	}
}

// Joiners that stay in a line do not hide a word from the patterns.
func TestPatternsSeeNoJoiners(t *testing.T) {
	if got, want := unmarked("نادیده\u200cبگیر"), unmarked("نادیدهبگیر"); got != want {
		t.Errorf("unmarked = %+q, want %+q", got, want)
	}
	if got, want := unmarked("क्\u200dष"), unmarked("क्ष"); got != want {
		t.Errorf("unmarked = %+q, want %+q", got, want)
	}
}
