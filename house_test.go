// Package whatis holds the tests of the house as a whole.
package whatis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
)

const module = "example.com/whatis/"

// imports says which packages of this module each package imports, from the top of
// the house to its ground: a package imports only what stands further down. The
// platform knows no room, and rooms do not know each other.
var imports = []struct {
	name string
	may  []string
}{
	// programs
	{"emulators", []string{"emulators/eventarc", "emulators/firestore", "emulators/gemini", "emulators/minds", "emulators/openweather", "emulators/pubsub", "emulators/replay", "emulators/samples", "emulators/site", "emulators/storage", "function", "internal/app", "internal/catalog"}},
	{"function/cmd", []string{"function"}},
	{"function/pressure", nil},
	{"function/siege", nil},
	{"docs", nil},
	{"scripts/bench", []string{"emulators/firestore", "emulators/samples", "emulators/storage", "internal/catalog", "internal/photo/barcode"}},
	{"scripts/readme", nil},
	{"scripts/rename", nil},
	{"scripts/prove", []string{"scripts/whatisit/accuracy", "emulators/firestore", "emulators/replay", "emulators/samples", "emulators/storage", "internal/agent", "internal/analyze", "internal/analyze/intake", "internal/app", "internal/catalog", "internal/gemini", "internal/skill"}},
	{"scripts/mutate", nil},
	{"scripts/whatisit", []string{"scripts/whatisit/accuracy", "scripts/whatisit/relevance", "emulators/firestore", "emulators/gemini", "emulators/minds", "emulators/openweather", "emulators/pubsub", "emulators/samples", "emulators/site", "emulators/storage", "internal/agent", "internal/analyze", "internal/analyze/batch", "internal/analyze/intake", "internal/app", "internal/blob", "internal/catalog", "internal/discover", "internal/expiry", "internal/fetch", "internal/gemini", "internal/gs1", "internal/photo", "internal/photo/barcode", "internal/photo/phash", "internal/portal", "internal/public", "internal/search", "internal/task", "internal/topic"}},
	{"scripts/whatisit/accuracy", []string{"emulators/samples", "internal/analyze", "internal/analyze/intake", "internal/fold", "internal/gs1", "internal/photo"}},
	{"scripts/whatisit/relevance", []string{"emulators/samples", "internal/fold", "internal/search"}},

	// the front door and the wiring
	{"function", []string{"internal/analyze/intake", "internal/app", "internal/server", "internal/task", "internal/trace", "internal/web"}},
	{"internal/server", nil},
	{"internal/app", []string{"internal/admission", "internal/analyze", "internal/analyze/batch", "internal/analyze/intake", "internal/api", "internal/api/a2a", "internal/blob", "internal/catalog", "internal/discover", "internal/fetch", "internal/forecast", "internal/gemini", "internal/gtindirectory", "internal/lazy", "internal/photo", "internal/portal", "internal/prompt", "internal/review", "internal/search", "internal/session", "internal/skill", "internal/spend", "internal/task", "internal/topic", "internal/trace", "internal/trace/otlp", "internal/weather", "internal/work"}},
	{"internal/api", []string{"internal/admission", "internal/agent", "internal/analyze", "internal/analyze/batch", "internal/analyze/intake", "internal/api/a2a", "internal/api/docs", "internal/api/mcp", "internal/api/page", "internal/blob", "internal/catalog", "internal/discover", "internal/forecast", "internal/gemini", "internal/photo", "internal/public", "internal/review", "internal/search", "internal/session", "internal/skill", "internal/weather", "internal/web", "internal/work"}},
	{"internal/api/a2a", []string{"internal/digest", "internal/skill", "internal/store", "internal/web"}},
	{"internal/api/docs", nil},
	{"internal/api/mcp", []string{"internal/agent", "internal/public", "internal/skill", "internal/web"}},
	{"internal/api/page", nil},

	// the room that analyses photos
	{"internal/analyze/batch", []string{"internal/analyze", "internal/analyze/intake", "internal/blob", "internal/catalog", "internal/gemini", "internal/photo", "internal/photo/phash", "internal/public", "internal/run", "internal/skill", "internal/store", "internal/task", "internal/work"}},
	{"internal/analyze/intake", []string{"internal/admission", "internal/agent", "internal/analyze", "internal/blob", "internal/catalog", "internal/digest", "internal/gemini", "internal/photo", "internal/photo/phash", "internal/public", "internal/run", "internal/skill", "internal/topic", "internal/trace", "internal/work"}},
	{"internal/analyze", []string{"internal/admission", "internal/agent", "internal/catalog", "internal/digest", "internal/expiry", "internal/fold", "internal/gemini", "internal/gs1", "internal/journal", "internal/photo", "internal/photo/barcode", "internal/prompt", "internal/public"}},

	// the room that searches the catalogue
	{"internal/search", []string{"internal/admission", "internal/agent", "internal/blob", "internal/catalog", "internal/facet", "internal/fold", "internal/gemini", "internal/gs1", "internal/photo", "internal/photo/barcode", "internal/prompt", "internal/public", "internal/skill"}},

	// the room that says the weather
	{"internal/forecast", []string{"internal/agent", "internal/blob", "internal/digest", "internal/gemini", "internal/prompt", "internal/public", "internal/session", "internal/skill", "internal/speech", "internal/weather", "internal/wording", "internal/work"}},

	// the room that seeks data on emissions
	{"internal/discover", []string{"internal/agent", "internal/archive", "internal/blob", "internal/digest", "internal/emissions", "internal/fetch", "internal/fold", "internal/gemini", "internal/journal", "internal/longrun", "internal/mark", "internal/place", "internal/portal", "internal/prompt", "internal/public", "internal/quote", "internal/skill", "internal/task", "internal/webdoc", "internal/websearch", "internal/work"}},

	// the room that takes corrections
	{"internal/review", []string{"internal/catalog", "internal/gs1", "internal/public", "internal/store"}},

	// the platform
	{"internal/longrun", []string{"internal/agent", "internal/blob", "internal/public", "internal/run", "internal/store", "internal/task", "internal/work"}},
	{"internal/run", []string{"internal/admission", "internal/blob", "internal/gemini", "internal/journal", "internal/public", "internal/store", "internal/topic", "internal/work"}},
	{"internal/skill", nil},
	{"internal/task", []string{"internal/topic"}},
	{"internal/web", []string{"internal/admission", "internal/public"}},
	{"internal/prompt", []string{"internal/agent", "internal/gemini", "internal/journal"}},
	{"internal/agent", []string{"internal/trace"}},
	{"internal/journal", []string{"internal/gemini"}},
	{"internal/speech", []string{"internal/gemini"}},
	{"internal/gemini", []string{"internal/trace"}},
	{"internal/session", []string{"internal/digest", "internal/public", "internal/store"}},
	{"internal/trace/otlp", []string{"internal/trace"}},
	{"internal/trace", []string{"internal/public"}},
	{"internal/work", []string{"internal/public", "internal/store"}},
	{"internal/archive", []string{"internal/blob", "internal/fetch", "internal/webdoc"}},
	{"internal/blob", []string{"internal/public"}},
	{"internal/topic", nil},
	{"internal/spend", []string{"internal/store"}},
	{"internal/mark", []string{"internal/store"}},
	{"internal/admission", nil},
	{"internal/lazy", nil},

	// what it stands on
	{"internal/catalog", []string{"internal/digest", "internal/fold", "internal/gs1", "internal/store"}},
	{"internal/gtindirectory", nil},
	{"internal/weather", []string{"internal/fold", "internal/public"}},
	{"internal/wording", nil},
	{"internal/photo/barcode", []string{"internal/gs1"}},
	{"internal/photo/phash", nil},
	{"internal/photo", nil},
	{"internal/place", []string{"internal/fold", "internal/public"}},
	{"internal/emissions", []string{"internal/fold"}},
	{"internal/websearch", []string{"internal/fetch", "internal/public"}},
	{"internal/portal", []string{"internal/fetch"}},
	{"internal/webdoc", []string{"internal/fetch", "internal/public"}},
	{"internal/fetch", []string{"internal/public"}},
	{"internal/expiry", nil},
	{"internal/facet", []string{"internal/fold"}},
	{"internal/gs1", nil},
	{"internal/quote", []string{"internal/fold"}},
	{"internal/fold", nil},
	{"internal/digest", nil},
	{"internal/store", []string{"internal/public"}},
	{"internal/public", nil},

	// the emulators know nothing of the house
	{"emulators/emulate", []string{"emulators/eventarc", "emulators/firestore", "emulators/gemini", "emulators/minds", "emulators/openweather", "emulators/pubsub", "emulators/storage", "terraform"}},
	{"emulators/minds", []string{"emulators/gemini", "emulators/samples", "emulators/site"}},
	{"emulators/eventarc", []string{"emulators/pubsub", "emulators/storage"}},
	{"emulators/firestore", nil},
	{"emulators/gemini", nil},
	{"emulators/goldens", nil},
	{"emulators/openfoodfacts", nil},
	{"emulators/openweather", nil},
	{"emulators/pubsub", nil},
	{"emulators/realdata", nil},
	{"emulators/replay", nil},
	{"emulators/samples", nil},
	{"emulators/site", nil},
	{"emulators/storage", nil},
	{"terraform", nil},
}

