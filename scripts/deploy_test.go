package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	registry = "europe-west1-docker.pkg.dev/a-project/whatis/whatis"
	oldImage = registry + "@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	newImage = registry + "@sha256:2222222222222222222222222222222222222222222222222222222222222222"
	noImage  = registry + "@sha256:0000000000000000000000000000000000000000000000000000000000000000"
	product  = `{"product_name": "Sea Salt Oat Crackers", "brand": "Brindlemoor", "source": "image", "inference_time": "2.10s", "cost_usd": 0.00123, "image": {"generation": "42"}}`
)

// variables returns what an apply of an image is told.
func variables(image string) string {
	return "-input=false | -var-file=NOTES/values.tfvars | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=whatis | -var=learn_from_search=false | -var=image=" + image
}

var deployed = []string{"--project", "a-project", "--region", "europe-west1", "--learn-from-search", "false", "--model-location", "eu", "--var", "max_usd_per_day=20", "--yes"}

// cloud returns a project that has everything already, and runs the old image.
func cloud(t *testing.T) tools {
	t.Helper()
	w := newTools(t, "gcloud", "terraform", "go", "curl", "cp", "sleep")
	w.answer("45", "sleep|*", "")
	w.answer("46", "gcloud|config|get|*", "")
	w.answer("47", "gcloud|auth|application-default|*", "exit 1")
	w.answer("47a", "gcloud|storage|cat|*", "echo 'ERROR: (gcloud.storage.cat) The following URLs matched no objects or files' >&2; exit 1")
	w.answer("47b", "gcloud|storage|cp|*", "")
	w.answer("47c", "go|run|./scripts/tfvars|*", `shift 2; exec "`+tfvars(t)+`" "$@"`)
	w.answer("48", "curl|*:testIamPermissions", `IFS= read -r key; [[ $key == "Authorization: Bearer token" ]] && printf '%s\n' "$*"`)
	w.answer("49", "gcloud|version", `printf 'Google Cloud SDK 528.0.0\nbeta 2025.06.20\n'`)
	w.answer("49a", "gcloud|beta|services|identity|create|*", "")
	w.answer("49b", "cp|*", "")
	w.answer("50", "gcloud|auth|list|*", "echo jo@example.com")
	w.answer("51", "gcloud|auth|print-access-token", "echo token")
	w.answer("52", "gcloud|projects|describe|*", "echo 123")
	w.answer("53", "gcloud|billing|*", "echo True")
	w.answer("53a", "gcloud|iam|service-accounts|describe|whatis-functions@*", "exit 1")
	w.answer("54", "gcloud|services|enable|*", "")
	w.answer("55", "gcloud|storage|buckets|describe|*--raw*", "echo 123")
	w.answer("56", "gcloud|storage|buckets|update|*", "")
	w.answer("57", "gcloud|storage|buckets|*", "echo noise")
	w.answer("57a", "gcloud|artifacts|*", "echo noise")
	w.answer("57b", "gcloud|org-policies|*", "exit 1") // no organisation
	w.answer("58", "gcloud|run|services|list|*", "echo "+oldImage)
	w.answer("70", "terraform|version", "echo Terraform v1.9.0")
	w.answer("71", "terraform|*|output|-raw|upload_bucket", "echo the-uploads")
	w.answer("72", "terraform|*|output|-raw|results_bucket", "echo the-results")
	w.answer("73", "terraform|*|output|-raw|next", "echo now upload a photo")
	w.answer("74", "terraform|*", `[[ $GOOGLE_OAUTH_ACCESS_TOKEN == token ]] || { echo "no token" >&2; exit 1; }`)
	w.answer("80", "go|version", "echo go version go1.26.0 linux/amd64")
	w.answer("81", "go|run|github.com/google/ko@*", `[[ $KO_DOCKER_REPO == `+registry+` && $(<"$DOCKER_CONFIG/config.json") == '{"auths":{"europe-west1-docker.pkg.dev":{"auth":"b2F1dGgyYWNjZXNzdG9rZW46dG9rZW4="}}}' ]] && echo Published >&2 && echo `+newImage)
	// A photo that was asked about before would be recalled, and try nothing.
	w.answer("83", "go|run|./scripts/whatisit|upload|*", `[[ $(<"$8") == photo$'\n'[0-9]* && $UPLOAD_BUCKET == the-uploads && $RESULTS_BUCKET == the-results && $GOOGLE_OAUTH_ACCESS_TOKEN == token ]] && echo '`+product+`'`)
	w.answer("84", "go|run|./scripts/release|*", "")
	w.answer("82", "go|run|./emulators|-samples|*", `mkdir -p "$4" && echo photo >"$4/01-oat-crackers.jpg"`)
	return w
}

