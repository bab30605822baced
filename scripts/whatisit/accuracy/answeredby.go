package accuracy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/whatis/internal/gemini"
)

// Models are the sorts of models that answer, which determine what figures may be called.
type Models string

// The sorts of models.
const (
	Emulated Models = "emulated" // no real model: the figures guard against regressions
	Recorded Models = "recorded" // answers that somebody gave once: the figures are the prompts' and the code's
	Local    Models = "local"    // on one's own machine: accuracy, though not that of Google's
	Real     Models = "real"
)

// AnsweredBy says who answered a run.
type AnsweredBy struct {
	Models Models `json:"models"`
	// LocalModels are the names of the local models that answered.
	LocalModels []string `json:"local_models,omitempty"`
	// MemoryBytes is how much memory each local model took when the run ended, by name. It is
	// known only of a run in this process.
	MemoryBytes map[string]int64 `json:"memory_bytes,omitempty"`
}

// answeredBy tells from the settings and the warnings of results who answered.
func answeredBy(s Settings, shots []Shot) AnsweredBy {
	warned := func(code string) bool {
		return slices.ContainsFunc(shots, func(s Shot) bool { return slices.Contains(s.Warnings, code) })
	}
	switch {
	case s.Model == "recorded":
		return AnsweredBy{Models: Recorded}
	case slices.Contains([]string{"none", "perfect", "emulated"}, s.Model) || warned(gemini.WarnEmulated):
		return AnsweredBy{Models: Emulated}
	case s.Model == "local" || warned(gemini.WarnLocal):
		return AnsweredBy{Models: Local, LocalModels: localModels(shots)}
	}
	return AnsweredBy{Models: Real}
}

// localModels returns the versions that answered. An embedding model says none.
func localModels(shots []Shot) []string {
	names := map[string]bool{}
	for _, s := range shots {
		for model, version := range s.Models {
			if version != model {
				names[version] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// means says what the figures of a run may be called.
func (a AnsweredBy) means() string {
	switch {
	case a.Models == Emulated:
		return "a regression guard: no real model answered, and this is no accuracy"
	case a.Models == Recorded:
		return "what prompts and code make of recorded answers: no model answered, and this is no accuracy"
	case a.Models == Local && len(a.LocalModels) == 0:
		return "accuracy on these photos, by a local model"
	case a.Models == Local:
		return "accuracy on these photos, by the local model " + strings.Join(a.LocalModels, " and ")
	}
	return "accuracy on these photos"
}

// Memory returns how much memory models take, for people; "" if that is not known.
func Memory(bytes map[string]int64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(bytes)) {
		all = append(all, fmt.Sprintf("%s %.1f GB", name, float64(bytes[name])/1e9))
	}
	return strings.Join(all, ", ")
}
