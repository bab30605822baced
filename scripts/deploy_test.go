package scripts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	registry = "europe-west1-docker.pkg.dev/a-project/whatis/whatis"
	oldImage = registry + "@sha256:1111111111111111111111111111111111111111111111111111111111111111"
	newImage = registry + "@sha256:2222222222222222222222222222222222222222222222222222222222222222"
	noImage  = registry + "@sha256:0000000000000000000000000000000000000000000000000000000000000000"
	product  = `{"product_name": "Sea Salt Oat Crackers", "brand": "Brindlemoor", "source": "image", "inference_time": "2.10s", "cost_usd": 0.00123, "image": {"generation": "42"}}`
)

// projectAnswers are those of a project that has everything already, and runs the old image. A photo
// that was asked about before would be recalled, and try nothing, so that the sample is another each time.
const projectAnswers = `
	sleep|* →
	gcloud|config|get|* →
	gcloud|auth|application-default|* → exit 1
	gcloud|storage|cat|* → echo 'ERROR: (gcloud.storage.cat) The following URLs matched no objects or files' >&2; exit 1
	gcloud|storage|cp|* →
	go|run|./scripts/tfvars|* → shift 2; exec "$TFVARS" "$@"
	curl|*:testIamPermissions → IFS= read -r key; [[ $key == "Authorization: Bearer token" ]] && printf '%s\n' "$*"
	gcloud|version → printf 'Google Cloud SDK 528.0.0\nbeta 2025.06.20\n'
	gcloud|beta|services|identity|create|* →
	cp|* →
	gcloud|auth|list|* → echo jo@example.com
	gcloud|auth|print-access-token → echo token
	gcloud|projects|describe|* → echo 123
	gcloud|billing|* → echo True
	gcloud|iam|service-accounts|describe|whatis-functions@* → exit 1
	gcloud|services|enable|* →
	gcloud|storage|buckets|describe|*--raw* → echo 123
	gcloud|storage|buckets|update|* →
	gcloud|storage|buckets|* → echo noise
	gcloud|artifacts|* → echo noise
	gcloud|org-policies|* → exit 1
	gcloud|run|services|list|* → echo ` + oldImage + `
	terraform|version → echo Terraform v1.9.0
	terraform|*|output|-raw|upload_bucket → echo the-uploads
	terraform|*|output|-raw|results_bucket → echo the-results
	terraform|*|output|-raw|next → echo now upload a photo
	terraform|* → [[ $GOOGLE_OAUTH_ACCESS_TOKEN == token ]] || { echo "no token" >&2; exit 1; }
	go|version → echo go version go1.26.0 linux/amd64
	go|run|github.com/google/ko@* → [[ $KO_DOCKER_REPO == ` + registry + ` && $(<"$DOCKER_CONFIG/config.json") == '{"auths":{"europe-west1-docker.pkg.dev":{"auth":"b2F1dGgyYWNjZXNzdG9rZW46dG9rZW4="}}}' ]] && echo Published >&2 && echo ` + newImage + `
	go|run|./emulators|-samples|* → mkdir -p "$4" && echo photo >"$4/01-oat-crackers.jpg"
	go|run|./scripts/whatisit|upload|* → [[ $(<"$8") == photo$'\n'[0-9]* && $UPLOAD_BUCKET == the-uploads && $RESULTS_BUCKET == the-results && $GOOGLE_OAUTH_ACCESS_TOKEN == token ]] && echo '` + product + `'
	go|run|./scripts/release|* →`

// cloud returns a project that has everything already, and runs the old image.
func cloud(t *testing.T) tools {
	t.Helper()
	w := newTools(t, "gcloud", "terraform", "go", "curl", "cp", "sleep")
	w.answer(projectAnswers)
	return w
}

// deployed are the options of a deployment; the first six leave out where models are and what a day may cost.
var deployed = strings.Fields("--project a-project --region europe-west1 --learn-from-search false --model-location eu --var max_usd_per_day=20 --yes")

// variables returns what an apply of an image is told.
func variables(image string) string {
	return "-input=false | -var-file=NOTES/values.tfvars | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=whatis | -var=learn_from_search=false | -var=image=" + image
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
	describe  = "gcloud | run | revisions | describe | whatis-upload-00012-abc | --project=a-project | --region=europe-west1 | --format=value(spec.containers[0].image)"
)

