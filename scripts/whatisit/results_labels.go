package main

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/spreadsheet"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// asLabels prints labels of the photos whose results people have accepted or corrected, one
// for each photo, and says how many have none and what is missing. A photo that came over HTTP has the name that it
// was sent with, or its hash: whoever has sent it has it.
func (c *console) asLabels(found []finished, asCSV bool) error {
	labels, sent, unsaid := []accuracy.Label{}, 0, 0
	photos, names := map[string]bool{}, map[string]bool{}
	for _, f := range found {
		label, ok := labelOf(f)
		switch {
		case !ok:
			if f.Result.Image != nil && !photos[f.Result.Image.SHA256] {
				unsaid++
			}
			continue
		case photos[f.Result.Image.SHA256]:
			continue
		case !strings.HasPrefix(f.File, "gs://"):
			sent++
		}
		if f.File == "" || names[label.File] && !strings.HasPrefix(f.File, "gs://") {
			label.File = f.Result.Image.SHA256[:16] + "." + path.Base(f.Result.Image.MIMEType)
		} else if names[label.File] { // another photo of that name, in another folder
			label.File = strings.ReplaceAll(strings.TrimPrefix(f.File, "gs://"), "/", "_")
		}
		photos[f.Result.Image.SHA256], names[label.File] = true, true
		label.Note = fmt.Sprintf("%s, %s by %s at %s", cmp.Or(f.File, "sent without a name"), f.Verdict, f.Result.Reviewed.By, f.Result.Reviewed.At.Format("2006-01-02"))
		labels = append(labels, label)
	}
	if unsaid > 0 {
		c.say("%d photos have no label: nobody has accepted or corrected what was found (whatisit results --order doubt lists those to look at first)", unsaid)
	}
	if sent > 0 {
		c.say("%d photos came over HTTP and are not kept: put yours beside the labels, under the names in file", sent)
	}
	if missing := missingIn(labels); missing != "" {
		c.say("of %d labels lack: %s", len(labels), missing)
	}
	if !asCSV {
		return printJSON(c, labels)
	}
	w := spreadsheet.NewWriter(c.out, "file", "no_product", "product_name", "brand", "category", "gtin", "expiration_date", "expires", "country", "lang", "note")
	for _, l := range labels {
		one := func(a accuracy.Accepted) string { return strings.Join(a, "|") }
		_ = w.Row(l.File, strconv.FormatBool(l.NoProduct), one(l.Name), one(l.Brand), one(l.Category), one(l.GTIN), one(l.Expiry), strings.ReplaceAll(one(l.Expiry), ".", "-"), l.Country, l.Lang, l.Note)
	}
	return w.Flush()
}

// missingIn says how many labels of products lack which field; "" if none does.
func missingIn(labels []accuracy.Label) string {
	var all []string
	for _, field := range []struct {
		name string
		of   func(accuracy.Label) accuracy.Accepted
	}{
		{"brand", func(l accuracy.Label) accuracy.Accepted { return l.Brand }}, {"category", func(l accuracy.Label) accuracy.Accepted { return l.Category }},
		{"gtin", func(l accuracy.Label) accuracy.Accepted { return l.GTIN }}, {"expiration_date", func(l accuracy.Label) accuracy.Accepted { return l.Expiry }},
	} {
		n := 0
		for _, l := range labels {
			if !l.NoProduct && field.of(l) == nil {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%s %d", field.name, n))
		}
	}
	return strings.Join(all, ", ")
}

// labelOf returns the label of a result that somebody has accepted or corrected. What such a
// result leaves empty is not labelled, unless a person has emptied it.
func labelOf(f finished) (l accuracy.Label, ok bool) {
	r := f.Result
	if f.Verdict != review.Accept && f.Verdict != review.Correct || r.Image == nil || r.Reviewed == nil {
		return l, false
	}
	l = accuracy.Label{File: path.Base(f.File), Country: r.Country, Lang: r.Lang, NoProduct: r.Error == analyze.NotAProduct}
	if r.Identification == nil || r.ProductName == "" {
		return l, l.NoProduct
	}
	label := func(s string) accuracy.Accepted {
		if s == "" {
			return nil
		}
		return accuracy.Accepted{s}
	}
	l.Name, l.Brand, l.Category, l.GTIN, l.Expiry = label(r.ProductName), label(r.Brand), label(r.Category), label(r.GTIN), label(r.ExpirationDate)
	for _, act := range r.Reviewed.History {
		if act.Verdict != review.Correct || act.Fields == nil {
			continue
		}
		if act.Fields.Brand != nil && r.Brand == "" {
			l.Brand = accuracy.Accepted{""}
		}
		if act.Fields.ExpirationDate != nil && r.ExpirationDate == "" {
			l.Expiry = accuracy.Accepted{""}
		}
	}
	return l, true
}
