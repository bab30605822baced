package discover

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"example.com/whatis/internal/fetch"
)

//go:embed portals.json
var portalsFile []byte

// A Portal is a page on which an official publisher lists its data.
type Portal struct {
	Country string   `json:"country"`           // ISO 3166-1; "" means all
	Sectors []string `json:"sectors,omitempty"` // empty means all
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Source  string   `json:"source"`  // of the address
	Checked string   `json:"checked"` // when it was opened last; "" is never
}

// Serves reports that a portal may have data of the sectors. An international portal
// has data of whole countries only: whole says that the target is a country.
func (p Portal) Serves(country string, whole bool, sectors []string) bool {
	here := p.Country == "" && whole || p.Country == country
	return here && (len(p.Sectors) == 0 || slices.ContainsFunc(p.Sectors, func(s string) bool { return slices.Contains(sectors, s) }))
}

// Portals returns the portals of portals.json, with canonical addresses.
var Portals = sync.OnceValue(func() []Portal {
	all, err := ReadPortals(portalsFile)
	if err != nil {
		panic(fmt.Sprintf("discover: portals.json: %v", err)) // a mistake in the program
	}
	return canonical(all)
})

// canonical returns portals with canonical addresses, as pages have them.
func canonical(all []Portal) []Portal {
	all = slices.Clone(all)
	for i := range all {
		if address, err := fetch.Canonical(all[i].URL); err == nil {
			all[i].URL = address
		}
	}
	return all
}

// PortalsFile returns portals.json.
func PortalsFile() []byte { return slices.Clone(portalsFile) }

// ReadPortals reads a file of portals, each of which has a name and an address.
func ReadPortals(file []byte) (all []Portal, err error) {
	if err := json.Unmarshal(file, &all); err != nil {
		return nil, fmt.Errorf("want a list of {country, name, url, source, checked}: %w", err)
	}
	for i, p := range all {
		if p.Name == "" || p.URL == "" {
			return nil, fmt.Errorf("portal %d has no name or no url", i+1)
		}
	}
	return all, nil
}
