package intake_test

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
)

// When the work on a receipt has ended, nothing stored holds what was printed on it: neither
// the result nor a checkpoint.
func TestNothingIsStoredOfAReceipt(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	const name = "김보리"
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{
		VisibleText: []analyze.Line{{Text: name, Clear: true}}, KeyFeatures: []string{name}, Dates: []analyze.Date{{Text: name, Kind: "other"}},
		NotProduct: true, Description: "영수증", KnownProduct: analyze.Unsure, Side: analyze.SideDocument,
	}})
	if _, err := d.Item(t.Context(), d.upload("receipt.jpg", shade(t, 77), nil)); err != nil {
		t.Fatal(err)
	}
	seen := 0
	collections := d.db.Collections(t.Context())
	for {
		c, err := collections.Next()
		if err == iterator.Done {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range all {
			data, err := json.Marshal(doc.Data())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(data), "영수증") {
				seen++
			}
			if strings.Contains(string(data), name) {
				t.Errorf("%s holds what was on the receipt: %s", doc.Ref.Path, data)
			}
		}
	}
	if seen == 0 {
		t.Error("no document has the result: this test looks in the wrong place")
	}
}
