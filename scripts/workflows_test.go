package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A workflow is a file of .github/workflows, as far as it is checked here.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Container   string
		Permissions map[string]string
		Steps       []struct {
			ID, Uses, Run string
		}
	}
}

func readWorkflow(t *testing.T, name string) (w workflow) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, "../.github/workflows/"+name)), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// A workflow may read the repository, and a job of a release what it has to write besides. An
// action has a version, or the commit that Dependabot pins it to with its version behind it.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../.github/workflows/*")
	if err != nil || len(files) != 2 {
		t.Fatalf("the workflows are %q, %v; want two", files, err)
	}
	attested := map[string]string{"contents": "write", "id-token": "write", "attestations": "write"}
	image := map[string]string{"contents": "write", "id-token": "write", "attestations": "write", "packages": "write"}
	may := map[string]map[string]string{"archives": attested, "image": image}
	action := regexp.MustCompile(`uses: [\w-]+/[\w-]+@(v\d+|[0-9a-f]{40} # v[\d.]+)$`)
	for _, file := range files {
		w := readWorkflow(t, filepath.Base(file))
		if !reflect.DeepEqual(w.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("%s may %v, want to read the contents alone", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			if !reflect.DeepEqual(job.Permissions, may[name]) {
				t.Errorf("the job %s may %v, want %v", name, job.Permissions, may[name])
			}
		}
		text := read(t, file)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.Contains(line, "uses:") && !action.MatchString(line) {
				t.Errorf("%s: %s names no version", file, line)
			}
			if strings.Contains(line, "secrets.") {
				t.Errorf("%s: %s: a workflow has its own token and needs no secret", file, line)
			}
		}
		if !strings.Contains(text, "Not run yet") {
			t.Errorf("%s does not say that it has not run yet; has it, remove this check", file)
		}
	}
}

// What a workflow runs of this repository is there, as a program or as a package.
func TestWorkflowCommands(t *testing.T) {
	t.Parallel()
	own := regexp.MustCompile(`(go run )?(?:\./)?((?:scripts|\.ci)/[\w-]+)`)
	ran := map[string]bool{}
	for _, name := range []string{"test.yml", "release.yml"} {
		for _, job := range readWorkflow(t, name).Jobs {
			for _, s := range job.Steps {
				for _, m := range own.FindAllStringSubmatch(s.Run, -1) {
					ran[m[0]] = true
					if info, err := os.Stat("../" + m[2]); err != nil || info.IsDir() != (m[1] != "" || strings.Contains(s.Run, "go test")) {
						t.Errorf("%s runs %q: %v, which is neither a program nor a package that go run takes", name, m[0], err)
					}
				}
			}
		}
	}
	if !ran["go run ./scripts/release"] {
		t.Errorf("the workflows run %v, want the release's archives among it", ran)
	}
}

// Every version is the one that scripts/deploy and cloudbuild.yaml have.
func TestWorkflowVersions(t *testing.T) {
	t.Parallel()
	var b build
	readYAML(t, "../cloudbuild.yaml", &b)
	test, release := read(t, "../.github/workflows/test.yml"), read(t, "../.github/workflows/release.yml")
	if golang := b.step(t, "test").Name; readWorkflow(t, "test.yml").Jobs["gate"].Container != golang {
		t.Errorf("test.yml does not run in %s", golang)
	}
	_, terraform, _ := strings.Cut(b.step(t, "terraform").Name, ":")
	got := regexp.MustCompile(`[/_](\d+\.\d+\.\d+)`).FindAllStringSubmatch(test, -1)
	if len(got) == 0 || slices.ContainsFunc(got, func(v []string) bool { return v[1] != terraform }) {
		t.Errorf("test.yml has the versions %q of Terraform, want %s alone", got, terraform)
	}
	ko := regexp.MustCompile(`github.com/google/ko@v[\d.]+`)
	if got, want := ko.FindString(release), ko.FindString(read(t, "deploy")); got == "" || got != want {
		t.Errorf("release.yml has %q, scripts/deploy %q", got, want)
	}
}

