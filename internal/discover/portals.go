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
var portalsText []byte

// A Portal is where an official publisher lists its data.
type Portal struct {
	Country string   `json:"country"`           // ISO 3166-1; "" serves all
	Sectors []string `json:"sectors,omitempty"` // none serves all
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Source  string   `json:"source"`  // whence the address is known
	Checked string   `json:"checked"` // when it was opened last; "" is never
}

// serves reports that a portal may have data on a place.
func (p Portal) serves(t Target) bool {
	here := p.Country == "" && t.Mode == modeCountry || p.Country == t.CountryLocode
	return here && (len(p.Sectors) == 0 || slices.ContainsFunc(p.Sectors, func(s string) bool { return slices.Contains(t.Sectors, s) }))
}

// portals are those of portals.json.
var portals = sync.OnceValue(func() []Portal {
	all, err := ReadPortals(portalsText)
	if err != nil {
		panic(fmt.Sprintf("discover: portals.json: %v", err)) // a mistake in the program
	}
	for i := range all {
		if address, err := fetch.Canonical(all[i].URL); err == nil {
			all[i].URL = address
		}
	}
	return all
})

// PortalsFile is the file of portals.
func PortalsFile() []byte { return slices.Clone(portalsText) }

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
