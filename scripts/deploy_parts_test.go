package scripts

import (
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

// What is missing is said all at once, and nothing is changed.
func TestDeployMissing(t *testing.T) {
	t.Parallel()
	bare := run(t, newTools(t).alone(), "deploy", "--var", "image=x", "--var-file", "none.tfvars", "--fast", "--region")
	for _, want := range []string{
		"--project: the ID", "--region needs a value", "--learn-from-search: true or false", "--var image", "--var-file none.tfvars", "unknown option --fast",
		"gcloud: install", "terraform 1.9 or newer: install", "go 1.26 or newer: install", "curl: install",
	} {
		if bare.code != 2 || !strings.Contains(bare.stderr, want) {
			t.Errorf("deploy with nothing = exit %d, %q; want 2, and %q among it", bare.code, bare.stderr, want)
		}
	}
	tests := []struct {
		name, pattern, code string
		env                 []string
		args                []string
		stderr              string
	}{
		{"an old terraform", "terraform|version", "echo Terraform v1.8.5", nil, deployed, "terraform 1.9 or newer: this is 1.8"},
		{"an old go", "go|version", "echo go version go1.9.7 linux/amd64", nil, deployed, "go 1.26 or newer: this is 1.9"},
		{"an old gcloud", "gcloud|version", `printf 'Google Cloud SDK 470.0.0\nbeta 2024.03.29\n'`, nil, deployed, "gcloud 528 or newer: this is 470.0"},
		{"no beta commands", "gcloud|version", `printf 'Google Cloud SDK 540.0.0\ncore 2025.09.23\n'`, nil, deployed, "gcloud components install beta"},
		{"no rights", "curl|*", `echo '{"permissions":["run.services.setIamPolicy"]}'`, nil, deployed, "roles of this account on a-project: roles/artifactregistry.admin roles/datastore.owner roles/iam.roleAdmin roles/iam.serviceAccountAdmin"},
		{"no right on IAP", "curl|*", `printf '%s' "${*//iap.webServices.setIamPolicy/}"`, nil, append(slices.Clone(deployed), "--var", `iap_members=["user:jo@example.com"]`), "roles of this account on a-project: roles/iap.admin ("},
		{"no right on balancers", "curl|*", `printf '%s' "${*//compute.globalForwardingRules.create/}"`, nil, append(slices.Clone(deployed), "--var", "balancer_domain=whatis.example.com"), "roles of this account on a-project: roles/compute.loadBalancerAdmin ("},
		{"no right on secrets", "curl|*", `printf '%s' "${*//secretmanager.secrets.setIamPolicy/}"`, nil, append(slices.Clone(deployed), "--var", "brave_secret=key"), "roles of this account on a-project: roles/secretmanager.admin ("},
		{"no API of projects", "gcloud|projects|*", "echo 'API [cloudresourcemanager.googleapis.com] not enabled on project' >&2; exit 1", nil, deployed, "gcloud services enable cloudresourcemanager.googleapis.com --project=a-project"},
		{"no account", "gcloud|auth|list|*", "", nil, deployed, "run gcloud auth login"},
		{"no project", "gcloud|projects|*", "exit 1", nil, deployed, "gcloud projects create a-project"},
		{"no billing", "gcloud|billing|*", "echo False", nil, deployed, "gcloud billing projects link a-project"},
		{"functions of that name", "gcloud|iam|service-accounts|describe|whatis-functions@*", "", nil, deployed, "another name: --functions deployed whatis to a-project"},
		{"a shell of the emulators", "none", "", []string{"STORAGE_EMULATOR_HOST=127.0.0.1:1"}, deployed, "STORAGE_EMULATOR_HOST is set"},
		{"a project's number", "none", "", nil, append(slices.Clone(deployed), "--project", "123456"), "--project: the ID"},
		{"a zone", "none", "", nil, append(slices.Clone(deployed), "--region", "europe-west1-b"), "--region: a region"},
		{"no decision", "none", "", nil, append(slices.Clone(deployed), "--learn-from-search", "maybe"), "--learn-from-search: true or false"},
		{"a decision in two ways", "none", "", nil, append(slices.Clone(deployed), "--var", "learn_from_search=true"), "say --learn-from-search instead"},
		{"a long prefix", "none", "", nil, append(slices.Clone(deployed), "--var", "name_prefix=much-too-long-a-prefix"), "name_prefix is much-too-long-a-prefix"},
		{"no such part", "none", "", nil, append(slices.Clone(deployed), "--only", "everything"), "--only everything: want build"},
		{"no notes", "none", "", nil, append(slices.Clone(deployed), "--only", "apply"), "name the folder --notes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", test.pattern, test.code)
			if got := run(t, w.env(test.env...), "deploy", test.args...); got.code != 2 || !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("deploy = exit %d, %q; want 2, and %q", got.code, got.stderr, test.stderr)
			}
			if lines := w.changed(); len(lines) != 0 {
				t.Errorf("deploy changed %q", lines)
			}
		})
	}
	// Where photos are processed is asked for, unless a key of the Gemini API is used; and what
	// they may cost, of which no limit is one too.
	if got := run(t, cloud(t).env(), "deploy", append(slices.Clone(deployed[:6]), "--yes")...); got.code != 2 ||
		!strings.Contains(got.stderr, "--model-location: where models process photos") || !strings.Contains(got.stderr, "--var max_usd_per_day=20: what the models may cost a day") {
		t.Errorf("deploy without --model-location and a limit = exit %d, %q; want 2, and what they mean", got.code, got.stderr)
	}
	if got := run(t, cloud(t).env(), "deploy", append(slices.Clone(deployed[:6]), "--yes", "--var", "gemini_secret=key", "--var", "vertex_location=global", "--var", "max_usd_per_day=0")...); got.code != 0 {
		t.Errorf("deploy with a key = exit %d, %q; want 0", got.code, got.stderr)
	}
	// Versions are numbers: 1.10 is newer than 1.9, and 2.0 than both.
	for _, version := range []string{"v1.9.0", "v1.10.5", "v2.0.0"} {
		w := newTools(t, "terraform")
		w.answer("10", "terraform|version", "echo Terraform "+version)
		if got := run(t, w.alone(), "deploy", "--dry-run"); strings.Contains(got.stderr, "terraform") || !strings.Contains(got.stderr, "gcloud: install") {
			t.Errorf("deploy with Terraform %s misses %q; want no terraform in it", version, got.stderr)
		}
	}
	// Billing and rights that nobody may look at stop nothing.
	for _, hidden := range []string{"gcloud|billing|*", "curl|*"} {
		w := cloud(t)
		w.answer("10", hidden, "exit 1")
		if got := run(t, w.env(), "deploy", deployed...); got.code != 0 {
			t.Errorf("deploy where %s is hidden = exit %d, %q; want 0", hidden, got.code, got.stderr)
		}
	}
}

