package discover

import (
	_ "embed"
	"slices"
	"strings"

	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// The names by which the same subsector is told in every language, for the extractor's instruction: of a
// country or region those of the IPCC 2006 guidelines, of a city those of the GPC, by which cities
// report to CDP-ICLEI Track and the Global Covenant of Mayors.
var (
	//go:embed subsectors.md
	subsectorNames string
	//go:embed subsectors_city.md
	citySubsectorNames string
)

func (t Target) subsectorNames() string {
	if t.Mode == modeCity {
		return citySubsectorNames
	}
	return subsectorNames
}

// subsectorsOf are those names of a sector.
func (t Target) subsectorsOf(sector string) []string {
	_, names, _ := strings.Cut(t.subsectorNames(), "- "+sector+": ")
	names, _, _ = strings.Cut(names, "\n")
	return strings.Split(names, "; ")
}

// A Subsector is one that a dataset covers.
type Subsector struct {
	Printed string `json:"printed"` // as the quote prints it
	Sector  string `json:"sector"`
	Label   string `json:"english_name"` // its English name, the same for all languages
}

// subsectors are those of a dataset that have a label.
func (d dataset) subsectors() (all []Subsector) {
	for i, printed := range d.Subsectors[:min(len(d.Subsectors), len(d.Labels))] {
		if sector, label, ok := strings.Cut(d.Labels[i], ":"); ok {
			all = append(all, Subsector{printed, strings.TrimSpace(sector), strings.TrimSpace(label)})
		}
	}
	return all
}

// printed returns the subsectors of those sectors whose words a text prints, each label once.
func printed(all []Subsector, prints func(words string) bool, of []string) (named []Subsector) {
	for _, one := range all {
		one.Label = strings.ToLower(usererror.Short(oneLine(one.Label), 60))
		known := slices.ContainsFunc(named, func(o Subsector) bool { return o.Sector == one.Sector && sameLabel(o.Label, one.Label) })
		if textfold.String(one.Label) != "" && prints(one.Printed) && slices.Contains(of, one.Sector) && !known {
			named = append(named, one)
		}
	}
	return named
}

func sameLabel(a, b string) bool { return textfold.String(a) == textfold.String(b) }

// labels returns the names of subsectors as "a; b".
func labels(of []Subsector) string {
	var all []string
	for _, one := range of {
		all = append(all, one.Label)
	}
	return strings.Join(all, "; ")
}
