package accuracy

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"example.com/whatis/internal/photo"
)

//go:embed report.gohtml
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"round":   round,
	"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", share*100) },
	"name":    nameRight,
	"memory":  Memory,
}).Parse(page))

// mostWrong limits the photos that the page shows of one run.
const mostWrong = 200

// thumbnailWidth is the width of the pictures in the page, in pixels.
const thumbnailWidth = 240

// WriteHTML writes r as a self-contained HTML page, with the photos that went wrong.
// compared may be nil.
func (r Report) WriteHTML(out io.Writer, photos []Photo, compared *Comparison) error {
	data := struct {
		Report     Report
		Comparison *Comparison
		Runs       []shownRun
	}{Report: r, Comparison: compared}
	pictures := thumbnails{of: photos, made: map[string]shownPhoto{}}
	for _, m := range r.Runs {
		data.Runs = append(data.Runs, pictures.run(m))
	}
	return pageTemplate.Execute(out, data)
}

// A shownRun is the data of a run for the page's template.
type shownRun struct {
	Measure
	Wrong []shownPhoto
	More  int
}

// A shownPhoto is a photo that went wrong.
type shownPhoto struct {
	Shot      Shot
	Thumbnail template.URL // "" where none could be made
	Unseen    string       // why
	Fields    []shownField
}

// A shownField is a wrong field.
type shownField struct{ Field, Want, Said, Sure string }

// thumbnails makes each picture once.
type thumbnails struct {
	of   []Photo
	made map[string]shownPhoto
}

func (t thumbnails) run(m Measure) shownRun {
	shown := shownRun{Measure: m}
	for _, s := range m.Shots {
		wrong := s.Wrong()
		switch {
		case len(wrong) == 0:
			continue
		case len(shown.Wrong) == mostWrong:
			shown.More++
			continue
		}
		p := t.picture(s.Label.File)
		p.Shot = s
		for _, field := range wrong {
			p.Fields = append(p.Fields, s.shown(field))
		}
		shown.Wrong = append(shown.Wrong, p)
	}
	return shown
}

func (t thumbnails) picture(file string) shownPhoto {
	if p, ok := t.made[file]; ok {
		return p
	}
	p := shownPhoto{Unseen: "the photo is not here any more"}
	for _, one := range t.of {
		if one.File != file {
			continue
		}
		small, err := thumbnail(one)
		if err != nil {
			p.Unseen = err.Error()
			break
		}
		// A data URI made here, of JPEG bytes encoded here: nothing of the photo's own.
		p.Thumbnail = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(small))
	}
	t.made[file] = p
	return p
}

func thumbnail(p Photo) ([]byte, error) {
	data, err := p.Data()
	if err != nil {
		return nil, err
	}
	file, err := photo.NewUpload(data).Inspect(photo.Limits{})
	if err != nil {
		return nil, err
	}
	return file.Thumbnail(thumbnailWidth)
}

func (s Shot) shown(field string) shownField {
	f := shownField{Field: field, Want: strings.Join(s.Label.fields()[field], " or "), Said: s.Said[field]}
	if field == Outcome {
		f.Want, f.Said = "a product", s.Source
		if s.Label.NoProduct {
			f.Want = "no product"
		}
	}
	if f.Want == "" {
		f.Want = "nothing"
	}
	if f.Said == "" {
		f.Said = "nothing"
	}
	if sure, ok := s.Sure[field]; ok {
		f.Sure = fmt.Sprintf("%.2f", sure)
	}
	return f
}

// nameRight counts the photos whose name is right.
func nameRight(f Figures) string {
	for _, one := range f.Fields {
		if one.Field == Name {
			return fmt.Sprintf("%d of %d", one.Right, one.Labelled)
		}
	}
	return ""
}