// Parts of a deployment tell each other what they need to know: as cloudbuild.yaml
// runs them, and as it goes on behind one that failed.
func TestDeployParts(t *testing.T) {
	t.Parallel()
	type step struct {
		part string
		code int
	}
	passing := []step{{"build", 0}, {"apply", 0}, {"smoke", 0}, {"rollback", 0}}
	tests := []struct {
		name, pattern, code string
		steps               []step
		back                bool
	}{
		{"twice", "none", "", slices.Concat(passing, passing), false},
		{"no product", "go|run|./scripts/whatisit|upload|*", `echo '{"error": "x", "image": {"generation": "42"}}'; exit 1`, []step{{"build", 0}, {"apply", 0}, {"smoke", 1}, {"rollback", 1}}, true},
		{"no apply", "terraform|*|apply|-input=false|*", "exit 1", []step{{"build", 0}, {"apply", 1}, {"smoke", 1}, {"rollback", 1}}, true},
		{"no plan", "terraform|*|plan|*", "exit 1", []step{{"build", 0}, {"apply", 1}, {"rollback", 1}}, false},
		{"nothing built", "none", "", []step{{"apply", 1}, {"rollback", 1}}, false},
		{"a smoke test of what was not applied", "none", "", []step{{"build", 0}, {"smoke", 1}, {"rollback", 1}}, false},
		{"a second that fails", "none", "", slices.Concat(passing, []step{{"build", 0}, {"rollback", 1}}), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", test.pattern, test.code)
			notes := filepath.Join(w.dir, "tmp", "tmp.notes")
			for _, s := range test.steps {
				got := run(t, w.env(), "deploy", append(slices.Clone(deployed), "--only", s.part, "--notes", notes)...)
				if got.code != s.code {
					t.Errorf("deploy --only %s = exit %d, %q; want %d", s.part, got.code, got.stderr, s.code)
				}
			}
			if slices.Contains(w.asked(), back) != test.back {
				t.Errorf("asked\n  %s\nrolled back should be %v", strings.Join(w.asked(), "\n  "), test.back)
			}
		})
	}
}

