package site

import (
	"cmp"
	"sync"
)

// ipcc are the English names of the subsectors, in the order of words.parts.
var ipcc = [5][3]string{
	{"enteric fermentation", "rice cultivation", "forest land"},
	{"mineral industry", "chemical industry", "substitutes for ozone depleting substances"},
	{"energy industries", "buildings", "manufacturing industries and construction"},
	{"road transport", "civil aviation", "railways"},
	{"solid waste disposal", "wastewater", "incineration and open burning"},
}

// gpc are what the names of the IPCC are in the inventories of cities, where that differs.
var gpc = map[string]string{
	"enteric fermentation": "livestock", "rice cultivation": "aggregate sources and non-CO2 emission sources on land", "forest land": "land",
	"mineral industry": "industrial processes", "chemical industry": "industrial processes", "substitutes for ozone depleting substances": "product use",
	"buildings": "residential buildings", "road transport": "on-road transportation", "civil aviation": "aviation", "navigation": "waterborne navigation",
}

// drawnIPCC are those of the phrases of a drawn web.
var drawnIPCC = map[string][]string{
	"waste":          {"solid waste disposal", "wastewater", "incineration and open burning", "wastewater", "biological treatment"},
	"transportation": {"road transport", "road transport", "navigation", "civil aviation", "railways"},
}

// A Subsector is what a part of a dataset is in any language.
type Subsector struct{ Sector, Label string }

// InCity is the label of s in the inventory of a city.
func (s Subsector) InCity() string { return cmp.Or(gpc[s.Label], s.Label) }

// Subsectors are the parts of the webs, in all languages, by what they are. A part that is a
// whole sector has no label.
var Subsectors = sync.OnceValue(func() map[string]Subsector {
	all := map[string]Subsector{}
	for _, w := range []*words{&english, &spanish, &german, &french, &korean} {
		for sector, names := range w.parts {
			for i, name := range names {
				all[name] = Subsector{sectorIDs[sector], ipcc[sector][i]}
			}
		}
	}
	for _, lang := range []string{"en", "es", "de", "fr", "ko"} {
		p := shaped[phrases](lang)
		for sector, labels := range drawnIPCC {
			for i, name := range p.parts(sector) {
				all[name] = Subsector{sector, labels[i]}
			}
		}
	}
	return all
})