var (
	checks = []string{
		"gcloud | version", "terraform | version", "go | version",
		"gcloud | config | get | auth/impersonate_service_account",
		"gcloud | auth | list | --filter=status:ACTIVE | --format=value(account)",
		"gcloud | projects | describe | a-project | --format=value(projectNumber)",
		"gcloud | billing | projects | describe | a-project | --format=value(billingEnabled)",
		"gcloud | iam | service-accounts | describe | whatis-functions@a-project.iam.gserviceaccount.com | --project=a-project",
		renewing, kept, merge, token,
		`curl | -sS | --fail | --max-time | 20 | -H | Content-Type: application/json | -H | @- | -d | {"permissions":["artifactregistry.repositories.create","datastore.databases.create","iam.roles.create","iam.serviceAccounts.setIamPolicy","iam.serviceAccounts.actAs","logging.logMetrics.create","monitoring.alertPolicies.create","pubsub.topics.setIamPolicy","resourcemanager.projects.setIamPolicy","run.services.setIamPolicy","serviceusage.services.enable","storage.buckets.setIamPolicy"]} | https://cloudresourcemanager.googleapis.com/v1/projects/a-project:testIamPermissions`,
		"gcloud | org-policies | describe | run.allowedIngress | --effective | --project=a-project | --format=json",
	}
	enable    = "gcloud | services | enable | cloudresourcemanager.googleapis.com | serviceusage.googleapis.com | storage.googleapis.com | pubsub.googleapis.com | --project=a-project"
	identity  = "gcloud | beta | services | identity | create | --service=pubsub.googleapis.com | --project=a-project"
	override  = "cp | terraform/iap/iap_override.tf | terraform/iap_override.tf"
	bucket    = "gcloud | storage | buckets | describe | gs://a-project-whatis-tfstate"
	owner     = bucket + " | --raw | --format=value(projectNumber)"
	create    = "gcloud | storage | buckets | create | gs://a-project-whatis-tfstate | --project=a-project | --location=europe-west1 | --uniform-bucket-level-access | --public-access-prevention"
	versioned = "gcloud | storage | buckets | update | gs://a-project-whatis-tfstate | --versioning"
	renewing  = "gcloud | auth | application-default | print-access-token"
	kept      = "gcloud | storage | cat | gs://a-project-whatis-tfstate/values.tfvars"
	merge     = "go | run | ./scripts/tfvars | -o | NOTES/values.tfvars | -kept | NOTES/kept.tfvars | -var | vertex_location=eu | -var | max_usd_per_day=20"
	keep      = "gcloud | storage | cp | NOTES/values.tfvars | gs://a-project-whatis-tfstate/values.tfvars"
	token     = "gcloud | auth | print-access-token"
	initial   = "terraform | -chdir=terraform | init | -input=false | -reconfigure | -backend-config=bucket=a-project-whatis-tfstate | -backend-config=prefix=terraform"
	images    = "gcloud | artifacts | repositories | describe | whatis | --project=a-project | --location=europe-west1"
	target    = "terraform | -chdir=terraform | apply | -auto-approve | -target=google_artifact_registry_repository.images | " + variables(noImage)
	texts     = "go | run | ./scripts/release | -licences | function/cmd/kodata/LICENSES | ./function/cmd"
	koBuild   = "go | run | github.com/google/ko@v0.19.1 | build | --bare | --sbom=spdx | ./function/cmd"
	running   = "gcloud | run | services | list | --project=a-project | --region=europe-west1 | --filter=metadata.name=whatis-upload | --format=value(spec.template.spec.containers[0].image)"
	plan      = "terraform | -chdir=terraform | plan | -out=NOTES/plan | " + variables(newImage)
	applied   = "terraform | -chdir=terraform | apply | -input=false | NOTES/plan"
	samples   = "go | run | ./emulators | -samples | NOTES/samples"
	output    = "terraform | -chdir=terraform | output | -raw | "
	examined  = "go | run | ./scripts/whatisit | doctor | --deployed | --cloud | --project=a-project | --region=europe-west1 | --prefix=whatis"
	upload    = "go | run | ./scripts/whatisit | upload | --country | US | --lang | en | NOTES/samples/01-oat-crackers.jpg"
	back      = "terraform | -chdir=terraform | apply | -auto-approve | " + variables(oldImage)
)