// Notes of a relative folder lie where the caller is, and hold the digests.
func TestDeployNotes(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	notes := filepath.Join(w.dir, "notes")
	for _, part := range []string{"build", "apply"} {
		run(t, w.env(), "deploy", append(slices.Clone(deployed), "--only", part, "--notes", notes)...)
	}
	for name, want := range map[string]string{"image": newImage, "previous": oldImage, "begun": newImage} {
		if text, err := os.ReadFile(filepath.Join(notes, name)); err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("note %s = %q, %v; want %s", name, text, err, want)
		}
	}
}

// ko that prints no digest deploys nothing.
func TestDeployWithoutDigest(t *testing.T) {
	t.Parallel()
	for _, built := range []string{"", registry + ":latest", registry + "@sha256:123"} {
		w := cloud(t)
		w.answer("10", "go|run|github.com/google/ko@*", "echo "+built)
		got := run(t, w.env(), "deploy", deployed...)
		if got.code != 1 || !strings.Contains(got.stderr, "ko names no digest") || slices.Contains(w.asked(), applied) {
			t.Errorf("deploy of %q = exit %d, %q; want 1, and nothing applied", built, got.code, got.stderr)
		}
	}
}

// Whoever interrupts it behind the apply, with Ctrl-C or by a machine's hand, gets
// the image back that ran before.
func TestDeployInterrupted(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		w := cloud(t)
		w.answer("10", "go|run|./scripts/whatisit|upload|*", `touch "$TOOLS/reached"; /bin/sleep 3`)
		path, err := filepath.Abs("deploy")
		if err != nil {
			t.Fatal(err)
		}
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

// It does not matter where one stands.
func TestDeployFromAnywhere(t *testing.T) {
	t.Parallel()
	for folder, command := range map[string]string{".": "deploy", "whatisit": "../deploy", "..": "scripts/deploy", "../scripts": "./destroy"} {
		c := exec.CommandContext(t.Context(), "bash", command, "--help")
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--dry-run prints every command") {
			t.Errorf("%s --help in %s = %v, %s; want its usage", command, folder, err, out)
		}
	}
}

// What IAP and a key of encryption need is made before anything is applied.
func TestDeployMakesAgents(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer("40", "gcloud|services|enable|*", "")
	run(t, w.env(), "deploy", append(slices.Clone(deployed), "--var", `iap_members=["user:jo@example.com"]`, "--var", "kms_key=projects/k")...)
	asked := w.asked()
	first := slices.Index(asked, initial)
	for _, service := range []string{"pubsub", "iap", "artifactregistry", "firestore", "run"} {
		at := slices.Index(asked, "gcloud | beta | services | identity | create | --service="+service+".googleapis.com | --project=a-project")
		if at < 0 || at > first {
			t.Errorf("the account of %s is made as command %d of\n  %s\nwant it before terraform", service, at, strings.Join(asked, "\n  "))
		}
	}
}

