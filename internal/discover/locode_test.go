package discover

import "testing"

// A city's code is one of its country in form, however a model writes it; countries have none.
func TestLocode(t *testing.T) {
	for _, test := range []struct{ mode, country, said, want string }{
		{modeCity, "AT", "ATLNZ", "ATLNZ"}, {modeCity, "AT", " at lnz", "ATLNZ"}, {modeCity, "AT", "AT2LZ", "AT2LZ"}, {modeCity, "AT", "DELNZ", ""},
		{modeCity, "AT", "ATLN1", ""}, {modeCity, "AT", "ATLNZX", ""}, {modeCity, "AT", "unknown", ""}, {modeCity, "AT", "", ""}, {modeCountry, "AT", "ATLNZ", ""},
	} {
		if got := (Target{Mode: test.mode, CountryLocode: test.country}).locode(test.said); got != test.want {
			t.Errorf("%s of %s, said to be %q: %q, want %q", test.mode, test.country, test.said, got, test.want)
		}
	}
}