// unexamined is said before the apply and after the smoke test, where credentials are not renewed.
const unexamined = "not looked at, for want of application-default credentials: go run ./scripts/whatisit doctor --deployed --cloud --project=a-project --region=europe-west1 --prefix=whatis\n"

// Everything is there: nothing is made twice.
func TestDeployAgain(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	got := run(t, w.env(), "deploy", deployed...)
	if got.code != 0 || !strings.HasSuffix(got.stderr, "prevents that.\nPublished\n"+strings.Repeat(unexamined, 2)) || !strings.Contains(got.stdout, "Sea Salt Oat Crackers, Brindlemoor: by image in 2.10s (") ||
		!strings.Contains(got.stdout, " for 0.00123 USD\n") || !strings.HasSuffix(got.stdout, "now upload a photo\n\n") || strings.Contains(got.stdout, "noise") {
		t.Errorf("deploy = exit %d, %q, %q; want the sample's time and cost, and what comes next", got.code, got.stdout, got.stderr)
	}
	w.want(slices.Concat(checks,
		[]string{enable, identity, bucket, owner, versioned, override, token, initial, images, texts, token, koBuild},
		[]string{running, token, plan, keep, token, applied},
		[]string{token, output + "upload_bucket", token, output + "results_bucket", samples, token, upload},
		[]string{token, output + "next"})...)
	if left, err := os.ReadDir(filepath.Join(w.dir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("deploy leaves %v, %v behind; want nothing", left, err)
	}
}

// Nothing is there: the bucket comes first, then the registry, then the image.
func TestDeployFirst(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer("10-once", "gcloud|storage|buckets|describe|gs://a-project-whatis-tfstate", "exit 1")
	w.answer("11", "gcloud|artifacts|*", "exit 1")
	w.answer("12", "gcloud|run|services|list|*", "")
	run(t, w.env(), "deploy", deployed...)
	got := w.asked()[len(checks):]
	want := []string{enable, identity, bucket, create, owner, versioned, override, token, initial, images, token, target, texts, token, koBuild,
		running, token, plan, keep, token, applied}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("the first deploy asked\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// --revision applies and tries the image of a revision, and builds none.
func TestDeployRevision(t *testing.T) {
	t.Parallel()
	const describe = "gcloud | run | revisions | describe | whatis-upload-00012-abc | --project=a-project | --region=europe-west1 | --format=value(spec.containers[0].image)"
	back := append(slices.Clone(deployed), "--revision", "whatis-upload-00012-abc")
	w := cloud(t)
	w.answer("10", "gcloud|run|revisions|describe|*", "echo "+newImage)
	if got := run(t, w.env(), "deploy", back...); got.code != 0 {
		t.Errorf("deploy --revision = exit %d, %q, %q", got.code, got.stdout, got.stderr)
	}
	w.want(slices.Concat(checks,
		[]string{enable, identity, bucket, owner, versioned, override, token, initial, images, describe},
		[]string{running, token, plan, keep, token, applied},
		[]string{token, output + "upload_bucket", token, output + "results_bucket", samples, token, upload},
		[]string{token, output + "next"})...)

	w = cloud(t)
	w.answer("10", "gcloud|run|revisions|describe|*", "echo gcr.io/other:latest")
	got := run(t, w.env(), "deploy", back...)
	if last := w.asked()[len(w.asked())-1]; got.code == 0 || last != describe || !strings.Contains(got.stderr, "whatis-upload-00012-abc runs gcr.io/other:latest: want an image of ") {
		t.Errorf("deploy of a foreign revision = exit %d, %q after %s; want nothing applied, and why", got.code, got.stderr, last)
	}

	dry := run(t, newTools(t).alone(), "deploy", append(back, "--dry-run")...)
	printed := regexp.MustCompile(`'([^']*)'`).ReplaceAllString(dry.stdout, "$1")
	if dry.code != 0 || !strings.Contains(printed, strings.ReplaceAll(describe, " | ", " ")) || strings.Contains(printed, "ko@") {
		t.Errorf("deploy --revision --dry-run = exit %d, %s; want the same commands", dry.code, printed)
	}
}

// A bucket of that name that belongs to somebody else gets no state.
func TestDeployIntoForeignBucket(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer("10", "gcloud|storage|buckets|describe|*--raw*", "echo 666")
	got := run(t, w.env(), "deploy", deployed...)
	if got.code != 1 || !strings.Contains(got.stderr, "gs://a-project-whatis-tfstate belongs to another project") {
		t.Errorf("deploy = exit %d, %q; want 1, and whose bucket it is", got.code, got.stderr)
	}
	if lines := w.changed(); !slices.Equal(lines, []string{enable, identity}) {
		t.Errorf("deploy into a foreign bucket changed %q", lines)
	}
}

// Whatever goes wrong from the apply on, the image that ran before runs again.
func TestDeployRollsBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, pattern, code string
		stderr              string
	}{
		{"apply", "terraform|*|apply|-input=false|*", "echo revision is not ready >&2; exit 1", "revision is not ready"},
		{"no samples", "go|run|./emulators|*", "exit 1", "it went wrong"},
		{"no upload", "go|run|./scripts/whatisit|*", "exit 1", "it went wrong"},
		{"no product", "go|run|./scripts/whatisit|*", `echo '{"error": "analysis_failed", "message": "quota", "image": {"generation": "42"}}'`, "quota"},
		{"an empty name", "go|run|./scripts/whatisit|*", `echo '{"product_name": "", "image": {"generation": "42"}}'`, "has no product in its result"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", test.pattern, test.code)
			got := run(t, w.env(), "deploy", deployed...)
			if got.code != 1 || !strings.Contains(got.stderr, test.stderr) || !strings.Contains(got.stderr, oldImage+" runs again") {
				t.Errorf("deploy = exit %d, %q; want 1, %q and a roll-back", got.code, got.stderr, test.stderr)
			}
			if lines := w.asked(); lines[len(lines)-1] != back {
				t.Errorf("the last command is %s, want %s", lines[len(lines)-1], back)
			}
		})
	}
	t.Run("nothing ran before", func(t *testing.T) {
		t.Parallel()
		w := cloud(t)
		w.answer("10", "go|run|./scripts/whatisit|upload|*", "exit 1")
		w.answer("11", "gcloud|run|services|list|*", "")
		got := run(t, w.env(), "deploy", deployed...)
		if got.code != 1 || !strings.Contains(got.stderr, "nothing ran before") || slices.Contains(w.asked(), back) {
			t.Errorf("deploy = exit %d, %q; want 1 and no roll-back", got.code, got.stderr)
		}
	})
	for name, pattern := range map[string]string{"build": "go|run|github.com/google/ko@*", "plan": "terraform|*|plan|*", "running": "gcloud|run|*"} {
		t.Run("not after "+name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", pattern, "exit 1")
			got := run(t, w.env(), "deploy", deployed...)
			if lines := w.asked(); got.code != 1 || slices.Contains(lines, applied) || slices.Contains(lines, back) {
				t.Errorf("deploy = exit %d, asked\n  %s\nwant 1, and nothing applied", got.code, strings.Join(lines, "\n  "))
			}
		})
	}
}