// Policies of the organisation that would end an apply in its middle are said first.
func TestDeployPolicies(t *testing.T) {
	t.Parallel()
	rules := func(rule string) string {
		return `printf '{"name": "projects/123/policies/x", "spec": {"rules": [` + rule + `]}}'`
	}
	list := func(kind string, values ...string) string {
		return rules(`{"values": {"` + kind + `": [` + `"` + strings.Join(values, `", "`) + `"` + `]}}`)
	}
	for _, test := range []struct {
		name, constraint, ruling string
		args                     []string
		stderr                   string // "" is nothing
	}{
		{"no rules", "*", `printf '{"spec": {"rules": [{"allowAll": true}]}}'`, nil, ""},
		{"all ingress forbidden", "run.allowedIngress", list("allowedValues", "internal", "internal-and-cloud-load-balancing"), nil, "run.allowedIngress: it forbids all, as the API would be: --var api_ingress=internal-and-cloud-load-balancing"},
		{"behind a balancer", "run.allowedIngress", list("allowedValues", "internal", "is:internal-and-cloud-load-balancing"), []string{"--var", "balancer_domain=whatis.example.com"}, ""},
		{"a balancer's ingress forbidden", "run.allowedIngress", list("allowedValues", "internal"), []string{"--var", "balancer_domain=whatis.example.com"}, "it forbids internal-and-cloud-load-balancing"},
		{"Binary Authorization", "run.allowedBinaryAuthorizationPolicies", list("allowedValues", "default"), nil, "it demands Binary Authorization"},
		{"another continent", "gcp.resourceLocations", list("allowedValues", "in:us-locations"), nil, "gcp.resourceLocations: it forbids europe-west1"},
		{"the European Union", "gcp.resourceLocations", list("allowedValues", "in:eu-locations"), nil, ""},
		{"the region denied", "gcp.resourceLocations", list("deniedValues", "europe-west1"), nil, "gcp.resourceLocations: it forbids europe-west1"},
		{"own keys", "gcp.restrictNonCmekServices", list("deniedValues", "is:storage.googleapis.com"), nil, "it wants a key for storage.googleapis.com: --var kms_key"},
		{"own keys given", "gcp.restrictNonCmekServices", list("deniedValues", "is:storage.googleapis.com"), []string{"--var", "kms_key=projects/k"}, ""},
		{"other models", "vertexai.allowedModels", list("allowedValues", "publishers/google/models/gemini-2.5-pro:predict"), nil, "vertexai.allowedModels: it forbids gemini-3.5-flash-lite"},
		{"a model given", "vertexai.allowedModels", list("deniedValues", "publishers/google/models/gemini-other"), []string{"--var", "judge_model=gemini-other"}, "vertexai.allowedModels: it forbids gemini-other"},
		{"no models", "vertexai.allowedModels", rules(`{"denyAll": true}`), nil, "vertexai.allowedModels: it forbids gemini-embedding-2"},
		{"models of a key", "vertexai.allowedModels", rules(`{"denyAll": true}`), []string{"--var", "gemini_secret=key"}, ""},
		{"nobody from outside", "iam.allowedPolicyMemberDomains", list("allowedValues", "C0abc"), []string{"--var", "public_api=true"}, "--var domain_restricted_sharing=true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("04", "gcloud|org-policies|describe|"+test.constraint+"|*", test.ruling)
			w.answer("05", "gcloud|org-policies|*", `printf '{"spec": {"rules": [{"allowAll": true}]}}'`)
			got := run(t, w.env(), "deploy", append(slices.Clone(deployed), test.args...)...)
			if test.stderr == "" && got.code != 0 || test.stderr != "" && (got.code != 2 || !strings.Contains(got.stderr, test.stderr)) {
				t.Errorf("deploy = exit %d, %q; want %q", got.code, got.stderr, test.stderr)
			}
			if lines := w.changed(); test.stderr != "" && len(lines) != 0 {
				t.Errorf("deploy changed %q", lines)
			}
		})
	}
}

// Where callers have roles, whoever deploys is an owner, unless another is named.
func TestDeployerIsOwner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		vars []string
		want string // the deployer that Terraform is told; "" for none
	}{
		{nil, ""},
		{[]string{`api_invokers=["user:ana@example.com"]`}, ""},
		{[]string{`iap_members=["user:ana@example.com"]`}, "jo@example.com"},
		{[]string{"public_api=true", "max_usd_per_day=5"}, "jo@example.com"},
		{[]string{`iap_members=["user:ana@example.com"]`, "deployer=lee@example.com"}, ""}, // it is among the values
	} {
		w := cloud(t)
		w.answer("40", "gcloud|services|enable|*", "")
		arguments := slices.Clone(deployed)
		for _, v := range tt.vars {
			arguments = append(arguments, "--var", v)
		}
		run(t, w.env(), "deploy", arguments...)
		var got []string
		for _, line := range w.asked() {
			if strings.Contains(line, "| plan |") {
				for part := range strings.SplitSeq(line, " | ") {
					if who, ok := strings.CutPrefix(part, "-var=deployer="); ok {
						got = append(got, who)
					}
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("with %q the deployer is %q, want %q", tt.vars, got, tt.want)
		}
	}
}

// --builder makes the account with the roles that a deployment checks for, keeps the
// variables for it, and names the build; it deploys nothing. Google needs a while until it
// knows a new account.
func TestDeployBuilder(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer("10", "gcloud|iam|service-accounts|describe|*", "exit 1")
	w.answer("11", "gcloud|iam|service-accounts|create|*", "")
	w.answer("12a-once", "gcloud|projects|add-iam-policy-binding|*", "echo 'Service account does not exist' >&2; exit 1")
	w.answer("12b", "gcloud|projects|add-iam-policy-binding|*", "")
	got := run(t, w.env(), "deploy", append(slices.Clone(deployed), "--builder", "--var", "max_usd_per_day=20", "--var", `iap_members=["user:jo@example.com", "domain:example.com"]`)...)
	if want := "gcloud builds submit --project=a-project --service-account=projects/a-project/serviceAccounts/whatis-build@a-project.iam.gserviceaccount.com --substitutions=_REGION=europe-west1,_LEARN_FROM_SEARCH=false,_COMMIT=\"$(git rev-parse HEAD)\"\n"; got.code != 0 || !strings.HasSuffix(got.stdout, want) {
		t.Errorf("deploy --builder = exit %d, %q, %q; want %q", got.code, got.stdout, got.stderr, want)
	}
	for _, want := range []string{"* max_usd_per_day = 20 (was its default)\n", `* iap_members = ["user:jo@example.com", "domain:example.com"]`} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("deploy --builder prints %q, want %q in it", got.stdout, want)
		}
	}
	roles := map[string]bool{}
	for _, line := range w.asked() {
		if _, role, ok := strings.Cut(line, "--role="); ok {
			roles[role] = true
			if !strings.Contains(line, "add-iam-policy-binding | a-project | --member=serviceAccount:whatis-build@a-project.iam.gserviceaccount.com") || !strings.HasPrefix(role, "roles/") {
				t.Errorf("%s: want a role of the builder", line)
			}
		}
	}
	if len(roles) != 14 || !slices.Contains(w.asked(), keep) || slices.Contains(w.asked(), initial) {
		t.Errorf("deploy --builder gives %d roles, want 14, the variables kept and nothing deployed:\n  %s", len(roles), strings.Join(w.asked(), "\n  "))
	}
}

