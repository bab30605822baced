package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"strings"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	imaging "example.com/whatis/internal/photo"
)

//go:embed page.gohtml
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// A page is a self-contained HTML file with results. A nil page writes nothing.
type page struct{ file *os.File }

// createPage opens the file before any call costs money. Existing content is overwritten
// when there are results.
func createPage(path string) (*page, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, usage("--html: %s", err)
	}
	return &page{f}, nil
}

// discard closes the page, and removes the file if it is empty.
func (p *page) discard() {
	if p == nil {
		return
	}
	if info, err := p.file.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(p.file.Name())
	}
	_ = p.file.Close()
}

// mostPictures limits the photos that a page shows: about 40 kB each.
const mostPictures = 500

// write writes the result of each photo to the page. closing is the line with totals.
func (p *page) write(pictures picturing, closing string, entries []entry) error {
	if p == nil || len(entries) == 0 {
		return nil
	}
	cards := make([]card, len(entries))
	emulated := false
	for i, e := range entries {
		cards[i] = card{entry: e, pictures: pictures}
		if i >= mostPictures {
			cards[i].pictures = nil
		}
		_ = json.Unmarshal(e.Result, &cards[i].Result) // it was decoded before
		emulated = emulated || isEmulated(cards[i].Result)
	}
	err := p.file.Truncate(0)
	if err == nil {
		err = pageTemplate.Execute(p.file, map[string]any{"Cards": cards, "Closing": closing, "Emulated": emulated, "Made": time.Now().Format(time.DateTime)})
	}
	if err := errors.Join(err, p.file.Close()); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// A picturing makes a small JPEG of a photo.
type picturing func(entry, analyze.Result) ([]byte, error)

// Pictures of a page.
const (
	pictureWidth    = 480              // pixels
	picturePatience = 30 * time.Second // with a service
)

// pictures returns a picturing for local files, and for objects in buckets by way of s.
func (s *service) pictures(ctx context.Context) picturing {
	return func(e entry, r analyze.Result) ([]byte, error) {
		p := photo{name: e.File, data: e.data}
		if !p.inBucket() {
			return p.thumbnail()
		}
		ctx, cancel := context.WithTimeout(ctx, picturePatience)
		defer cancel()
		return s.whole(ctx, fmt.Sprintf("/results/%s/photo?width=%d", url.PathEscape(r.ID), pictureWidth))
	}
}

func (p photo) thumbnail() ([]byte, error) {
	data, err := p.read()
	if err != nil {
		return nil, err
	}
	f, err := imaging.NewUpload(data).Inspect(imaging.Limits{})
	if err != nil {
		return nil, err
	}
	return f.Thumbnail(pictureWidth)
}

// A card is the data of one photo for the page's template.
type card struct {
	entry
	Result   analyze.Result
	pictures picturing
}

// A picture is a photo as a data URI, or why there is none.
type picture struct {
	URI    template.URL
	Unseen string
}

// Picture is made when the template reaches it, so that only one is in memory.
func (c card) Picture() picture {
	if c.pictures == nil {
		return picture{Unseen: fmt.Sprintf("only the first %d photos are shown", mostPictures)}
	}
	small, err := c.pictures(c.entry, c.Result)
	if err != nil {
		return picture{Unseen: "not shown: " + err.Error()}
	}
	// A data URI made here, of JPEG bytes encoded by this program or the service.
	return picture{URI: template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(small))}
}

// Said returns the photo's outcome in a word.
func (c card) Said() string {
	switch {
	case c.Result.Error == analyze.AnalysisFailed:
		return "failed"
	case c.Result.Identification == nil:
		return "no product"
	}
	return cmp.Or(intake.SourceOf(c.Result), intake.Unidentified)
}

// Title returns the product, or why there is none.
func (c card) Title() string {
	if c.Result.Identification == nil {
		return cmp.Or(c.Result.Description, c.Result.Message, c.Result.Error)
	}
	return cmp.Or(c.Result.ProductName, "no name was read")
}

// A sureness is a confidence from 0 to 1, with its name.
type sureness struct {
	Of    string
	Share float64
}

// Sure returns the confidences of name and brand, and of the catalogue or the web.
func (c card) Sure() []sureness {
	i := c.Result.Identification
	if i == nil {
		return nil
	}
	all := []sureness{{"name", i.ProductNameConfidence}, {"brand", i.BrandConfidence}}
	if rag := i.RAGConfidence; rag != nil {
		all = append(all, sureness{strings.ReplaceAll(rag.Method, "_", " "), rag.Probability})
	}
	return all
}

// A proof is the text that was read for a field, and its position in the photo.
type proof struct {
	Of, Text string
	Box      *rectangle // nil if not known
}

// A rectangle is a box in thousandths of the photo.
type rectangle struct{ X, Y, Width, Height float64 }

// Evidence returns the evidence of each field.
func (c card) Evidence() (all []proof) {
	e := c.Result.Evidence
	if e == nil {
		return nil
	}
	for _, field := range []struct {
		of    string
		quote *analyze.Quote
	}{{"name", e.ProductName}, {"brand", e.Brand}, {"date", e.ExpirationDate}, {"code", e.GTIN}} {
		if field.quote != nil {
			all = append(all, proof{field.of, field.quote.Text, rectangleOf(field.quote.Box)})
		}
	}
	return all
}

// rectangleOf converts b, [top, left, bottom, right], or returns nil if b is invalid.
func rectangleOf(b analyze.Box) *rectangle {
	if len(b) != 4 {
		return nil
	}
	return &rectangle{X: b[1], Y: b[0], Width: b[3] - b[1], Height: b[2] - b[0]}
}

// Why explains the row of the decision table.
func (c card) Why() string { return why(c.Result) }

// Facts returns further fields, as names and values.
func (c card) Facts() (facts [][2]string) {
	r := c.Result
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	if i := r.Identification; i != nil {
		add("brand", i.Brand)
		add("category", i.Category)
		add("best before", i.ExpirationDate)
		add("features", strings.Join(i.KeyFeatures, ", "))
	}
	add("GTIN", r.GTIN)
	add("warnings", strings.Join(r.Warnings, ", "))
	add("time", r.InferenceTime)
	add("cost", fmt.Sprintf("$%.4f", r.CostUSD))
	return facts
}
