package batch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

// A photo of a batch that another version has written, in part so that this one cannot read it, is
// forgotten and corrected as any.
func TestItemsOfAnotherVersion(t *testing.T) {
	for doc, fields := range map[string][]string{"": {"usd_low", "counts", "number"}, "/items/000001": {"cost_usd", "index", "product_name"}} {
		for _, field := range fields {
			t.Run(field, func(t *testing.T) {
				t.Parallel()
				d := newHarness(t)
				d.manual()
				d.photos(2)
				id, looks := d.handedOut(2)
				d.do(looks...)
				s := d.status(id)
				lines, _, _ := d.summary(s.ResultURI)
				if _, err := d.db.Doc("batches/"+id+doc).Update(t.Context(), []firestore.Update{{Path: field, Value: []string{"of another version"}}}); err != nil {
					t.Fatal(err)
				}
				corrected := lines[1].Result
				corrected.ProductName = "Corrected tea"
				data, err := json.Marshal(corrected)
				if err == nil {
					_, err = d.Correct(t.Context(), []intake.Listed{{Listed: jobs.Listed[analyze.Result]{Record: jobs.Record{Item: jobs.Item{ID: corrected.ID}, Outcome: jobs.Outcome{Result: data}}, Public: corrected}}})
				}
				if _, text, _ := d.summary(s.ResultURI); err != nil || !strings.Contains(text, "Corrected tea") {
					t.Errorf("Correct = %v, and the summary is %s", err, text)
				}
				some, err := d.Forget(t.Context(), corrected.ID, "", 0)
				if err != nil || !some {
					t.Errorf("Forget = %v, %v; want it forgotten", some, err)
				}
				if _, text, _ := d.summary(s.ResultURI); strings.Contains(text, "tea") || strings.Contains(text, lines[1].File) || !strings.Contains(text, lines[0].File) {
					t.Errorf("the summary says %s", text)
				}
				for _, item := range d.stored(id) {
					if item.Ref.ID == "000001" && item.Data()["id"] != nil {
						t.Errorf("the item is %v", item.Data())
					}
				}
			})
		}
	}
}

// A batch that another version has written, so that this one cannot read it, waits: each delivery of
// its photos asks for another, nothing is paid, and a version that can read it does the rest.
func TestBatchOfAnotherVersion(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	d.photos(2)
	id, looks := d.handedOut(2)
	doc := d.db.Doc("batches/" + id)
	before, err := doc.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set := func(value any) {
		t.Helper()
		if _, err := doc.Update(t.Context(), []firestore.Update{{Path: "number", Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	set("of another version")
	d.Gemini.ResetCalls()
	for range 2 {
		for _, look := range looks {
			if err := d.Task(t.Context(), look); err == nil {
				t.Error("a photo of a batch that cannot be read is done")
			}
		}
	}
	if n := len(d.Gemini.Calls()); n != 0 {
		t.Errorf("%d calls of a model, want none", n)
	}
	set(before.Data()["number"])
	d.do(looks...)
	d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 2})
}