// Application-default credentials are used if they are those of the account, as they are
// renewed; otherwise each step gets a token of gcloud's. So does the upload of the sample where
// a service account is impersonated: Terraform reads GOOGLE_IMPERSONATE_SERVICE_ACCOUNT, and
// Google's clients do not.
func TestDeployCredentials(t *testing.T) {
	t.Parallel()
	const env = `printf '%s\n' "${GOOGLE_OAUTH_ACCESS_TOKEN:-none} ${GOOGLE_IMPERSONATE_SERVICE_ACCOUNT:-none}" >>"$TOOLS/credentials"`
	for _, tt := range []struct {
		name, tokeninfo, metadata, impersonated, want, upload string
	}{
		{"the account's", `{"email": "jo@example.com"}`, "", "", "none none", "none"},
		{"somebody else's", `{"email": "kim@example.com"}`, "", "", "token none", "token"},
		{"of a machine", `{"scope": "cloud-platform"}`, "jo@example.com", "", "none none", "none"},
		{"of nobody", "", "", "", "token none", "token"},
		{"the account's, which impersonates", `{"email": "jo@example.com"}`, "", "deploy@a-project.iam.gserviceaccount.com", "none deploy@a-project.iam.gserviceaccount.com", "token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", "gcloud|auth|application-default|*", "echo adc")
			w.answer("11", "curl|*tokeninfo", `[[ $(</dev/stdin) == access_token=adc ]] && printf '%s' '`+tt.tokeninfo+`'`)
			w.answer("12", "curl|*metadata*", "[[ -n '"+tt.metadata+"' ]] && echo "+tt.metadata)
			w.answer("13", "gcloud|config|get|*", "echo "+tt.impersonated)
			w.answer("14", "terraform|*|plan|*", env)
			w.answer("15", "terraform|*|apply|*", env)
			w.answer("16", "terraform|*|init|*", env)
			w.answer("17", "go|run|./scripts/whatisit|upload|*", `printf '%s' "${GOOGLE_OAUTH_ACCESS_TOKEN:-none}" >"$TOOLS/uploaded"; echo '`+product+`'`)
			if got := run(t, w.env(), "deploy", deployed...); got.code != 0 {
				t.Fatalf("deploy = exit %d, %q", got.code, got.stderr)
			}
			if got := strings.Split(strings.TrimSpace(read(t, filepath.Join(w.dir, "credentials"))), "\n"); len(got) != 3 || slices.ContainsFunc(got, func(line string) bool { return line != tt.want }) {
				t.Errorf("init, plan and apply got %q, want each %q", got, tt.want)
			}
			looked := 0
			for _, asked := range w.asked() {
				if asked == examined {
					looked++
				}
			}
			if want := map[bool]int{true: 2}[tt.upload == "none"]; looked != want {
				t.Errorf("what is deployed was looked at %d times, want %d: before the apply and after the sample, with credentials that are renewed", looked, want)
			}
			if got := read(t, filepath.Join(w.dir, "uploaded")); got != tt.upload {
				t.Errorf("the upload got the token %q, want %q", got, tt.upload)
			}
		})
	}
}