// unexamined is said before the apply and after the smoke test, where credentials are not renewed.
const unexamined = "not looked at, for want of application-default credentials: go run ./scripts/whatisit doctor --deployed --cloud --project=a-project --region=europe-west1 --prefix=whatis\n"

// Where everything is there nothing is made twice; where nothing is, the bucket comes first, then the
// registry, then the image. --revision applies and tries the image of a revision, and builds none.
func TestDeploy(t *testing.T) {
	t.Parallel()
	tried := []string{running, token, plan, keep, token, applied, token, output + "upload_bucket", token, output + "results_bucket", samples, token, upload, token, output + "next"}
	for _, tt := range []struct {
		drill
		all [][]string // behind the checks
	}{
		{drill{name: "again", says: []string{"prevents that.\nPublished\n" + unexamined + unexamined, "Sea Salt Oat Crackers, Brindlemoor: by image in 2.10s (", " for 0.00123 USD\n", "now upload a photo\n\n"}},
			[][]string{{enable, identity, bucket, owner, versioned, override, token, initial, images, texts, token, koBuild}, tried}},
		{drill{name: "first", answers: `
			once gcloud|storage|buckets|describe|gs://a-project-whatis-tfstate → exit 1
			gcloud|artifacts|* → exit 1
			gcloud|run|services|list|* →`},
			[][]string{{enable, identity, bucket, create, owner, versioned, override, token, initial, images, token, target, texts, token, koBuild}, tried}},
		{drill{name: "a revision", args: "--revision whatis-upload-00012-abc", answers: `gcloud|run|revisions|describe|* → echo ` + newImage},
			[][]string{{enable, identity, bucket, owner, versioned, override, token, initial, images, describe}, tried}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			got := tt.runs(t, w, "deploy", deployed...)
			w.want(slices.Concat(append([][]string{checks}, tt.all...)...)...)
			if left, err := os.ReadDir(filepath.Join(w.dir, "tmp")); err != nil || len(left) > 0 || tt.name == "again" && strings.Contains(got.stdout, "noise") {
				t.Errorf("deploy leaves %v, %v behind and prints %q; want nothing", left, err, got.stdout)
			}
		})
	}
}

