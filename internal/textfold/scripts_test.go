package textfold

import (
	"slices"
	"testing"
)

// Texts that a reader takes for the same name, in ten scripts and more.
func TestEqual(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"German capitals", "WEISSBIER", "Weißbier"},
		{"a capital ß", "WEIẞBIER", "weissbier"},
		{"Turkish capitals", "KIRMIZI IŞIK", "Kırmızı Işık"},
		{"a dotted capital", "İÇİM SÜT", "içim süt"},
		{"a dotted capital, decomposed", "I\u0307çim", "içim"},
		{"French", "ŒUFS", "oeufs"},
		{"Danish", "RØDGRØD ÆBLE", "rodgrod aeble"},
		{"Polish", "ŁÓDŹ", "Lodz"},
		{"Vietnamese", "BÁNH ĐA", "banh da"},
		{"Croatian", "Đurđevac", "DURDEVAC"},
		{"Icelandic", "ÞRISTUR ÐAÐ", "thristur dad"},
		{"a ligature", "eﬃcient ﬁsh", "EFFICIENT FISH"},
		{"full width", "ＮＩＶＥＡ　１００", "nivea 100"},
		{"Greek: tonos and final sigma", "ΚΑΦΕΣ", "Καφές"},
		{"Greek: a final sigma within", "Οδος", "ΟΔΟΣ"},
		{"Cyrillic", "МЁД", "мед"},
		{"Ukrainian apostrophes", "Здоровʼя", "Здоров’я"},
		{"Arabic with vowels and a stretched letter", "قَهْوَةـــ", "قهوة"},
		{"Arabic presentation forms", "\ufed7\ufeec\ufeee\ufe93", "قهوة"},
		{"Hebrew points", "מַצָּה", "מצה"},
		{"Persian with a non-joiner", "می\u200cخواهم", "میخواهم"},
		{"Devanagari with a joiner", "क्\u200dष", "क्ष"},
		{"Devanagari, two forms of one letter", "\u0958", "\u0915\u093c"},
		{"Hangul as jamo", "\u1112\u1161\u11ab", "한"},
		{"half-width kana", "ｶﾞﾑ", "ガム"},
		{"decomposed kana", "か\u3099", "が"},
		{"Thai in two encodings", "น\u0e4d\u0e32", "น\u0e33"},
		{"Han of a compatibility form", "\uf9e9", "里"},
		{"Armenian ligature", "և", "ԵՒ"},
		{"a soft hyphen", "Choco\u00adlate", "chocolate"},
	}
	for _, test := range tests {
		if a, b := String(test.a), String(test.b); a != b || a == "" {
			t.Errorf("%s: String(%q) = %q, String(%q) = %q; want equal", test.name, test.a, a, test.b, b)
		}
	}
}

// Marks that make another word of the same letters are kept.
func TestDifferent(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"Devanagari vowels", "कि", "का"},
		{"Devanagari vowels above and below", "के", "कु"},
		{"a conjunct", "क्ष", "कष"},
		{"Bengali", "কি", "কা"},
		{"Tamil", "கி", "கா"},
		{"Telugu", "కి", "కు"},
		{"Thai vowels", "กิน", "กัน"},
		{"Thai tones", "ข้าว", "ขาว"},
		{"Lao", "ກິ", "ກີ"},
		{"Khmer", "កិ", "កា"},
		{"Burmese", "ကိ", "ကီ"},
		{"Sinhala", "කි", "කු"},
		{"kana", "か", "が"},
		{"kana with a circle", "ハン", "パン"},
		{"Hangul", "간", "강"},
		{"Cyrillic", "ш", "щ"},
		{"Arabic", "ب", "ت"},
		{"Han", "大", "犬"},
	}
	for _, test := range tests {
		if a, b := String(test.a), String(test.b); a == b {
			t.Errorf("%s: String(%q) = String(%q) = %q; want them different", test.name, test.a, test.b, a)
		}
	}
}

// A word is not split at its vowels.
func TestWordsOfScripts(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"हल्दी पाउडर", []string{"हल्दी", "पाउडर"}},
		{"ข้าวหอมมะลิ 5 กก.", []string{"ข้าวหอมมะลิ", "5", "กก"}},
		{"می\u200cخواهم چای", []string{"میخواهم", "چای"}},
		{"パン・ケーキ", []string{"パン", "ケーキ"}},
		{"3\ufe0f\u20e3 ☕\ufe0f", []string{"3"}},
		{"\u093f \u20e3", nil},
	}
	for _, test := range tests {
		if got := Words(test.in); !slices.Equal(got, test.want) {
			t.Errorf("Words(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// A name in another case is the same name; without its marks it may be another: dừa is
// coconut, dứa pineapple.
func TestCaseless(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{"Weißbier  HELL", "WEISSBIER hell", true},
		{"KIRMIZI", "Kırmızı", true},
		{"İçim", "içim", true},
		{"I\u0307çim", "İçim", true},
		{"ŒUFS", "œufs", true},
		{"ﬁsh", "FISH", true},
		{"ＮＩＶＥＡ", "Nivea", true},
		{"ΟΔΟΣ", "Οδος", true},
		{"می\u200cخواهم", "میخواهم", true},
		{"산", "\u1109\u1161\u11ab", true},
		{"Kẹo dừa", "Kẹo dứa", false},
		{"Rosé", "Rose", false},
		{"Lens -2.50", "Lens +2.50", false},
		{"कि", "का", false},
		{"か", "が", false},
	}
	for _, test := range tests {
		if a, b := Caseless(test.a), Caseless(test.b); (a == b) != test.same {
			t.Errorf("Caseless(%q) = %q, Caseless(%q) = %q; want them equal: %v", test.a, a, test.b, b, test.same)
		}
	}
	const plain = "햇살마루 barley tea 1.5l, crème"
	if got := Caseless(plain); got != plain {
		t.Errorf("Caseless(%q) = %q, want it unchanged", plain, got)
	}
}

// Joiners that shape what is seen stay in a text, and nothing else that is invisible.
func TestVisible(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Devanagari", "क्\u200dष", "क्\u200dष"},
		{"Malayalam", "അവന്\u200d വരും", "അവന്\u200d വരും"},
		{"emoji", "👩\u200d🍳 ❤\ufe0f\u200d🔥 👩🏽\u200d🍳", "👩\u200d🍳 ❤\ufe0f\u200d🔥 👩🏽\u200d🍳"},
		{"Latin", "ig\u200cno\u200dre", "ignore"},
		{"Hangul and Han", "지시\u200c를 忽\u200d略", "지시를 忽略"},
		{"at an end", "می\u200c", "می"},
		{"several", "می\u200c\u200cخ", "می\u200cخ"},
		{"bidirectional controls", "\u202eabc\u202c \u2066چای\u2069\u200f", "abc چای"},
		{"a soft hyphen, a space of no width and a mark of byte order", "\ufeffBar\u00ad\u200bley", "Barley"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"tags", "a\U000e0061b", "ab"},
	}
	for _, test := range tests {
		if got := Visible(test.in); got != test.want {
			t.Errorf("%s: Visible(%+q) = %+q, want %+q", test.name, test.in, got, test.want)
		}
	}
}
