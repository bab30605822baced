package search

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"example.com/whatis/internal/search/query"
)

//go:embed materials.json
var materials []byte

// A Material is information about a material of frames or lenses.
type Material struct {
	Code  string   `json:"code"`
	Facet string   `json:"facet"` // the facet with that code; "" if none, as for lenses
	Also  []string `json:"also"`  // its names, if it belongs to no facet
	En    string   `json:"en"`
	Vi    string   `json:"vi"`
}

// ParseMaterials decodes a list of materials.
func ParseMaterials(data []byte) (all []Material, err error) {
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("search: materials: %w", err)
	}
	return all, nil
}

// materialOf returns the material that a query is about: one that it names, else one that
// products must have; nil if there is none.
func (p *Pipeline) materialOf(s *state) *Material {
	for i, m := range p.Materials {
		names := query.Phrases{}
		for _, name := range m.Also {
			names.Add(name, query.Code{})
		}
		if _, ok := names.In(s.query); ok {
			return &p.Materials[i]
		}
	}
	for i, m := range p.Materials {
		if codes := s.want.Is[m.Facet]; len(codes) > 0 && codes[0] == m.Code {
			return &p.Materials[i]
		}
	}
	return nil
}

// source returns the source of a quote of m.
func (m Material) source() string { return "materials.json#" + m.Code }
