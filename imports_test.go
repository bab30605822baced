package whatis

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
)

const module = "example.com/whatis/"

// layers lists the packages of this module from the top to the bottom: a package imports
// only packages further down the list. Shared packages import no agent, and an agent
// imports no other agent.
var layers = []struct {
	name     string
	packages []string
}{
	{"programs", []string{"emulators", "function/cmd", "function/siege", "docs", "scripts/bench", "scripts/count", "scripts/readme", "scripts/release", "scripts/prove", "scripts/mutate", "scripts/tfvars", "scripts/whatisit", "scripts/whatisit/accuracy", "scripts/whatisit/relevance"}},
	{"entry points and wiring", []string{".", "function", "internal/app", "internal/api", "internal/api/a2a", "internal/api/asked", "internal/api/mcp", "internal/api/page"}},
	{"agent analyze", []string{"internal/analyze/batch", "internal/analyze/intake", "internal/analyze", "internal/analyze/expiry", "internal/analyze/gtindirectory"}},
	{"agent search", []string{"internal/search", "internal/search/index", "internal/search/query"}},
	{"agent forecast", []string{"internal/forecast", "internal/forecast/openweather", "internal/forecast/speech"}},
	{"agent discover", []string{"internal/discover", "internal/discover/places", "internal/discover/webdoc"}},
	{"catalogue and photos", []string{"internal/catalog/review", "internal/catalog", "internal/photo/barcode", "internal/photo/phash", "internal/photo", "internal/photo/turn", "internal/gs1"}},
	{"platform", []string{"internal/agent", "internal/jobs/jobstest", "internal/jobs", "internal/jobs/queue", "internal/web", "internal/web/caller/callertest", "internal/web/caller", "internal/gemini", "internal/session", "internal/trace/otlp", "internal/trace", "internal/fetch", "internal/blob", "internal/spend", "internal/admission", "internal/money", "internal/spreadsheet", "internal/textfold", "internal/store", "internal/outage", "internal/usererror"}},
	{"emulators, which import nothing of internal", []string{"emulators/emulate", "emulators/ollama/ollamatest", "emulators/answers", "emulators/eventarc", "emulators/firestore", "emulators/ollama", "emulators/gemini", "emulators/gemini/geminitest", "emulators/goldens", "emulators/openfoodfacts", "emulators/openweather", "emulators/pubsub", "emulators/realdata", "emulators/replay", "emulators/running", "emulators/samples", "emulators/site", "emulators/storage"}},
}

// outside says which packages may import a module that others may not depend on.
var outside = map[string][]string{
	"go.opentelemetry.io/otel":            {"internal/trace", "internal/trace/otlp"},
	"go.opentelemetry.io/otel/trace":      {"internal/trace"},
	"go.opentelemetry.io/otel/sdk/trace":  {"internal/trace/otlp"},
	"modernc.org/sqlite":                  {"internal/search/index"},
	ollamaAPI:                             {"emulators/ollama", "emulators/ollama/ollamatest"},
	"google.golang.org/genai":             {"internal/agent", "internal/analyze", "internal/forecast", "internal/gemini", "internal/search", "internal/session", "emulators/gemini/geminitest"},
	"github.com/gen2brain/jpegn":          {"internal/photo", "internal/photo/turn"},
	adkPage:                               {"emulators"},
	apiMessages:                           {"emulators/gemini"},
	vertexMessages:                        {"emulators/gemini"},
	"cloud.google.com/go/firestore":       {"scripts/bench", "internal/app", "internal/analyze/batch", "internal/analyze/intake", "internal/api/a2a", "internal/api/asked", "internal/catalog", "internal/discover", "internal/catalog/review", "internal/session", "internal/spend", "internal/store", "internal/jobs", "internal/jobs/jobstest", "emulators/emulate"},
	"cloud.google.com/go/pubsub/v2/apiv1": {"internal/app", "internal/jobs/queue", "scripts/whatisit"},
	"cloud.google.com/go/pubsub/v2":       {"emulators/emulate"},
	"cloud.google.com/go/storage":         {"internal/blob", "emulators/emulate", "scripts/whatisit"},
	"github.com/GoogleCloudPlatform/functions-framework-go/functions":     {".", "function"},
	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework": {"internal/web"},
}

// Google's own messages of model calls, 9 MB in a binary. The emulator validates
// requests with them; the deployed program does not need them.
const (
	apiMessages    = "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	vertexMessages = "cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
)