func TestDeployAsks(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"yes\n": true, "y\n": false, "no\n": false, "": false} {
		w := cloud(t)
		got := runWith(t, answer, w.env(), "deploy", deployed[:len(deployed)-1]...)
		if slices.Contains(w.asked(), applied) != want || (got.code == 0) != want || !strings.Contains(got.stderr, "Apply this to a-project?") {
			t.Errorf("deploy, answered %q = exit %d, %q; applied should be %v", answer, got.code, got.stderr, want)
		}
		if slices.Contains(w.asked(), back) {
			t.Errorf("deploy, answered %q, rolled back what was never applied", answer)
		}
	}
}

// Values reach Terraform as they are, in whatever way they are given, and files are found
// where the caller is. What was given once is kept, shown, and counts again; a limit that
// cannot be read stops everything.
func TestDeployVariables(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer("21", "gcloud|storage|cp|*", `cp "$3" "$TOOLS/bucket"`)
	w.answer("22", "gcloud|storage|cat|*", `[[ -f $TOOLS/bucket ]] || { echo matched no objects >&2; exit 1; }; printf '%s\n' "$(<"$TOOLS/bucket")"`)
	w.answer("23", "go|run|github.com/google/ko@*", "echo "+newImage)
	w.answer("24", "cp|*", `[[ $2 != */bucket ]] || exec /bin/cp "$@"`)
	w.write("a b.tfvars", "# mine\nname_prefix = \"other\"\ncountry     = \"US\"\n", 0o644)
	file := filepath.Join(w.dir, "a b.tfvars")
	first := slices.Concat(deployed, []string{"--var-file=" + file, "--var", `alert_emails=["a b@example.com", "$(x)'*@example.com"]`, "--var=shop=two  words", "--var", "max_usd_per_day=20", "--var", "allow_data_loss=true"})
	got := run(t, w.env(), "deploy", first...)
	const want = "alert_emails    = [\"a b@example.com\", \"$(x)'*@example.com\"]\ncountry         = \"US\"\nmax_usd_per_day = 20\nshop            = \"two  words\"\nvertex_location = \"eu\"\n"
	if bucket, err := os.ReadFile(filepath.Join(w.dir, "bucket")); got.code != 0 || err != nil || string(bucket) != want {
		t.Fatalf("deploy = exit %d, %q, keeps %q, %v; want %q", got.code, got.stderr, bucket, err, want)
	}
	told := "terraform | -chdir=terraform | plan | -out=NOTES/plan | -input=false | -var-file=NOTES/values.tfvars | -var=allow_data_loss=true | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=other"
	if !slices.ContainsFunc(w.asked(), func(line string) bool { return strings.HasPrefix(line, told) }) {
		t.Errorf("asked\n  %s\nwant\n  %s", strings.Join(w.asked(), "\n  "), told)
	}
	// Again, with one change: the others stay, and are shown before anything is done.
	got = run(t, w.env(), "deploy", append(slices.Clone(deployed), "--var", "name_prefix=other", "--var", "shop=three", "--default", "country", "--var", `iap_members=["domain:example.com"]`)...)
	shown, _, _ := strings.Cut(got.stdout, "== the agents")
	for _, line := range []string{"  max_usd_per_day = 20\n", `* shop = "three" (was "two words")`, `* country: its default (was "US")`, `* iap_members = ["domain:example.com"] (was its default)`} {
		if got.code != 0 || !strings.Contains(shown, line) {
			t.Errorf("deploy again = exit %d, %q, shows %q; want %q", got.code, got.stderr, shown, line)
		}
	}
	// It is known where photos go, without being said again.
	got = run(t, w.env(), "deploy", append(slices.Clone(deployed[:6]), "--yes", "--var", "name_prefix=other")...)
	if got.code != 0 || !strings.Contains(got.stdout, `  vertex_location = "eu"`) {
		t.Errorf("deploy without --model-location = exit %d, %q, %q; want the one that was kept", got.code, got.stdout, got.stderr)
	}
	// What was kept asks for its rights, too.
	w.answer("19", "curl|*", `printf '%s' "${*//iap.webServices.setIamPolicy/}"`)
	got = run(t, w.env(), "deploy", append(slices.Clone(deployed), "--var", "name_prefix=other")...)
	if got.code != 2 || !strings.Contains(got.stderr, "roles of this account on a-project: roles/iap.admin (") {
		t.Errorf("deploy of kept iap_members = exit %d, %q; want 2, and the role", got.code, got.stderr)
	}
	w.answer("10", "gcloud|storage|cat|*", "echo 'ERROR: jo does not have storage.objects.get access' >&2; exit 1")
	if got = run(t, w.env(), "deploy", deployed...); got.code != 1 || !strings.Contains(got.stderr, "cannot be read: ERROR: jo does not have") {
		t.Errorf("deploy of values that cannot be read = exit %d, %q; want 1, and why", got.code, got.stderr)
	}
}

