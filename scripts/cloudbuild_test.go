package scripts

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// first returns what the first group of the pattern matches.
func first(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return m[1]
}

// buildSteps returns the steps of cloudbuild.yaml by id, and the ids in order.
func buildSteps(t *testing.T) (map[string]string, []string) {
	t.Helper()
	text, _, _ := strings.Cut(read(t, "../cloudbuild.yaml"), "\ntimeout: ")
	steps, order := map[string]string{}, []string(nil)
	for _, step := range strings.Split(text, "\n  - id: ")[1:] {
		id, body, _ := strings.Cut(step, "\n")
		steps[id], order = body, append(order, id)
	}
	return steps, order
}

func TestCloudBuild(t *testing.T) {
	t.Parallel()
	steps, order := buildSteps(t)
	if want := []string{"check", "test", "terraform", "go", "build", "apply", "smoke", "rollback"}; !slices.Equal(order, want) {
		t.Errorf("the steps are %q, want %q", order, want)
	}
	pinned := regexp.MustCompile(`(?m)^    name: [a-z./-]+:[0-9]+\.[0-9]+\.[0-9]+(-slim)?$`)
	for id, step := range steps {
		if !pinned.MatchString(step) || strings.Contains(step, "waitFor") {
			t.Errorf("step %s has no image of one version, or does not wait for the one before:\n%s", id, step)
		}
		if part := slices.Contains(order[4:], id); part != strings.Contains(step, "scripts/deploy --only "+id+" --notes .notes --yes") {
			t.Errorf("step %s: does that part of scripts/deploy = %v, want %v:\n%s", id, !part, part, step)
		}
		// What may fail is what rollback comes behind, and no more.
		if may := id == "apply" || id == "smoke"; may != strings.Contains(step, "    allowFailure: true\n") {
			t.Errorf("step %s may fail = %v, want %v", id, !may, may)
		}
	}
	for _, want := range []string{"go vet ./...", "go test ./..."} {
		if !strings.Contains(steps["test"], want) {
			t.Errorf("step test does not %s", want)
		}
	}
	whole := read(t, "../cloudbuild.yaml")
	for _, want := range []string{"\n  _LEARN_FROM_SEARCH: ''\n", "\n  _REGION: ''\n", "\n  logging: CLOUD_LOGGING_ONLY\n", "\n  automapSubstitutions: true\n"} {
		if !strings.Contains(whole, want) {
			t.Errorf("cloudbuild.yaml lacks %q", want)
		}
	}
	if strings.Contains(whole, "latest") {
		t.Error("cloudbuild.yaml says latest")
	}
}

// The scripts in the steps are run as they stand there.
func TestCloudBuildChecks(t *testing.T) {
	t.Parallel()
	steps, _ := buildSteps(t)
	_, script, ok := strings.Cut(steps["check"], "script: |\n")
	if !ok {
		t.Fatalf("step check has no script:\n%s", steps["check"])
	}
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
	ko, ci := read(t, "../.ko.yaml"), read(t, "../.ci/run")
	measured := first(t, ci, `CGO_ENABLED=0 go build (.*) -o "\$binary" \./function/cmd`)
	list := strings.NewReplacer(", ", " ", "[", "", "]", "", "'", "").Replace
	built := list(first(t, ko, `(?m)^    flags: (.*)$`)) + " -ldflags='" + list(first(t, ko, `(?m)^    ldflags: (.*)$`)) + "'"
	words := func(s string) []string {
		w := strings.Fields(s)
		slices.Sort(w)
		return w
	}
	if got, want := words(built), words(measured); !slices.Equal(got, want) {
		t.Errorf(".ko.yaml builds with %q, .ci/run with %q", got, want)
	}
	for _, want := range []string{"defaultBaseImage: gcr.io/distroless/static:nonroot\n", "    env: [CGO_ENABLED=0]\n", "    main: ./function/cmd\n"} {
		if !strings.Contains(ko, want) {
			t.Errorf(".ko.yaml lacks %q", want)
		}
	}
	golang := first(t, read(t, "../cloudbuild.yaml"), `golang:([0-9]+\.[0-9]+)\.`)
	if module := first(t, read(t, "../go.mod"), `(?m)^go ([0-9]+\.[0-9]+)`); golang != module {
		t.Errorf("cloudbuild.yaml tests with Go %s, go.mod says %s", golang, module)
	}
}

func TestShellcheck(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "shellcheck", "deploy", "destroy").CombinedOutput()
	if err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