// An apply that was broken off says how to go on, and nothing is applied over a state that
// is locked or was not stored.
func TestDeployGoesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, code string
		says       string
		back       bool
	}{
		{"locked", `printf 'Error: Error acquiring the state lock\nLock Info:\n  ID:        1716382937475\n  Who: kim\n' >&2; exit 1`, "terraform -chdir=terraform force-unlock 1716382937475", false},
		{"state lost", "touch terraform/errored.tfstate; exit 1", "terraform -chdir=terraform state push errored.tfstate", false},
		{"anything else", "echo Error: quota >&2; exit 1", "it goes on where it stopped", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("10", "terraform|*|apply|-input=false|*", tt.code)
			w.answer("11", "cp|*", "")
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
			got := run(t, w.env(), script, deployed...)
			if got.code != 1 || !strings.Contains(got.stderr, tt.says) {
				t.Errorf("deploy = exit %d, %q; want 1, and %q", got.code, got.stderr, tt.says)
			}
			if slices.Contains(w.asked(), back) != tt.back {
				t.Errorf("asked\n  %s\nrolled back should be %v", strings.Join(w.asked(), "\n  "), tt.back)
			}
			if tt.name == "state lost" {
				if !slices.Contains(w.asked(), "gcloud | storage | cp | terraform/errored.tfstate | gs://a-project-whatis-tfstate/errored.tfstate") {
					t.Error("the state that was not stored is nowhere but here")
				}
				run(t, w.env(), script, deployed...).want(t, "deploy again", 2, "", "the state of an earlier apply, terraform/errored.tfstate")
			}
		})
	}
}

// New rights take minutes to spread: without a result the sample is tried again, for seven
// minutes. One that only failed is a failure at once.
func TestDeploySmokeWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, first, then string
		code, tries       int
	}{
		{"rights that come", "exit 1", "echo '" + product + "'", 0, 2},
		{"rights that do not come", "exit 1", "exit 1", 1, 14},
		{"a failure", `echo '{"error": "analysis_failed", "image": {"generation": "42"}}'; exit 1`, "exit 1", 1, 1},
	} {
		w := cloud(t)
		w.answer("10-once", "go|run|./scripts/whatisit|upload|*", tt.first)
		w.answer("11", "go|run|./scripts/whatisit|upload|*", tt.then)
		got := run(t, w.env(), "deploy", deployed...)
		tries := 0
		for _, line := range w.asked() {
			if line == upload {
				tries++
			}
		}
		if got.code != tt.code || tries != tt.tries {
			t.Errorf("%s: deploy = exit %d after %d uploads, want %d after %d", tt.name, got.code, tries, tt.code, tt.tries)
		}
	}
}

// The dry run has a line for each agent, and says of which what brings it.
func TestDeployExplainsAgents(t *testing.T) {
	t.Parallel()
	bare := run(t, newTools(t).alone(), "deploy", append(slices.Clone(deployed), "--dry-run")...)
	agents := defaults(t).Platform.Agents
	if len(agents) < 4 {
		t.Errorf("the configuration has the agents %q, want 4 and more", agents)
	}
	for _, agent := range agents {
		if !regexp.MustCompile(`(?m)^  ` + agent + ` `).MatchString(bare.stdout) {
			t.Errorf("deploy --dry-run says nothing of %s:\n%s", agent, bare.stdout)
		}
	}
	full := run(t, newTools(t).alone(), "deploy", append(slices.Clone(deployed), "--dry-run", "--var", "openweather_secret=w", "--var", "brave_secret=b")...)
	some := run(t, newTools(t).alone(), "deploy", append(slices.Clone(deployed), "--dry-run", "--var", `agents=["search"]`)...)
	for out, want := range map[string][]string{some.stdout: {"  search    the catalogue", "  forecast  left out by agents", "  discover  left out by agents"}, bare.stdout: {"left out, and costs nothing: --var openweather_secret", "--var brave_secret=ID adds"}, full.stdout: {"the weather of OpenWeather", "sought with Brave Search"}} {
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("deploy --dry-run does not say %q:\n%s", w, out)
			}
		}
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