// outside says which packages may import a module that must stay in its place.
var outside = map[string][]string{
	"go.opentelemetry.io/otel":            {"internal/trace", "internal/trace/otlp"},
	"go.opentelemetry.io/otel/trace":      {"internal/trace"},
	"go.opentelemetry.io/otel/sdk/trace":  {"internal/trace/otlp"},
	"google.golang.org/genai":             {"internal/agent", "internal/analyze", "internal/forecast", "internal/gemini", "internal/search", "internal/session"},
	"github.com/gen2brain/jpegn":          {"internal/photo"},
	adkPage:                               {"emulators"},
	apiMessages:                           {"emulators/gemini"},
	vertexMessages:                        {"emulators/gemini"},
	"cloud.google.com/go/firestore":       {"scripts/bench", "internal/app", "internal/analyze/batch", "internal/api/a2a", "internal/catalog", "internal/discover", "internal/longrun", "internal/review", "internal/mark", "internal/session", "internal/spend", "internal/store", "internal/work", "emulators/emulate"},
	"cloud.google.com/go/pubsub/v2/apiv1": {"internal/app", "internal/topic", "scripts/whatisit"},
	"cloud.google.com/go/pubsub/v2":       {"emulators/emulate"},
	"cloud.google.com/go/storage":         {"internal/app", "internal/blob", "emulators/emulate", "scripts/whatisit"},
	"github.com/GoogleCloudPlatform/functions-framework-go/functions":     {"function"},
	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework": {"internal/server"},
}

