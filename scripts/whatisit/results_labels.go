package main

import (
	"fmt"
	"path"
	"strings"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// asLabels prints labels of the photos whose results people have accepted or corrected, one
// for each photo. A photo that is in no bucket is left out, as nobody has it any more.
func (c *console) asLabels(found []finished) error {
	labels, nowhere := []accuracy.Label{}, 0
	photos, names := map[string]bool{}, map[string]bool{}
	for _, f := range found {
		label, ok := labelOf(f)
		switch {
		case !ok || photos[f.Result.Image.SHA256]:
			continue
		case !strings.HasPrefix(f.File, "gs://"):
			nowhere++
			continue
		}
		if names[label.File] { // another photo of that name, in another folder
			label.File = strings.ReplaceAll(strings.TrimPrefix(f.File, "gs://"), "/", "_")
		}
		photos[f.Result.Image.SHA256], names[label.File] = true, true
		label.Note = fmt.Sprintf("%s, %s by %s at %s", f.File, f.Verdict, f.Result.Reviewed.By, f.Result.Reviewed.At.Format("2006-01-02"))
		labels = append(labels, label)
	}
	if nowhere > 0 {
		c.say("left out: %d whose photo came over HTTP, which is not kept", nowhere)
	}
	return printJSON(c, labels)
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