// The dry run prints the very commands that a run makes.
func TestDeployDryRun(t *testing.T) {
	t.Parallel()
	w := newTools(t)
	got := run(t, w.alone(), "deploy", append(deployed, "--dry-run")...)
	if got.code != 0 || !strings.Contains(got.stderr, "gcloud: install it") {
		t.Fatalf("deploy --dry-run = exit %d, %q; want 0, and what is missing", got.code, got.stderr)
	}
	printed := regexp.MustCompile(`'([^']*)'`).ReplaceAllString(got.stdout, "$1")
	for _, line := range []string{kept, merge, enable, identity, bucket, create, versioned, override, initial, images, target, texts, koBuild, running, plan, keep, applied, samples, back} {
		line = strings.NewReplacer(" | ", " ", "NOTES", "/tmp/deploy", newImage, registry+"@sha256:DIGEST", oldImage, registry+"@sha256:PREVIOUS").Replace(line)
		_, after, ok := strings.Cut(printed, line)
		if !ok {
			t.Errorf("deploy --dry-run prints\n%s\nwithout, or out of order,\n%s", printed, line)
			continue
		}
		printed = after
	}
	bare := run(t, newTools(t).alone(), "deploy", "--dry-run")
	if bare.code != 0 || !strings.Contains(bare.stdout, "gs://PROJECT-whatis-tfstate") || !strings.Contains(bare.stderr, "--learn-from-search: true or false") {
		t.Errorf("deploy --dry-run = exit %d, %q, %q; want the whole plan, and what is missing", bare.code, bare.stdout, bare.stderr)
	}
}