// Google's own messages of its models' calls, 9 MB in a binary. The emulator
// judges requests by them; what is deployed has no use for them.
const (
	apiMessages    = "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	vertexMessages = "cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
)

// ADK's own page, another 10 MB, is for those who write agents.
const adkPage = "google.golang.org/adk/v2/cmd/launcher/web/webui"

// The command line is not listed: it has the emulators in it, for --emulated.
func TestDeployedCodeIsFreeOfTheEmulators(t *testing.T) {
	for _, p := range packages(t, "./internal/...", "./function", "./function/cmd") {
		for _, emulated := range []string{apiMessages, vertexMessages, adkPage} {
			if slices.Contains(p.Deps, emulated) {
				t.Errorf("%s depends on %s, which only the emulators may", p.ImportPath, emulated)
			}
		}
	}
}

// The list of packages in docs/architecture.md is the table of imports with the first
// sentence of each package's documentation.
func TestDocsPackages(t *testing.T) {
	synopsis := map[string]string{}
	for _, p := range packages(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		_, text, ok := strings.Cut(strings.TrimPrefix(p.Doc, "Package "), " ")
		if !ok && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", name)
		}
		synopsis[name] = strings.TrimPrefix(text, path.Base(name)+" ")
	}
	table := "| package | what it does |\n| --- | --- |\n"
	for _, p := range imports {
		table += fmt.Sprintf("| [%s](../%s) | %s |\n", p.name, p.name, synopsis[p.name])
	}
	docs.Section(t, "architecture.md", "packages", table)
}

// A listed is a package as go list prints it, tests aside.
type listed struct {
	ImportPath string
	Doc        string // the first sentence of its documentation
	GoFiles    []string
	Imports    []string
	Deps       []string
}

func TestImports(t *testing.T) {
	floor := map[string]int{}
	for i, p := range imports {
		floor[p.name] = i
	}
	for _, p := range packages(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.GoFiles) == 0 {
			continue
		}
		at, ok := floor[name]
		if !ok {
			t.Errorf("%s has no place in the table of imports", name)
			continue
		}
		var own []string
		for _, i := range p.Imports {
			if i, ok := strings.CutPrefix(i, module); ok {
				own = append(own, i)
			}
			if only, ok := outside[i]; ok && !slices.Contains(only, name) {
				t.Errorf("%s imports %s, which only %q may", name, i, only)
			}
		}
		checkImports(t, name, own, imports[at].may)
		for _, below := range own {
			if floor[below] < at {
				t.Errorf("%s imports %s, which stands above it in the table", name, below)
			}
		}
	}
}

// checkImports holds what a package imports to what it may, both ways: a permission
// that nothing uses is a door that somebody forgot to close.
func checkImports(t *testing.T, name string, own, may []string) {
	t.Helper()
	for _, i := range own {
		if !slices.Contains(may, i) {
			t.Errorf("%s imports %s, which it may not", name, i)
		}
	}
	for _, i := range may {
		if !slices.Contains(own, i) {
			t.Errorf("%s may import %s and does not: take it out of the table", name, i)
		}
	}
}

func packages(t *testing.T, patterns ...string) []listed {
	t.Helper()
	args := append([]string{"list", "-json=ImportPath,Doc,GoFiles,Imports,Deps"}, patterns...)
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
