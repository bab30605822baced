package whatis

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/app"
)

// Terraform sets every variable that the configuration reads, and no other.
func TestTerraformSetsEveryVariable(t *testing.T) {
	text, err := os.ReadFile("terraform/services.tf")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s+([A-Z][A-Z0-9_]+)\s+= `).FindAllStringSubmatch(string(text), -1) {
		set[m[1]] = true
	}
	// Not of Config: the SDK's of the model, and the framework's.
	for _, other := range []string{"FUNCTION_TARGET", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"} {
		if !set[other] {
			t.Errorf("terraform/services.tf does not set %s", other)
		}
		delete(set, other)
	}
	for name, field := range variables(reflect.TypeFor[app.Config]()) {
		if name != "K_SERVICE" && !set[name] {
			t.Errorf("terraform/services.tf does not set %s, which Config's %s reads", name, field)
		}
		delete(set, name)
	}
	for _, provisioner := range []string{"SERVICE", "REGION", "PROJECT"} {
		delete(set, provisioner)
	}
	if len(set) > 0 {
		t.Errorf("terraform/services.tf sets %q, which nothing reads", slices.Sorted(maps.Keys(set)))
	}
}

// Terraform makes the indexes that the code's queries need, and no others. Every test with
// the Firestore emulator checks its own queries against them as well.
func TestTerraformMakesEveryIndex(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	if err := app.Queries(t.Context(), w.FirestoreClient(t)); err != nil {
		t.Fatal(err)
	}
	declared, err := emulate.Declared()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range w.Firestore.Indexes() {
		if !slices.ContainsFunc(declared, func(d firestore.Index) bool { return emulate.Serves(d, n) }) {
			t.Errorf("terraform/firestore.tf makes no index %s", n)
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(w.Firestore.Indexes(), func(n firestore.Index) bool { return emulate.Serves(d, n) }) {
			t.Errorf("terraform/firestore.tf makes the index %s, which no query needs", d)
		}
	}
}

// Terraform indexes the single fields that the code's queries ask for, and no
// other.
func TestTerraformIndexesEveryField(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	if err := app.Queries(t.Context(), w.FirestoreClient(t)); err != nil {
		t.Fatal(err)
	}
	declared, collections, err := emulate.Indexed()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range w.Firestore.Fields() {
		if collection, _, _ := strings.Cut(f, "."); !slices.Contains(collections, collection) {
			t.Errorf("terraform/firestore.tf has no entry for the collection %s in indexed", collection)
		}
	}
	slices.Sort(declared)
	var asked []string
	for _, f := range w.Firestore.Fields() { // a field of a map is indexed as the map is
		parts := strings.SplitN(f, ".", 3)
		asked = append(asked, strings.Join(parts[:2], "."))
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); !slices.Equal(asked, declared) {
		t.Errorf("queries ask for %q, and terraform/firestore.tf indexes %q", asked, declared)
	}
}

// variables returns the fields of a configuration, by the variable that each reads.
func variables(config reflect.Type) map[string]string {
	all := map[string]string{}
	for i := range config.NumField() {
		f := config.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
		if name != "" {
			all[name] = config.Name() + "." + f.Name
			continue
		}
		maps.Copy(all, variables(f.Type))
	}
	return all
}