// The step that builds the image names its base by digest, hands on the digest that ko printed,
// and stops if there is none of either.
func TestReleasedImage(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	script := ""
	for _, s := range readWorkflow(t, "release.yml").Jobs["image"].Steps {
		if s.ID == "image" {
			script = s.Run
		}
	}
	base := "sha256:" + strings.Repeat("f", 64)
	for _, test := range []struct{ base, printed, output string }{
		{base, "ghcr.io/you/whatis:v1.2.3@" + digest, "name=ghcr.io/you/whatis\ndigest=" + digest + "\n"},
		{base, "ghcr.io/you/whatis:v1.2.3", ""},
		{"denied", "", ""},
	} {
		w := newTools(t, "go")
		w.answer(`
			go|run|*|build|* → [[ $KO_DEFAULTBASEIMAGE == gcr.io/distroless/static:nonroot@` + base + ` ]] && printf '%s\n' '` + test.printed + `'
			go|run|*|digest|gcr.io/distroless/static:nonroot → echo ` + test.base + `
			go|run|./scripts/release|* →
			go|run|*|login|* → [[ $(cat) == token ]]`)
		w.write("output", "", 0o644)
		w.write(".ko.yaml", read(t, "../.ko.yaml"), 0o644)
		c := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
		c.Env = w.env("GITHUB_REPOSITORY=You/Whatis", "GITHUB_ACTOR=you", "GITHUB_REF_NAME=v1.2.3", "TOKEN=token",
			"GITHUB_OUTPUT="+filepath.Join(w.dir, "output"), "GITHUB_STEP_SUMMARY="+os.DevNull)
		c.Dir = w.dir
		out, err := c.CombinedOutput()
		if got := read(t, filepath.Join(w.dir, "output")); got != test.output || (err == nil) != (test.output != "") {
			t.Errorf("ko prints %s: %v, %s; the output is %q, want %q", test.printed, err, out, got, test.output)
		}
		want := []string{"go | run | ./scripts/release | -licences | function/cmd/kodata/LICENSES | ./function/cmd", "go | run | github.com/google/go-containerregistry/cmd/crane@v0.20.6 | digest | gcr.io/distroless/static:nonroot"}
		if test.base == base {
			want = append(want, "go | run | github.com/google/ko@v0.19.1 | login | ghcr.io | --username | you | --password-stdin",
				"go | run | github.com/google/ko@v0.19.1 | build | --bare | --tags | v1.2.3 | --sbom=spdx | --sbom-dir=sbom | ./function/cmd")
		}
		w.want(want...)
	}
}

// The release has cloudbuild.yaml with each of its images by the digest that the registry says.
func TestReleasedCloudbuild(t *testing.T) {
	t.Parallel()
	script := ""
	for _, s := range readWorkflow(t, "release.yml").Jobs["image"].Steps {
		if s.ID == "pin" {
			script = s.Run
		}
	}
	for _, digest := range []string{"sha256:" + strings.Repeat("0123456789abcdef", 4), "denied"} {
		w := newTools(t, "go")
		w.answer("go|run|github.com/google/go-containerregistry/cmd/crane@*|digest|* → echo " + digest)
		w.write("cloudbuild.yaml", read(t, "../cloudbuild.yaml"), 0o644)
		if err := os.Mkdir(filepath.Join(w.dir, "sbom"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
		c.Dir, c.Env = w.dir, w.env()
		if out, err := c.CombinedOutput(); (err == nil) != (digest != "denied") {
			t.Fatalf("with the digest %s: %v, %s", digest, err, out)
		}
		if digest == "denied" {
			continue
		}
		pinned := read(t, filepath.Join(w.dir, "sbom", "cloudbuild.pinned.yaml"))
		if strings.ReplaceAll(pinned, "@"+digest, "") != read(t, "../cloudbuild.yaml") {
			t.Errorf("cloudbuild.pinned.yaml is not cloudbuild.yaml but for digests:\n%s", pinned)
		}
		for _, m := range regexp.MustCompile(`(?m)^    name: (\S+)$`).FindAllStringSubmatch(pinned, -1) {
			if !strings.HasSuffix(m[1], "@"+digest) {
				t.Errorf("%s is not named by its digest", m[1])
			}
		}
	}
}