// What is missing is said, and nothing is changed; so are policies of the organisation that would end
// an apply in its middle.
func TestDeployMissing(t *testing.T) {
	t.Parallel()
	bare := run(t, newTools(t).alone("STORAGE_EMULATOR_HOST=127.0.0.1:1"), "deploy", "--var", "image=x", "--var-file", "none.tfvars", "--fast", "--region")
	for _, want := range []string{
		"--project: the ID", "--region needs a value", "--learn-from-search: true or false", "--var image", "--var-file none.tfvars", "unknown option --fast",
		"gcloud: install", "terraform 1.9 or newer: install", "go 1.26 or newer: install", "curl: install", "STORAGE_EMULATOR_HOST is set",
	} {
		if bare.code != 2 || !strings.Contains(bare.stderr, want) {
			t.Errorf("deploy with nothing = exit %d, %q; want 2, and %q among it", bare.code, bare.stderr, want)
		}
	}
	lacks := func(right string) string { return `curl|* → printf '%s' "${*//` + right + `/}"` }
	policy := func(constraint, rule string) string {
		return `gcloud|org-policies|describe|` + constraint + `|* → printf '{"name": "projects/123/policies/x", "spec": {"rules": [` + rule + `]}}'
			gcloud|org-policies|* → printf '{"spec": {"rules": [{"allowAll": true}]}}'`
	}
	list := func(constraint, kind, values string) string {
		return policy(constraint, `{"values": {"`+kind+`Values": ["`+strings.ReplaceAll(values, " ", `", "`)+`"]}}`)
	}
	const balancer, ingress, cmek, models = "--var balancer_domain=whatis.example.com", "run.allowedIngress", "gcp.restrictNonCmekServices", "vertexai.allowedModels"
	for _, tt := range [][4]string{ // what it is, answers, arguments, and what is said
		{"an old terraform", "terraform|version → echo Terraform v1.8.5", "", "terraform 1.9 or newer: this is 1.8"},
		{"an old go", "go|version → echo go version go1.9.7 linux/amd64", "", "go 1.26 or newer: this is 1.9"},
		{"an old gcloud", `gcloud|version → printf 'Google Cloud SDK 470.0.0\nbeta 2024.03.29\n'`, "", "gcloud 528 or newer: this is 470.0"},
		{"no beta commands", `gcloud|version → printf 'Google Cloud SDK 540.0.0\ncore 2025.09.23\n'`, "", "gcloud components install beta"},
		{"no rights", `curl|* → echo '{"permissions":["run.services.setIamPolicy"]}'`, "", "roles of this account on a-project: roles/artifactregistry.admin roles/datastore.owner roles/iam.roleAdmin roles/iam.serviceAccountAdmin"},
		{"no right on IAP", lacks("iap.webServices.setIamPolicy"), `--var iap_members=["user:jo@example.com"]`, "roles of this account on a-project: roles/iap.admin ("},
		{"no right on balancers", lacks("compute.globalForwardingRules.create"), balancer, "roles of this account on a-project: roles/compute.loadBalancerAdmin ("},
		{"no right on secrets", lacks("secretmanager.secrets.setIamPolicy"), "--var brave_secret=key", "roles of this account on a-project: roles/secretmanager.admin ("},
		{"no API of projects", "gcloud|projects|* → echo 'API [cloudresourcemanager.googleapis.com] not enabled on project' >&2; exit 1", "", "gcloud services enable cloudresourcemanager.googleapis.com --project=a-project"},
		{"no account", "gcloud|auth|list|* →", "", "run gcloud auth login"},
		{"no project", "gcloud|projects|* → exit 1", "", "gcloud projects create a-project"},
		{"no billing", "gcloud|billing|* → echo False", "", "gcloud billing projects link a-project"},
		{"functions of that name", "gcloud|iam|service-accounts|describe|whatis-functions@* →", "", "another name: --functions deployed whatis to a-project"},
		{"a project's number", "", "--project 123456", "--project: the ID"},
		{"a zone", "", "--region europe-west1-b", "--region: a region"},
		{"no decision", "", "--learn-from-search maybe", "--learn-from-search: true or false"},
		{"a decision in two ways", "", "--var learn_from_search=true", "say --learn-from-search instead"},
		{"a long prefix", "", "--var name_prefix=much-too-long-a-prefix", "name_prefix is much-too-long-a-prefix"},
		{"no such part", "", "--only everything", "--only everything: want build"},
		{"no notes", "", "--only apply", "name the folder --notes"},

		{"all ingress forbidden", list(ingress, "allowed", "internal internal-and-cloud-load-balancing"), "", "run.allowedIngress: it forbids all, as the API would be: --var api_ingress=internal-and-cloud-load-balancing"},
		{"a balancer's ingress forbidden", list(ingress, "allowed", "internal"), balancer, "it forbids internal-and-cloud-load-balancing"},
		{"Binary Authorization", list("run.allowedBinaryAuthorizationPolicies", "allowed", "default"), "", "it demands Binary Authorization"},
		{"another continent", list("gcp.resourceLocations", "allowed", "in:us-locations"), "", "gcp.resourceLocations: it forbids europe-west1"},
		{"the region denied", list("gcp.resourceLocations", "denied", "europe-west1"), "", "gcp.resourceLocations: it forbids europe-west1"},
		{"own keys", list(cmek, "denied", "is:storage.googleapis.com"), "", "it wants a key for storage.googleapis.com: --var kms_key"},
		{"other models", list(models, "allowed", "publishers/google/models/gemini-2.5-pro:predict"), "", "vertexai.allowedModels: it forbids gemini-3.5-flash-lite"},
		{"a model given", list(models, "denied", "publishers/google/models/gemini-other"), "--var judge_model=gemini-other", "vertexai.allowedModels: it forbids gemini-other"},
		{"no models", policy(models, `{"denyAll": true}`), "", "vertexai.allowedModels: it forbids gemini-embedding-2"},
		{"nobody from outside", list("iam.allowedPolicyMemberDomains", "allowed", "C0abc"), "--var public_api=true", "--var domain_restricted_sharing=true"},

		{"billing that nobody may see", "gcloud|billing|* → exit 1", "", ""},
		{"rights that nobody may see", "curl|* → exit 1", "", ""},
		{"no rules", policy("*", `{"allowAll": true}`), "", ""},
		{"behind a balancer", list(ingress, "allowed", "internal is:internal-and-cloud-load-balancing"), balancer, ""},
		{"the European Union", list("gcp.resourceLocations", "allowed", "in:eu-locations"), "", ""},
		{"own keys given", list(cmek, "denied", "is:storage.googleapis.com"), "--var kms_key=projects/k", ""},
		{"models of a key", policy(models, `{"denyAll": true}`), "--var gemini_secret=key", ""},
	} {
		t.Run(tt[0], func(t *testing.T) {
			t.Parallel()
			d := drill{name: tt[0], answers: tt[1], args: tt[2], code: 2, says: []string{tt[3]}}
			if tt[3] == "" {
				d.code = 0
			}
			d.runs(t, cloud(t), "deploy", deployed...)
		})
	}
	// Where photos are processed is asked for, unless a key of the Gemini API is used; and what
	// they may cost, of which no limit is one too.
	drill{name: "no location, no limit", args: "--yes", code: 2, says: []string{"--model-location: where models process photos", "--var max_usd_per_day=20: what the models may cost a day"}}.runs(t, cloud(t), "deploy", deployed[:6]...)
	drill{name: "a key", args: "--yes --var gemini_secret=key --var vertex_location=global --var max_usd_per_day=0"}.runs(t, cloud(t), "deploy", deployed[:6]...)
	// Versions are numbers: 1.10 is newer than 1.9, and 2.0 than both.
	for _, version := range []string{"v1.9.0", "v1.10.5", "v2.0.0"} {
		w := newTools(t, "terraform")
		w.answer("terraform|version → echo Terraform " + version)
		if got := run(t, w.alone(), "deploy", "--dry-run"); strings.Contains(got.stderr, "terraform") || !strings.Contains(got.stderr, "gcloud: install") {
			t.Errorf("deploy with Terraform %s misses %q; want no terraform in it", version, got.stderr)
		}
	}
}