// ollamaAPI are the types and the client of Ollama: deployed programs ask no local model.
const ollamaAPI = "github.com/ollama/ollama/api"

// ADK's own page, another 10 MB, is only for development.
const adkPage = "google.golang.org/adk/v2/cmd/launcher/web/webui"

// The command line is not listed: it has the emulators in it, for --emulated.
func TestDeployedCodeIsFreeOfTheEmulators(t *testing.T) {
	for _, p := range packages(t, "./internal/...", "./function", "./function/cmd") {
		for _, emulated := range []string{apiMessages, vertexMessages, ollamaAPI, adkPage} {
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
		name := p.name()
		_, text, ok := strings.Cut(strings.TrimPrefix(p.Doc, "Package "), " ")
		if !ok && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", name)
		}
		synopsis[name] = strings.TrimPrefix(text, path.Base(name)+" ")
	}
	table := "| package | what it does |\n| --- | --- |\n"
	for _, l := range layers {
		table += fmt.Sprintf("| **%s** | |\n", l.name)
		for _, p := range l.packages {
			table += fmt.Sprintf("| [%s](../%s) | %s |\n", p, p, synopsis[p])
		}
	}
	docs.Section(t, "architecture.md", "packages", table)
}

// A listed is a package as go list prints it, without its tests.
type listed struct {
	ImportPath string
	Dir        string
	Doc        string // the first sentence of its documentation
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// name returns where the package is below the module's root, or "." for the root.
func (p listed) name() string {
	if p.ImportPath+"/" == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module)
}

func TestImports(t *testing.T) {
	at, layer := map[string]int{}, map[string]string{}
	for _, l := range layers {
		for _, p := range l.packages {
			at[p], layer[p] = len(at), l.name
		}
	}
	found := map[string]bool{}
	isAgent := func(p string) bool { return strings.HasPrefix(layer[p], "agent ") }
	for _, p := range packages(t, "./...") {
		name := p.name()
		found[name] = true
		if _, ok := at[name]; !ok && len(p.GoFiles) > 0 {
			t.Errorf("%s is in no layer", name)
		}
		for _, i := range p.Imports {
			if only, ok := outside[i]; ok && !slices.Contains(only, name) {
				t.Errorf("%s imports %s, which only %q may", name, i, only)
			}
			own, ok := strings.CutPrefix(i, module)
			switch {
			case !ok:
			case at[own] < at[name]:
				t.Errorf("%s imports %s, which is in a higher layer", name, own)
			case layer[own] != layer[name] && isAgent(own) && isAgent(name):
				t.Errorf("%s imports %s: an agent must not import another", name, own)
			}
		}
	}
	for p := range at {
		if !found[p] {
			t.Errorf("the layers list %s, which is no package", p)
		}
	}
}

// Prices are compared and added in internal/money alone, which knows that currencies have no order among
// them. What is first copied to a number of its own is not seen.
func TestPricesAreMoney(t *testing.T) {
	amount := func(e ast.Expr) bool {
		field, ok := e.(*ast.SelectorExpr)
		return ok && field.Sel.Name == "Amount"
	}
	for _, p := range packages(t, "./internal/...", "./function/...", "./scripts/...") {
		for _, file := range p.GoFiles {
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, filepath.Join(p.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				var bare bool
				switch n := n.(type) {
				case *ast.BinaryExpr:
					bare = amount(n.X) || amount(n.Y)
				case *ast.CallExpr:
					of, _ := n.Fun.(*ast.Ident)
					by, _ := n.Fun.(*ast.SelectorExpr)
					bare = (of != nil && (of.Name == "min" || of.Name == "max") || by != nil && by.Sel.Name == "Compare") && slices.ContainsFunc(n.Args, amount)
				case *ast.Field:
					of, _ := n.Type.(*ast.Ident)
					bare = of != nil && of.Name == "float64" && slices.ContainsFunc(n.Names, func(name *ast.Ident) bool { return name.Name == "Price" || name.Name == "Amount" })
				}
				if bare && p.name() != "internal/money" {
					t.Errorf("%s: a price is a number: make it money.Money, and compare it as that", files.Position(n.Pos()))
				}
				return true
			})
		}
	}
}

func packages(t *testing.T, patterns ...string) []listed {
	t.Helper()
	args := append([]string{"list", "-json=ImportPath,Dir,Doc,GoFiles,Imports,Deps"}, patterns...)
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
