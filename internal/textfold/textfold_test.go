package textfold

import (
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

// A number keeps what makes it another number.
func TestValue(t *testing.T) {
	for in, want := range map[string]string{"1.8 kg": "1.8kg", "18 kg": "18kg", "-5 °C": "-5c", "−5 °C": "-5c", "+5 °C": "5c", "1,8 kg": "1.8kg", "-0,5 °C": "-0.5c", "1.234,5 g": "1234.5g", "0,1234": "0.1234",
		"1,500 g": "1500g", "36,37,38": "363738", "1,5.2": "152", "36, 37": "3637", "Navy Blue": "navyblue", "3-season": "3season", "": ""} {
		if got := Value(in); got != want {
			t.Errorf("Value(%q) = %q, want %q", in, got, want)
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
