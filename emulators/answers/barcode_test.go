package answers

import (
	"testing"

	"example.com/whatis/emulators/realdata"
)

// The photos without a barcode are those in which single readings find one.
func TestBarcodesOfRealPhotos(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"ean13-1/13.png", "8413600298517"},
		{"ean13-1/26.png", "4901780188352"},
		{"ean8-1/1.png", "48512343"},
		{"ean8-1/5.png", "80674313"},
		{"upca-1/2.png", "036602301467"},
		{"upca-1/10.png", "027011006951"},
		{"upce-1/1.png", "01234565"},
		{"falsepositives-2/10.png", ""},
		{"falsepositives-2/17.png", ""},
	} {
		if got, _, _ := barcode(greyOf(decodedFile(t, realdata.Need(t, "barcodes/"+tt.file)[0]), readingSide)); got != tt.want {
			t.Errorf("barcode(%s) = %q, want %q", tt.file, got, tt.want)
		}
	}
}

func TestStandingBarcode(t *testing.T) {
	lying := greyOf(decodedFile(t, realdata.Need(t, "barcodes/upce-1/1.png")[0]), readingSide)
	if got, _, _ := barcode(transposed(lying)); got != "01234565" {
		t.Errorf("barcode(upce-1/1.png, standing) = %q, want 01234565", got)
	}
}

func TestElect(t *testing.T) {
	for _, tt := range []struct {
		name  string
		votes map[string]int
		want  string
	}{
		{"none", nil, ""},
		{"one strip", map[string]int{"9780441014989": 1}, ""},
		{"two strips", map[string]int{"9780441014989": 2}, "9780441014989"},
		{"a misreading beside it", map[string]int{"9780441014989": 17, "5780407014989": 1}, "9780441014989"},
		{"a shorter one beside it", map[string]int{"9780441014989": 2, "17804419": 4}, "9780441014989"},
		{"two strips of eight digits", map[string]int{"12345670": 2}, ""},
		{"three strips of eight digits", map[string]int{"12345670": 3}, "12345670"},
		{"a tie", map[string]int{"9780441014989": 2, "4901780188352": 2}, ""},
	} {
		votes := map[string]vote{}
		for digits, n := range tt.votes {
			votes[digits] = vote{n: n}
		}
		if got, _, ok := elect(votes); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: elect(%v) = %q, %v; want %q", tt.name, tt.votes, got, ok, tt.want)
		}
	}
}