// credentials has each call of Terraform that matters note what credentials it gets, and the upload.
func credentials(tokeninfo, metadata, impersonated string) string {
	const note = `printf '%s %s\n' "${GOOGLE_OAUTH_ACCESS_TOKEN:-none}" "${GOOGLE_IMPERSONATE_SERVICE_ACCOUNT:-none}" >>"$TOOLS/log"`
	return `
		gcloud|auth|application-default|* → echo adc
		curl|*tokeninfo → [[ $(</dev/stdin) == access_token=adc ]] && printf '%s' '` + tokeninfo + `'
		curl|*metadata* → [[ -n '` + metadata + `' ]] && echo ` + metadata + `
		gcloud|config|get|* → echo ` + impersonated + `
		terraform|*|plan|* → ` + note + `
		terraform|*|apply|* → ` + note + `
		terraform|*|init|* → ` + note + `
		go|run|./scripts/whatisit|upload|* → printf 'with %s\n' "${GOOGLE_OAUTH_ACCESS_TOKEN:-none}" >>"$TOOLS/log"; echo '` + product + `'`
}

// noted is what a deployment asks for with these credentials of init, plan, apply and upload. What is
// deployed is looked at before the apply and after the sample, with credentials that are renewed.
func noted(terraform, upload string) []string {
	all := []string{"| init |", terraform, examined, "| plan |", terraform, applied, terraform, "with " + upload, examined}
	if upload != "none" {
		all = slices.DeleteFunc(all, func(asked string) bool { return asked == examined })
	}
	return all
}

