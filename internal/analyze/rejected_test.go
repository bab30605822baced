package analyze_test

import (
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

// A name that a person has rejected for a photo is no answer for it, wherever it comes from.
// The photo is looked at once more; the web is not searched for that name.
func TestRejectedName(t *testing.T) {
	const gtin = "8801234567893"
	tea := func(name string) analyze.Analysis {
		return analyze.Analysis{
			VisibleText: []analyze.Line{{Text: name, Clear: true}, {Text: "햇살마루", Clear: true}, {Text: gtin, Clear: true}}, Codes: []analyze.Code{{}},
			NameAsPrinted: name, BrandAsPrinted: "햇살마루", ProductName: name, Brand: "햇살마루", Category: "Beverage", KeyFeatures: features,
			ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
		}
	}
	for _, tt := range []struct {
		what      string
		stocked   bool
		judgement analyze.Judgement
		want      string
		calls     int
	}{
		{"read again, and confirmed", false, analyze.Judgement{Confirmed: true, ProductName: "보리차", Brand: "햇살마루", ProductNameConfidence: 0.95, BrandConfidence: 0.95}, "", 2},
		{"in the catalogue by its code, and picked", true, analyze.Judgement{Confirmed: true, Pick: 1}, "", 2},
		{"read as another by the second look", false, analyze.Judgement{
			Seen: "메밀차 햇살마루", NameAsPrinted: "메밀차", BrandAsPrinted: "햇살마루", ProductName: "메밀차", Brand: "햇살마루", ProductNameConfidence: 0.95, BrandConfidence: 0.95,
		}, "메밀차", 2},
	} {
		t.Run(tt.what, func(t *testing.T) {
			b := newBench(t, nil)
			db := b.FirestoreClient(t)
			b.config.Reviews = review.NewPhotos(db)
			b.build()
			if tt.stocked {
				b.stock("보리차", "햇살마루", "0"+gtin, catalog.Imported, features...)
			}
			named := map[string]any{"product_name": "보리차", "brand": "햇살마루"}
			_, err := db.Doc("reviews/"+b.photo.SHA256).Create(t.Context(), map[string]any{
				"verdict": review.Reject, "by": "kim", "revision": 1, "standing": []any{map[string]any{"verdict": review.Reject, "by": "kim", "named": named}},
			})
			if err != nil {
				t.Fatal(err)
			}
			b.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: tea("보리차")}, emulated.Answer{Kind: answers.KindJudge, JSON: tt.judgement})
			r, err := b.pipeline.Run(t.Context(), b.req, nil)
			if err != nil {
				t.Fatal(err)
			}
			unidentified := slices.Contains(r.Warnings, analyze.WarnUnidentified) && slices.Contains(r.Warnings, analyze.WarnRejectedBefore)
			if r.ProductName != tt.want || unidentified != (tt.want == "") || r.ModelCalls.Generate != tt.calls || r.ModelCalls.GroundedQueries != 0 {
				t.Errorf("%q with %q, decided by %+v in %+v; want %q in %d calls", r.ProductName, r.Warnings, r.Decision, r.ModelCalls, tt.want, tt.calls)
			}
			if r.Reviewed == nil || r.Reviewed.Verdict != review.Reject || r.Reviewed.By != "kim" {
				t.Errorf("reviewed = %+v", r.Reviewed)
			}
		})
	}
}
