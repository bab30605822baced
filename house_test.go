// Package whatis holds the tests of the house as a whole.
package whatis

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/app"
)

const module = "example.com/whatis/"

// imports says which packages of this module each package may import. Nothing
// calls upwards, and rooms never import each other.
var imports = map[string][]string{
	"function":          {"internal/app", "internal/analyze/batch", "internal/analyze/intake", "internal/server", "internal/trace"},
	"function/cmd":      {"function", "internal/app", "internal/server"},
	"function/pressure": {},
	"function/siege":    {},

	"internal/server":     {"internal/trace"},
	"internal/trace":      {},
	"internal/trace/otlp": {"internal/trace"},
	"internal/app": {"internal/analyze", "internal/api", "internal/analyze/batch", "internal/blob", "internal/catalog", "internal/gemini",
		"internal/analyze/intake", "internal/admission", "internal/spend", "internal/topic", "internal/trace", "internal/trace/otlp", "internal/work"},
	"internal/api":            {"internal/agent", "internal/analyze", "internal/api/page", "internal/analyze/batch", "internal/blob", "internal/gemini", "internal/analyze/intake", "internal/admission", "internal/photo", "internal/public", "internal/work"},
	"internal/api/page":       {},
	"internal/analyze/batch":  {"internal/analyze", "internal/blob", "internal/catalog", "internal/analyze/intake", "internal/photo", "internal/photo/phash", "internal/public", "internal/topic", "internal/work"},
	"internal/analyze/intake": {"internal/agent", "internal/analyze", "internal/blob", "internal/catalog", "internal/digest", "internal/photo/phash", "internal/gemini", "internal/admission", "internal/journal", "internal/photo", "internal/public", "internal/run", "internal/topic", "internal/trace", "internal/work"},
	"internal/expiry":         {"internal/fold"},
	"internal/analyze":        {"internal/admission", "internal/expiry", "internal/photo/barcode", "internal/agent", "internal/agent/llm", "internal/catalog", "internal/fold", "internal/gemini", "internal/gs1", "internal/photo", "internal/public"},
	"internal/agent":          {"internal/trace"},
	"internal/agent/llm":      {"internal/agent", "internal/gemini"},
	"internal/journal":        {"internal/gemini"},
	"internal/public":         {},
	"internal/digest":         {},
	"internal/run":            {"internal/admission", "internal/blob", "internal/gemini", "internal/journal", "internal/topic", "internal/work"},
	"internal/gemini":         {"internal/trace"},
	"internal/catalog":        {"internal/fold", "internal/gs1"},
	"internal/photo":          {},

	"internal/photo/barcode": {"internal/gs1"},
	"internal/photo/phash":   {},

	"internal/blob":      {"internal/public"},
	"internal/admission": {},
	"internal/spend":     {},
	"internal/topic":     {},
	"internal/work":      {"internal/public"},
	"internal/fold":      {},
	"internal/gs1":       {},

	"scripts/bench": {"emulators/firestore", "emulators/samples", "emulators/storage", "internal/catalog", "internal/photo/barcode"},
	"scripts/whatisit": {"internal/app", "internal/agent", "internal/analyze", "internal/analyze/batch", "internal/analyze/intake",
		"internal/expiry", "internal/photo", "internal/photo/barcode", "internal/photo/phash", "internal/gs1", "internal/public",
		"internal/catalog", "emulators/firestore", "emulators/gemini", "emulators/pubsub", "emulators/samples", "emulators/storage"},

	"emulators":           {"emulators/eventarc", "emulators/firestore", "emulators/gemini", "emulators/pubsub", "emulators/samples", "emulators/storage", "function", "internal/app", "internal/server"},
	"emulators/emulate":   {"emulators/eventarc", "emulators/firestore", "emulators/gemini", "emulators/pubsub", "emulators/storage"},
	"emulators/eventarc":  {"emulators/pubsub", "emulators/storage"},
	"emulators/firestore": {},
	"emulators/gemini":    {"emulators/samples"},
	"emulators/pubsub":    {},
	"emulators/samples":   {},
	"emulators/storage":   {},
}

// outside says which packages may import a module that must stay in its place.
var outside = map[string][]string{
	"go.opentelemetry.io/otel":            {"internal/trace", "internal/trace/otlp"},
	"go.opentelemetry.io/otel/trace":      {"internal/trace"},
	"go.opentelemetry.io/otel/sdk/trace":  {"internal/trace/otlp"},
	"google.golang.org/genai":             {"internal/gemini"},
	"github.com/gen2brain/jpegn":          {"internal/photo"},
	apiMessages:                           {"emulators/gemini"},
	vertexMessages:                        {"emulators/gemini"},
	"cloud.google.com/go/firestore":       {"scripts/bench", "internal/app", "internal/analyze/batch", "internal/catalog", "internal/spend", "internal/work", "emulators/emulate"},
	"cloud.google.com/go/pubsub/v2/apiv1": {"internal/app", "internal/topic"},
	"cloud.google.com/go/pubsub/v2":       {"emulators/emulate"},
	"cloud.google.com/go/storage":         {"internal/app", "internal/blob", "emulators/emulate"},
	"github.com/GoogleCloudPlatform/functions-framework-go/functions":     {"function"},
	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework": {"internal/server"},
}

// Google's own messages of its models' calls, 9 MB in a binary. The emulator
// judges requests by them; what is deployed has no use for them.
const (
	apiMessages    = "cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	vertexMessages = "cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
)

// The command line is not listed: it has the emulators in it, for --emulated.
func TestDeployedCodeHasNoMessages(t *testing.T) {
	for _, p := range packages(t, "./internal/...", "./function", "./function/cmd") {
		for _, message := range []string{apiMessages, vertexMessages} {
			if slices.Contains(p.Deps, message) {
				t.Errorf("%s depends on %s, which only the emulators may", p.ImportPath, message)
			}
		}
	}
}

// The README's table names every variable that the configuration reads.
func TestREADMENamesEveryVariable(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	fields := reflect.TypeFor[app.Config]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("env"), ",")
		if name != "K_SERVICE" && !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("README.md does not name %s, which Config.%s reads", name, fields.Field(i).Name)
		}
	}
}

// A listed is a package as go list prints it, tests aside.
type listed struct {
	ImportPath string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

func TestImports(t *testing.T) {
	for _, p := range packages(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if len(p.GoFiles) == 0 {
			continue
		}
		allowed, ok := imports[name]
		if !ok {
			t.Errorf("%s has no place in the table of imports", name)
			continue
		}
		for _, i := range p.Imports {
			if own, ok := strings.CutPrefix(i, module); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which it may not", name, own)
			}
			if only, ok := outside[i]; ok && !slices.Contains(only, name) {
				t.Errorf("%s imports %s, which only %q may", name, i, only)
			}
		}
	}
}

func packages(t *testing.T, patterns ...string) []listed {
	t.Helper()
	args := append([]string{"list", "-json=ImportPath,GoFiles,Imports,Deps"}, patterns...)
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
