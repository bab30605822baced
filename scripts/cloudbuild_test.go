package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readYAML reads a file of YAML, which may have no other fields than into.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, path)))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// A build is cloudbuild.yaml. A step without waitFor waits for all before it.
type build struct {
	Substitutions map[string]string
	Steps         []buildStep
	Timeout       string
	Options       struct {
		Logging              string
		AutomapSubstitutions bool   `yaml:"automapSubstitutions"`
		MachineType          string `yaml:"machineType"`
	}
}

type buildStep struct {
	ID, Name, Script, Entrypoint, Timeout string
	Args                                  []string
	AllowFailure                          bool `yaml:"allowFailure"`
	Volumes                               []struct{ Name, Path string }
}

// step returns the step with that ID.
func (b build) step(t *testing.T, id string) buildStep {
	t.Helper()
	i := slices.IndexFunc(b.Steps, func(s buildStep) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("cloudbuild.yaml has no step %s", id)
	}
	return b.Steps[i]
}

func TestCloudBuild(t *testing.T) {
	t.Parallel()
	var b build
	readYAML(t, "../cloudbuild.yaml", &b)
	var order []string
	for _, s := range b.Steps {
		order = append(order, s.ID)
	}
	if want := []string{"check", "test", "terraform", "go", "build", "apply", "smoke", "rollback"}; !slices.Equal(order, want) {
		t.Errorf("the steps are %q, want %q", order, want)
	}
	pinned := regexp.MustCompile(`^[a-z./-]+:[0-9]+\.[0-9]+\.[0-9]+(-slim)?$`)
	for i, s := range b.Steps {
		if !pinned.MatchString(s.Name) {
			t.Errorf("step %s has the image %s, want one of one version", s.ID, s.Name)
		}
		if part := i >= 4; part != strings.Contains(s.Script, "scripts/deploy --only "+s.ID+" --notes .notes --yes") {
			t.Errorf("step %s: does that part of scripts/deploy = %v, want %v:\n%s", s.ID, !part, part, s.Script)
		}
		// An apply may wait for indexes, six hours each.
		if d, err := time.ParseDuration(s.Timeout); s.ID == "apply" && (err != nil || d < 7*time.Hour) {
			t.Errorf("step apply has %s, want seven hours: an index is waited for in terraform/firestore.tf", s.Timeout)
		}
		// What may fail is what rollback comes behind, and no more.
		if may := s.ID == "apply" || s.ID == "smoke"; may != s.AllowFailure {
			t.Errorf("step %s may fail = %v, want %v", s.ID, !may, may)
		}
	}
	for _, want := range []string{"go vet ./...", "go test ./..."} {
		if !strings.Contains(b.step(t, "test").Script, want) {
			t.Errorf("step test does not %s", want)
		}
	}
	for _, name := range []string{"_LEARN_FROM_SEARCH", "_REGION", "_COMMIT"} {
		if value, ok := b.Substitutions[name]; !ok || value != "" {
			t.Errorf("%s is %q, %v; want it without a value", name, value, ok)
		}
	}
	if b.Options.Logging != "CLOUD_LOGGING_ONLY" || !b.Options.AutomapSubstitutions {
		t.Errorf("the options are %+v, want logs in Cloud Logging alone, and variables in scripts", b.Options)
	}
}

// The image is built with the commit that the build was given, or with the trigger's.
func TestCloudBuildCommit(t *testing.T) {
	t.Parallel()
	var b build
	readYAML(t, "../cloudbuild.yaml", &b)
	script := b.step(t, "build").Script
	for _, test := range []struct{ given, trigger, want string }{{"a", "b", "a"}, {"", "b", "b"}, {"", "", ""}} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "scripts"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scripts/deploy"), []byte("#!/bin/sh\nprintf %s \"$SOURCE_COMMIT\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "bash", "-c", script)
		c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "_COMMIT=" + test.given, "COMMIT_SHA=" + test.trigger}
		if out, err := c.CombinedOutput(); err != nil || string(out) != test.want {
			t.Errorf("built with the commit %q of %q and %q, %v; want %q", out, test.given, test.trigger, err, test.want)
		}
	}
}

