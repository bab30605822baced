package accuracy

import (
	"strings"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/photo"
)

// Sample returns p as a perfect model sees it: with the first of each field's right
// values clearly printed.
func (p Photo) Sample() (*samples.Sample, error) {
	data, err := p.Data()
	if err != nil {
		return nil, err
	}
	prepared, err := photo.Prepare(data, photo.Limits{})
	if err != nil {
		return nil, err
	}
	return samples.Labelled(p.File, prepared.Sent, p.truth()), nil
}

func (l Label) truth() samples.Truth {
	first := func(a Accepted) string { return strings.Join(a[:min(1, len(a))], "") }
	t := samples.Truth{Name: first(l.Name), Brand: first(l.Brand), Category: first(l.Category), GTIN: first(l.GTIN), Description: "as its label says", Count: 1}
	switch {
	case l.NoProduct:
		return samples.Truth{Kind: samples.NonProduct, Description: "its label says that there is no product"}
	case t.Name == "" && l.Name != nil:
		t.Kind = samples.Unreadable
	}
	for _, line := range []string{t.Brand, t.Name, t.GTIN} {
		if line != "" {
			t.Lines = append(t.Lines, samples.Line{Text: line, Clear: true})
			t.Features = append(t.Features, line)
		}
	}
	if date := first(l.Expiry); date != "" {
		t.Lines = append(t.Lines, samples.Line{Text: "EXP " + date, Clear: true})
		t.Dates = []samples.Date{{Text: date, Label: "EXP", Kind: "expiry"}}
	}
	return t
}
