package analyze

import "testing"

func TestHasISBN(t *testing.T) {
	tests := []struct {
		line Line
		want bool
	}{
		{Line{Text: "ISBN 0-306-40615-2", Clear: true}, true},
		{Line{Text: "ISBN-10: 0306406152", Clear: true}, true},
		{Line{Text: "isbn 0 8044 2957 X (pbk)", Clear: true}, true},
		{Line{Text: "ISBN 0-306-40615-2"}, false}, // not clear
		{Line{Text: "ISBN 0-306-40615-3", Clear: true}, false},
		{Line{Text: "Tel. 0-306-40615-2", Clear: true}, false},
		{Line{Text: "ISBN 978-0-306-40615-7", Clear: true}, false}, // a GTIN
		{Line{Text: "ISBN", Clear: true}, false},
	}
	for _, test := range tests {
		if got := isbnOf([]Line{test.line}) != ""; got != test.want {
			t.Errorf("isbnOf(%+v) = %v, want %v", test.line, got, test.want)
		}
	}
}