// The scripts in the steps are run as they stand there.
func TestCloudBuildChecks(t *testing.T) {
	t.Parallel()
	var b build
	readYAML(t, "../cloudbuild.yaml", &b)
	script := b.step(t, "check").Script
	for _, test := range []struct {
		region, learn string
		passes        bool
		says          string
	}{
		{"europe-west1", "true", true, ""},
		{"europe-west1", "false", true, ""},
		{"", "true", false, "set _REGION"},
		{"europe-west1", "", false, "set _LEARN_FROM_SEARCH"},
		{"europe-west1", "maybe", false, "set _LEARN_FROM_SEARCH"},
	} {
		c := exec.CommandContext(t.Context(), "bash", "-c", script)
		c.Env = []string{"_REGION=" + test.region, "_LEARN_FROM_SEARCH=" + test.learn}
		out, err := c.CombinedOutput()
		if (err == nil) != test.passes || !strings.Contains(string(out), test.says) {
			t.Errorf("check of %q and %q = %v, %s; want passing %v, %q", test.region, test.learn, err, out, test.passes, test.says)
		}
	}
}

// What is deployed is built as what is tested and measured.
func TestBuildFlags(t *testing.T) {
	t.Parallel()
	var ko struct {
		DefaultBaseImage string   `yaml:"defaultBaseImage"`
		DefaultPlatforms []string `yaml:"defaultPlatforms"`
		Builds           []struct {
			ID, Main            string
			Env, Flags, Ldflags []string
		}
	}
	readYAML(t, "../.ko.yaml", &ko)
	if len(ko.Builds) != 1 || ko.Builds[0].Main != "./function/cmd" || !slices.Equal(ko.Builds[0].Env, []string{"CGO_ENABLED=0"}) {
		t.Fatalf(".ko.yaml builds %+v, want ./function/cmd without cgo", ko.Builds)
	}
	if ko.DefaultBaseImage != "gcr.io/distroless/static:nonroot" {
		t.Errorf(".ko.yaml builds on %s", ko.DefaultBaseImage)
	}
	one := ko.Builds[0]
	if got, want := linked(t, one.Ldflags, "0123abc"), "-s -w -X=example.com/whatis/internal/app.commit=0123abc"; got != want {
		t.Errorf(".ko.yaml links with %q, want %q", got, want)
	}
	built := append([]string{"CGO_ENABLED=0", "-ldflags=" + linked(t, one.Ldflags, "")}, one.Flags...)
	measured := measuredFlags(t)
	slices.Sort(built)
	slices.Sort(measured)
	if !slices.Equal(built, measured) {
		t.Errorf(".ko.yaml builds with %q, .ci/run with %q", built, measured)
	}
}

// linked returns the linker's flags as ko makes them of its templates, where SOURCE_COMMIT is
// set; "" is not set.
func linked(t *testing.T, flags []string, commit string) string {
	t.Helper()
	env := map[string]string{}
	if commit != "" {
		env["SOURCE_COMMIT"] = commit
	}
	var all []string
	for _, flag := range flags {
		var b strings.Builder
		parsed, err := template.New("").Option("missingkey=error").Parse(flag)
		if err == nil {
			err = parsed.Execute(&b, map[string]any{"Env": env})
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.String())
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// measuredFlags returns the environment and the flags with which .ci/night builds the
// function, as a shell reads that line.
func measuredFlags(t *testing.T) []string {
	t.Helper()
	var line string
	for l := range strings.Lines(read(t, "../.ci/night")) {
		if strings.HasPrefix(l, "  CGO_ENABLED=0 go build ") {
			line = l
		}
	}
	// The function stands for the command go, and prints what it is called with.
	script := `go() { printf '%s\n' "CGO_ENABLED=$CGO_ENABLED" "$@"; }; tools=TOOLS; ` + line
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).Output()
	words := strings.Split(strings.TrimSpace(string(out)), "\n")
	rest := []string{"-o", "TOOLS/whatis", "./function/cmd"}
	if err != nil || len(words) < 5 || words[1] != "build" || !slices.Equal(words[len(words)-3:], rest) {
		t.Fatalf(".ci/night builds the function with %q, %v; want go build, flags and %q", words, err, rest)
	}
	return append(words[:1], words[2:len(words)-3]...)
}

// The steps use the version of Go that the module asks for.
func TestBuildVersion(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.GoVersion}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	release := bytes.Join(bytes.SplitN(bytes.TrimSpace(out), []byte("."), 3)[:2], []byte("."))
	var b build
	readYAML(t, "../cloudbuild.yaml", &b)
	for _, id := range []string{"test", "go"} {
		if image := b.step(t, id).Name; !strings.HasPrefix(image, "golang:"+string(release)+".") {
			t.Errorf("step %s has %s, and go.mod says %s", id, image, release)
		}
	}
}

func TestShellcheck(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "shellcheck", "deploy", "destroy", "credentials", "functions").CombinedOutput()
	if err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