// Whatever goes wrong from the apply on, the image that ran before runs again; before it, nothing is
// applied. What is applied, as whom and with what, is as it was asked for.
func TestDeployRuns(t *testing.T) {
	t.Parallel()
	const try = "go|run|./scripts/whatisit|upload|* → "
	again, nothing := []string{back}, []string{applied, back}
	failed := func(name, answers, says string) drill {
		return drill{name: name, answers: answers, code: 1, says: []string{says, oldImage + " runs again"}, asks: again}
	}
	undone := func(name, answers, says string) drill {
		return drill{name: name, answers: answers, code: 1, says: []string{says}, omits: nothing}
	}
	deployer := func(name string, asks, omits []string, values ...string) drill {
		return drill{name: name, values: values, asks: asks, omits: omits}
	}
	jo, nobody := []string{"-var=deployer=jo@example.com"}, []string{"-var=deployer="}
	made := func(service string) string { return strings.Replace(identity, "pubsub", service, 1) }
	const jos, deploys = `{"email": "jo@example.com"}`, "deploy@a-project.iam.gserviceaccount.com"
	for _, d := range []drill{
		failed("apply", "terraform|*|apply|-input=false|* → echo revision is not ready >&2; exit 1", "revision is not ready"),
		failed("no samples", "go|run|./emulators|* → exit 1", "it went wrong"),
		failed("no product", try+`echo '{"error": "analysis_failed", "message": "quota", "image": {"generation": "42"}}'; exit 1`, "quota"),
		failed("an empty name", try+`echo '{"product_name": "", "image": {"generation": "42"}}'`, "has no product in its result"),
		{name: "nothing ran before", answers: try + "exit 1\n gcloud|run|services|list|* →", code: 1, says: []string{"nothing ran before"}, asks: []string{applied}, omits: again},
		undone("no build", "go|run|github.com/google/ko@* → exit 1", ""),
		undone("no plan", "terraform|*|plan|* → exit 1", ""),
		undone("no image to go back to", "gcloud|run|* → exit 1", ""),
		undone("no digest", "go|run|github.com/google/ko@* →", "ko names no digest"),
		undone("a tag", "go|run|github.com/google/ko@* → echo "+registry+":latest", "ko names no digest"),
		undone("half a digest", "go|run|github.com/google/ko@* → echo "+registry+"@sha256:123", "ko names no digest"),
		{name: "a foreign bucket", answers: "gcloud|storage|buckets|describe|*--raw* → echo 666", code: 1, says: []string{"gs://a-project-whatis-tfstate belongs to another project"}, asks: []string{owner}, omits: []string{versioned, "| init |"}},
		{name: "a foreign revision", args: "--revision whatis-upload-00012-abc", answers: "gcloud|run|revisions|describe|* → echo gcr.io/other:latest", code: 1, says: []string{"whatis-upload-00012-abc runs gcr.io/other:latest: want an image of "}, omits: nothing},

		deployer("no caller has a role", nil, nobody),
		deployer("callers of the API", nil, nobody, `api_invokers=["user:ana@example.com"]`),
		deployer("people of IAP", jo, nil, `iap_members=["user:ana@example.com"]`),
		deployer("a public API", jo, nil, "public_api=true", "max_usd_per_day=5"),
		deployer("another owner is named", nil, nobody, `iap_members=["user:ana@example.com"]`, "deployer=lee@example.com"), // it is among the values
		// What IAP and a key of encryption need is made before anything is applied.
		deployer("IAP and a key", []string{identity, made("iap"), made("artifactregistry"), made("firestore"), made("run"), initial}, nil, `iap_members=["user:jo@example.com"]`, "kms_key=projects/k"),

		// Application-default credentials are used if they are those of the account, as they are
		// renewed; otherwise each step gets a token of gcloud's. So does the upload of the sample where
		// a service account is impersonated: Terraform reads GOOGLE_IMPERSONATE_SERVICE_ACCOUNT, and
		// Google's clients do not.
		{name: "the account's credentials", answers: credentials(jos, "", ""), asks: noted("none none", "none")},
		{name: "somebody else's", answers: credentials(`{"email": "kim@example.com"}`, "", ""), asks: noted("token none", "token"), omits: []string{examined}},
		{name: "of a machine", answers: credentials(`{"scope": "cloud-platform"}`, "jo@example.com", ""), asks: noted("none none", "none")},
		{name: "of nobody", answers: credentials("", "", ""), asks: noted("token none", "token"), omits: []string{examined}},
		{name: "the account's, which impersonates", answers: credentials(jos, "", deploys), asks: noted("none "+deploys, "token"), omits: []string{examined}},

		// New rights take minutes to spread: without a result the sample is tried again, for seven
		// minutes.
		{name: "rights that come", answers: "once " + try + "exit 1", asks: []string{upload, "sleep | 30", upload, output + "next"}},
		{name: "rights that do not come", answers: try + "exit 1", code: 1, asks: append(slices.Repeat([]string{upload}, 14), back)},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			d.runs(t, w, "deploy", deployed...)
			if asked := w.asked(); slices.Contains(asked, back) && asked[len(asked)-1] != back || strings.Count(strings.Join(asked, "\n"), upload) > 14 {
				t.Errorf("deploy goes on behind the way back, or tries for ever:\n  %s", strings.Join(asked, "\n  "))
			}
		})
	}
	for typed, want := range map[string]bool{"yes\n": true, "y\n": false, "no\n": false, "": false} {
		d := drill{name: fmt.Sprintf("answered %q", typed), typed: typed, code: 1, says: []string{"Apply this to a-project?"}, omits: nothing}
		if want {
			d.code, d.asks, d.omits = 0, []string{applied}, again
		}
		d.runs(t, cloud(t), "deploy", deployed[:len(deployed)-1]...)
	}
}

