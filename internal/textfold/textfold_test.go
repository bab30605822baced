package textfold

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" -- ", nil},
		{"Café  CRÈME™ 500g", []string{"cafe", "creme", "500g"}},
		{"ＮＩＶＥＡ Men", []string{"nivea", "men"}},
		{"롯데 온차(溫茶)", []string{"롯데", "온차", "溫茶"}},
		{"Kellogg's L’Oréal", []string{"kelloggs", "loreal"}},
		{"3M/LG-2", []string{"3m", "lg", "2"}},
		{"STRAẞE", []string{"strasse"}},
	}
	for _, test := range tests {
		if got := Words(test.in); !slices.Equal(got, test.want) {
			t.Errorf("Words(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Hangul as jamo and as syllables is the same text.
func TestHangulForms(t *testing.T) {
	const jamo, syllables = "\u1109\u1161\u11ab", "산"
	if got := String(jamo); got != syllables {
		t.Errorf("String(jamo) = %q, want %q", got, syllables)
	}
	if got := Letters(jamo + " 12"); got != 1 {
		t.Errorf("Letters(jamo 12) = %d, want 1", got)
	}
}

// A name keeps the signs that make it another.
func TestName(t *testing.T) {
	for in, want := range map[string]string{"1.8 kg": "1.8kg", "18 kg": "18kg", "-5 °C": "-5c", "−5 °C": "-5c", "+5 °C": "5c", "1,8 kg": "1.8kg", "-0,5 °C": "-0.5c", "1.234,5 g": "1234.5g", "0,1234": "0.1234", "0,250 l": "0.250l",
		"1,500 g": "1500g", "٢٫٥ لتر": "2.5لتر", "٢٥ لتر": "25لتر", "١٬٥٠٠ غ": "1500غ", "१.५ लीटर": "1.5लीटर", "1,234,567": "1234567", "1,234.5 g": "1234.5g", "36,37,38": "363738", "1,5.2": "152", "36, 37": "3637", "Navy Blue": "navyblue", "3-season": "3season", "": "",
		"C++": "c++", "C#": "c#", "C": "c", "F# and C++ books": "f#andc++books", "Galaxy S23+": "galaxys23+", "S23＋": "s23+", "Canal+": "canal+", "A+B": "ab", "Vitamin A + B": "vitaminab", "SPF 50+ 2 × 50 ml": "spf50+250ml",
		"1+1 Tea": "1+1tea", "Socket 1/2\"": "socket1/2", "½ inch": "1/2inch", "12/05/2026": "12052026", "Tea, 2.5 l": "tea2.5l", "Tea 2,5l": "tea2.5l", "v2.5": "v2.5", "1.2.3": "123",
		"Lens -2.50": "lens-2.50", "Lens +2.50": "lens2.50", "T-2": "t2", "Shampoo -250 ml": "shampoo250ml", "Item #5": "item5", "+ # -": "", "🙂+": ""} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string][]string{"C++ in 1,5 days, vol. 1/2": {"c++", "in", "1.5", "days", "vol", "1/2"}, "36,37,38": {"36", "37", "38"}, "हल्दी 2.5 kg": {"हल्दी", "2.5", "kg"}} {
		if got := NameWords(in); !slices.Equal(got, want) {
			t.Errorf("NameWords(%q) = %q, want %q", in, got, want)
		}
	}
}

// What has no sign that is kept is folded as String does.
func TestNumber(t *testing.T) {
	for in, want := range map[string]string{
		"12": "12 true", "1.5": "1.5 true", "1,5": "1.5 true", "1.234,5": "1234.5 true", "1,234.50": "1234.50 true", "1.234.567": "1234567 true", "1,234,567": "1234567 true",
		"1,20,000": "120000 true", "1.250.000,5": "1250000.5 true", "0,750": "0.750 true", "0.750": "0.750 true", "1234.567": "1234.567 true", "1,2345": "1.2345 true",
		"1,500": "1500 false", "1.500": "1.500 false", "1,2,3": " false", "12.05.26": " false", "1e5": " false", "": " false", "1,5 m": " false",
	} {
		plain, sure := Number(in)
		if got := fmt.Sprint(plain, " ", sure); got != want {
			t.Errorf("Number(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestNameWithoutSigns(t *testing.T) {
	for _, s := range []string{"Café  CRÈME™ 500g", "Kellogg's L’Oréal", "3M/LG-2", "EW-1001", "롯데 온차(溫茶) 12", "STRAẞE 5", "\u093f \u20e3 1"} {
		if got, want := Name(s), String(s); got != want {
			t.Errorf("Name(%q) = %q, String gives %q", s, got, want)
		}
	}
}

// A text of ASCII is folded as its words are.
func TestASCII(t *testing.T) {
	for _, s := range []string{"black", "Navy Blue", "cat-eye", "it's", "1.8 kg", "", " ", "A_b/C+d", "\x00\x7f~", "EW-1001", "-5"} {
		if got, want := String(s), strings.Join(Words(s), ""); got != want {
			t.Errorf("String(%q) = %q, its words are %q", s, got, want)
		}
	}
	for c := range byte(0x80) {
		s := "a" + string(rune(c)) + "B"
		if got, want := bare(s), bare(s+"\u00ad"); got != want { // an invisible character, which is no ASCII
			t.Errorf("bare(%q) = %q, in the general way %q", s, got, want)
		}
		if got, want := String(s), strings.Join(Words(s), ""); got != want {
			t.Errorf("String(%q) = %q, its words are %q", s, got, want)
		}
	}
}
