package gemini

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// modelsJSON is the one table of what Google says of its models and changes: prices, the flex
// tier, locations, days of retirement, free limits. Each fact has the day on which it was read,
// and where.
//
//go:embed models.json
var modelsJSON []byte

// knownModels is modelsJSON.
var knownModels = readModels(modelsJSON)

type modelTable struct {
	Facts          map[string]fact  `json:"facts"`
	FlexFactor     float64          `json:"flex_factor"`     // price of a token at the flex tier, relative to standard
	RegionalFactor float64          `json:"regional_factor"` // at an endpoint of Vertex AI other than global, relative to it
	Models         map[string]known `json:"models"`
}

// fact says when a column of the table was read, what it holds, and whose pages said so.
type fact struct {
	Read day      `json:"read"`
	Of   string   `json:"of"`
	By   []string `json:"by"`
}

// known is what is known of a model.
type known struct {
	For           kind     `json:"for"`
	Flex          bool     `json:"flex"`
	Locations     []string `json:"locations"` // of Vertex AI; "region" is any single region
	GeminiAPIEnds day      `json:"gemini_api_ends"`
	VertexEnds    day      `json:"vertex_ends"`
	FreePerMinute int      `json:"free_per_minute"` // 0: not known
	FreePerDay    int      `json:"free_per_day"`
	Prices        []price  `json:"prices"` // oldest first; none: not known
}

// kind is what a model is for.
type kind string

const (
	generating kind = "generate"
	embedding  kind = "embed"
	speaking   kind = "speak"
)

// locationSetting names the variable that says where models of a kind are asked. A kind of job
// that is none of these generates.
func (k kind) locationSetting() string {
	switch k {
	case embedding:
		return "EMBEDDING_LOCATION"
	case speaking:
		return "SPEECH_LOCATION"
	}
	return "GOOGLE_CLOUD_LOCATION"
}

// day is a date in UTC.
type day struct{ time.Time }

func (d *day) UnmarshalJSON(text []byte) (err error) {
	d.Time, err = time.Parse(`"`+time.DateOnly+`"`, string(text))
	return err
}

func readModels(data []byte) (t modelTable) {
	if err := json.Unmarshal(data, &t); err != nil {
		panic(fmt.Sprintf("models.json: %v", err)) // it is part of the program
	}
	return t
}

// factsLast is after how many days a fact has to be read again.
const factsLast = 90

// OldFacts names what of the table of models is older than 90 days on a day.
func OldFacts(now time.Time) (old []string) {
	for _, name := range slices.Sorted(maps.Keys(knownModels.Facts)) {
		if f := knownModels.Facts[name]; now.Sub(f.Read.Time) > factsLast*24*time.Hour {
			old = append(old, fmt.Sprintf("%s, read on %s: see %s", name, f.Read.Format(time.DateOnly), strings.Join(f.By, "; ")))
		}
	}
	return old
}

// locationsOf returns the locations of Vertex AI where a model is said to be, and the day from
// which it is gone there. listed is false for a model of which nothing is known.
func locationsOf(model string) (locations []string, ends time.Time, listed bool) {
	k, ok := knownModels.Models[baseName(model)]
	return k.Locations, k.VertexEnds.Time, ok
}

// LacksHere says why a model that has a location of its own, or "", cannot be called where it is
// configured to be; "" if it can.
func LacksHere(model, location string) string {
	if !wantsVertex() {
		return ""
	}
	return LacksModel(model, cmp.Or(location, vertexLocation()))
}

// LacksModel says why a model is not to be had at a location of Vertex AI, and where it is;
// "" if it is, and if nothing is known of the model.
func LacksModel(model, location string) string {
	locations, ends, listed := locationsOf(model)
	class := location
	if location != "global" && location != "us" && location != "eu" {
		class = "region"
	}
	switch {
	case !listed || slices.Contains(locations, class):
		return ""
	case !ends.IsZero():
		return fmt.Sprintf("Vertex AI has retired %s on %s", baseName(model), ends.Format(time.DateOnly))
	}
	return fmt.Sprintf("%s has no %s, which is at %s (as read on %s; internal/gemini/models.json)", location, baseName(model),
		strings.Join(locations, ", "), knownModels.Facts["locations"].Read.Format(time.DateOnly))
}

// Retired returns the day from which a model is gone on the configured backend, zero if none is
// announced.
func Retired(model string) time.Time {
	k := knownModels.Models[baseName(model)]
	if wantsVertex() {
		return k.VertexEnds.Time
	}
	return k.GeminiAPIEnds.Time
}