// Values reach Terraform as they are, in whatever way they are given, and files are found
// where the caller is. What was given once is kept, shown, and counts again; a limit that
// cannot be read stops everything.
func TestDeployVariables(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer(`
		gcloud|storage|cp|* → cp "$3" "$TOOLS/bucket"
		gcloud|storage|cat|* → [[ -f $TOOLS/bucket ]] || { echo matched no objects >&2; exit 1; }; printf '%s\n' "$(<"$TOOLS/bucket")"
		go|run|github.com/google/ko@* → echo ` + newImage + `
		cp|* → [[ $2 != */bucket ]] || exec /bin/cp "$@"`)
	w.write("a b.tfvars", "# mine\nname_prefix = \"other\"\ncountry     = \"US\"\n", 0o644)
	file := filepath.Join(w.dir, "a b.tfvars")
	drill{name: "first", values: []string{`alert_emails=["a b@example.com", "$(x)'*@example.com"]`, "shop=two  words", "max_usd_per_day=20", "allow_data_loss=true"},
		asks: []string{"terraform | -chdir=terraform | plan | -out=NOTES/plan | -input=false | -var-file=NOTES/values.tfvars | -var=allow_data_loss=true | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=other"},
	}.runs(t, w, "deploy", append(slices.Clone(deployed), "--var-file="+file)...)
	const want = "alert_emails    = [\"a b@example.com\", \"$(x)'*@example.com\"]\ncountry         = \"US\"\nmax_usd_per_day = 20\nshop            = \"two  words\"\nvertex_location = \"eu\"\n"
	if got := read(t, filepath.Join(w.dir, "bucket")); got != want {
		t.Fatalf("deploy keeps %q; want %q", got, want)
	}
	// Again, with one change: the others stay, and are shown before anything is done.
	got := drill{name: "again", args: "--var name_prefix=other --var shop=three --default country", values: []string{`iap_members=["domain:example.com"]`}}.runs(t, w, "deploy", deployed...)
	shown, _, _ := strings.Cut(got.stdout, "== the agents")
	for _, line := range []string{"  max_usd_per_day = 20\n", `* shop = "three" (was "two words")`, `* country: its default (was "US")`, `* iap_members = ["domain:example.com"] (was its default)`} {
		if !strings.Contains(shown, line) {
			t.Errorf("deploy again shows %q; want %q", shown, line)
		}
	}
	drill{name: "where photos go is not said again", args: "--yes --var name_prefix=other", says: []string{`  vertex_location = "eu"`}}.runs(t, w, "deploy", deployed[:6]...)
	drill{name: "what was kept asks for its rights", args: "--var name_prefix=other", answers: `curl|* → printf '%s' "${*//iap.webServices.setIamPolicy/}"`, code: 2, says: []string{"roles of this account on a-project: roles/iap.admin ("}}.runs(t, w, "deploy", deployed...)
	drill{name: "what was kept cannot be read", answers: "gcloud|storage|cat|* → echo 'ERROR: jo does not have storage.objects.get access' >&2; exit 1", code: 1, says: []string{"cannot be read: ERROR: jo does not have"}}.runs(t, w, "deploy", deployed...)
}

