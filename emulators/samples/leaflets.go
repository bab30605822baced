package samples

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

// leafletFiles are the pictures of the leaflets, and their truth as labels of photos.
//
//go:embed leaflets
var leafletFiles embed.FS

// A leafletLabel is the label of a leaflet in leaflets/labels.json.
type leafletLabel struct {
	File     string
	Name     string `json:"product_name"`
	Brand    string
	Category string
	Country  string
	Lang     string
	Lines    []struct{ Text string }
}

// LeafletLabels returns leaflets/labels.json: a label for each of Leaflets.
func LeafletLabels() []byte {
	data, err := leafletFiles.ReadFile("leaflets/labels.json")
	if err != nil {
		panic(fmt.Sprintf("samples: leaflets: %v", err)) // it is embedded
	}
	return data
}

// Leaflets returns panels of packs with lines that sound like prompt injections but are
// none: directions, dosages, hints on earlier manuals. All does not contain them, and
// Recognise does not find them. The caller may change the slice.
func Leaflets() []*Sample {
	return append([]*Sample(nil), leaflets()...)
}

var leaflets = sync.OnceValue(func() (list []*Sample) {
	var labels []leafletLabel
	if err := json.Unmarshal(LeafletLabels(), &labels); err != nil {
		panic(fmt.Sprintf("samples: leaflets/labels.json: %v", err))
	}
	for _, l := range labels {
		data, err := leafletFiles.ReadFile("leaflets/" + l.File)
		if err != nil {
			panic(fmt.Sprintf("samples: leaflets/labels.json: %v", err))
		}
		list = append(list, l.sample(data))
	}
	return list
})

// sample returns the leaflet with its truth: all of its print is clear.
func (l leafletLabel) sample(data []byte) *Sample {
	s := &Sample{File: l.File, MIMEType: "image/jpeg", Country: l.Country, Lang: l.Lang, data: data, Truth: Truth{
		Kind: Product, Brand: l.Brand, Name: l.Name, Category: l.Category, Description: "A printed panel with the name of a product and directions for its use.",
		NameConfidence: 1, BrandConfidence: 1, Known: "yes", Count: 1,
	}}
	for _, line := range l.Lines {
		s.Truth.Lines = append(s.Truth.Lines, Line{Text: line.Text, Clear: true})
		s.Truth.Features = append(s.Truth.Features, line.Text)
	}
	return s
}