// The dry run prints the very commands that a run makes, and a line for each agent, which says what
// brings it.
func TestDeployDryRun(t *testing.T) {
	t.Parallel()
	dry := func(args ...string) bash {
		got := run(t, newTools(t).alone(), "deploy", append(args, "--dry-run")...)
		got.stdout = regexp.MustCompile(`'([^']*)'`).ReplaceAllString(got.stdout, "$1")
		if got.code != 0 || !strings.Contains(got.stderr, "gcloud: install it") {
			t.Errorf("deploy --dry-run %q = exit %d, %q; want 0, and what is missing", args, got.code, got.stderr)
		}
		return got
	}
	holds := func(printed string, lines ...string) {
		t.Helper()
		rest := printed
		for _, line := range lines {
			line = strings.NewReplacer(" | ", " ", "NOTES", "/tmp/deploy", newImage, registry+"@sha256:DIGEST", oldImage, registry+"@sha256:PREVIOUS").Replace(line)
			_, after, ok := strings.Cut(rest, line)
			if !ok {
				t.Errorf("deploy --dry-run prints\n%s\nwithout, or out of order,\n%s", printed, line)
				continue
			}
			rest = after
		}
	}
	whole := dry(deployed...).stdout
	holds(whole, kept, merge, enable, identity, bucket, create, versioned, override, initial, images, target, texts, koBuild, running, plan, keep, applied, samples, back)
	revision := dry(append(slices.Clone(deployed), "--revision", "whatis-upload-00012-abc")...).stdout
	if holds(revision, describe); strings.Contains(revision, "ko@") {
		t.Errorf("deploy --revision --dry-run builds:\n%s", revision)
	}
	bare := dry()
	if holds(bare.stdout, "gs://PROJECT-whatis-tfstate"); !strings.Contains(bare.stderr, "--learn-from-search: true or false") {
		t.Errorf("deploy --dry-run = %q; want what is missing", bare.stderr)
	}
	for _, agent := range defaults(t).Platform.Agents {
		holds(whole, "\n  "+agent+" ")
	}
	holds(whole, "left out, and costs nothing: --var openweather_secret", "--var brave_secret=ID adds")
	holds(dry(append(slices.Clone(deployed), "--var", "openweather_secret=w", "--var", "brave_secret=b")...).stdout, "the weather of OpenWeather", "sought with Brave Search")
	holds(dry(append(slices.Clone(deployed), "--var", `agents=["search"]`)...).stdout, "  search    the catalogue", "  forecast  left out by agents", "  discover  left out by agents")
}

// Parts of a deployment tell each other what they need to know: as cloudbuild.yaml
// runs them, and as it goes on behind one that failed. Notes hold the digests.
func TestDeployParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answers, steps string // an exclamation mark is an exit with 1
		back                 bool
	}{
		{"twice", "", "build apply smoke rollback build apply smoke rollback", false},
		{"no product", `go|run|./scripts/whatisit|upload|* → echo '{"error": "x", "image": {"generation": "42"}}'; exit 1`, "build apply smoke! rollback!", true},
		{"no apply", "terraform|*|apply|-input=false|* → exit 1", "build apply! smoke! rollback!", true},
		{"no plan", "terraform|*|plan|* → exit 1", "build apply! rollback!", false},
		{"nothing built", "", "apply! rollback!", false},
		{"a smoke test of what was not applied", "", "build smoke! rollback!", false},
		{"a second that fails", "", "build apply smoke rollback build rollback!", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer(tt.answers)
			notes := filepath.Join(w.dir, "tmp", "tmp.notes")
			rolled := false
			for _, step := range strings.Fields(tt.steps) {
				part, fails := strings.CutSuffix(step, "!")
				d := drill{name: "--only " + part, args: "--only " + part + " --notes " + notes}
				if fails {
					d.code = 1
				}
				d.runs(t, w, "deploy", deployed...)
				rolled = rolled || slices.Contains(w.asked(), back)
				for name, want := range map[string]string{"image": newImage, "previous": oldImage, "begun": newImage} {
					if part == "apply" && !fails && strings.TrimSpace(read(t, filepath.Join(notes, name))) != want {
						t.Errorf("note %s = %q, want %s", name, read(t, filepath.Join(notes, name)), want)
					}
				}
			}
			if rolled != tt.back {
				t.Errorf("rolled back: %v, want %v", rolled, tt.back)
			}
		})
	}
}

// Whoever interrupts it behind the apply, with Ctrl-C or by a machine's hand, gets
// the image back that ran before.
func TestDeployInterrupted(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs("deploy")
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		w := cloud(t)
		w.answer(`go|run|./scripts/whatisit|upload|* → touch "$TOOLS/reached"; /bin/sleep 3`)
		c := exec.CommandContext(t.Context(), path, deployed...)
		c.Env = w.env("HOME=" + w.dir)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell's jobs are
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for len(ended) == 0 {
			if _, err := os.Stat(filepath.Join(w.dir, "reached")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := syscall.Kill(-c.Process.Pid, signal); err != nil {
			t.Fatalf("deploy ended before it could be interrupted: %v, asked\n  %s", <-ended, strings.Join(w.asked(), "\n  "))
		}
		err = <-ended
		if lines := w.asked(); err == nil || lines[len(lines)-1] != back {
			t.Errorf("deploy at %v = %v, asked\n  %s\nwant an error, and a roll-back", signal, err, strings.Join(lines, "\n  "))
		}
	}
}

// --builder makes the account with the roles that a deployment checks for, keeps the
// variables for it, and names the build; it deploys nothing. Google needs a while until it
// knows a new account.
func TestDeployBuilder(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	drill{name: "builder", args: "--builder --var max_usd_per_day=20", values: []string{`iap_members=["user:jo@example.com", "domain:example.com"]`}, answers: `
		gcloud|iam|service-accounts|describe|* → exit 1
		gcloud|iam|service-accounts|create|* →
		once gcloud|projects|add-iam-policy-binding|* → echo 'Service account does not exist' >&2; exit 1
		gcloud|projects|add-iam-policy-binding|* →`,
		says: []string{"* max_usd_per_day = 20 (was its default)\n", `* iap_members = ["user:jo@example.com", "domain:example.com"]`,
			"gcloud builds submit --project=a-project --service-account=projects/a-project/serviceAccounts/whatis-build@a-project.iam.gserviceaccount.com --substitutions=_REGION=europe-west1,_LEARN_FROM_SEARCH=false,_COMMIT=\"$(git rev-parse HEAD)\"\n"},
		asks: []string{"add-iam-policy-binding", "sleep", "add-iam-policy-binding", keep}, omits: []string{initial},
	}.runs(t, w, "deploy", deployed...)
	roles := map[string]bool{}
	for _, line := range w.asked() {
		if _, role, ok := strings.Cut(line, "add-iam-policy-binding | a-project | --member=serviceAccount:"+builder+" | "); ok {
			roles[regexp.MustCompile(`--role=(roles/\S+)`).FindString(role)] = true
		}
	}
	if len(roles) != 14 || roles[""] {
		t.Errorf("deploy --builder gives the roles %v, want 14", roles)
	}
}

// An apply that was broken off says how to go on, and nothing is applied over a state that
// is locked or was not stored.
func TestDeployGoesOn(t *testing.T) {
	t.Parallel()
	const apply = "terraform|*|apply|-input=false|* → "
	for _, d := range []drill{
		{name: "locked", answers: apply + `printf 'Error: Error acquiring the state lock\nLock Info:\n  ID:        1716382937475\n  Who: kim\n' >&2; exit 1`, says: []string{"terraform -chdir=terraform force-unlock 1716382937475"}, omits: []string{back}},
		{name: "state lost", answers: apply + "touch terraform/errored.tfstate; exit 1", says: []string{"terraform -chdir=terraform state push errored.tfstate"},
			asks: []string{"gcloud | storage | cp | terraform/errored.tfstate | gs://a-project-whatis-tfstate/errored.tfstate"}, omits: []string{back}},
		{name: "anything else", answers: apply + "echo Error: quota >&2; exit 1", says: []string{"it goes on where it stopped"}, asks: []string{back}},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			// errored.tfstate is written beside the sources: here, beside a copy of them.
			repo := t.TempDir()
			for _, name := range []string{"scripts/deploy", "scripts/credentials", "scripts/functions", "terraform/variables_service.tf"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(repo, name), []byte(read(t, "../"+name)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			script := filepath.Join(repo, "scripts", "deploy")
			d.code = 1
			d.runs(t, w, script, deployed...)
			if d.name == "state lost" {
				drill{name: "again", code: 2, says: []string{"the state of an earlier apply, terraform/errored.tfstate"}}.runs(t, w, script, deployed...)
			}
		})
	}
}

// No document applies with Terraform alone: the variables of a deployment lie beside its state,
// where scripts/deploy finds them, and all that is not given gets its default. Without
// max_usd_per_day nothing limits a day.
func TestDocsApplyByScript(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../docs/*.md")
	if err != nil || len(documents) < 20 {
		t.Fatalf("the documents are %q, %v", documents, err)
	}
	for _, file := range append(documents, "../README.md") {
		if line := regexp.MustCompile(`(?m)^\$ terraform .*apply.*$`).FindString(read(t, file)); line != "" {
			t.Errorf("%s shows %q: want scripts/deploy", file, line)
		}
	}
}
