package scripts

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/docs"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

var asFunctions = append(slices.Clone(deployed), "--functions")

// The page has the commands that --dry-run prints, which needs no tool.
func TestDocsFunctions(t *testing.T) {
	t.Parallel()
	got := run(t, newTools(t).alone(), "deploy", append(slices.Clone(asFunctions), "--dry-run")...)
	if got.code != 0 || !strings.Contains(got.stderr, "gcloud: install it") || strings.Contains(got.stderr, "terraform") {
		t.Errorf("deploy --functions --dry-run = exit %d, %q; want 0, and what is missing of gcloud alone", got.code, got.stderr)
	}
	docs.Section(t, "upload.md", "functions", "```sh\n"+strings.TrimSpace(got.stdout)+"\n```")
	got = run(t, newTools(t).alone(), "destroy", "--functions", "--project", "a-project", "--region", "europe-west1", "--dry-run")
	if got.code != 0 || got.stderr != "" {
		t.Errorf("destroy --functions --dry-run = exit %d, %q; want 0, and nothing", got.code, got.stderr)
	}
	docs.Section(t, "upload.md", "destroy", "```sh\n"+strings.TrimSpace(got.stdout)+"\n```")
}

// The page names the roles that are looked for and the variables that are taken, and the page of the
// other way its roles.
func TestDocsFunctionsNeeds(t *testing.T) {
	t.Parallel()
	roles := func(script string) string {
		_, rights, _ := strings.Cut(read(t, script), "rights=(\n")
		rights, _, _ = strings.Cut(rights, "\n  )\n")
		rights, _, _ = strings.Cut(rights, "\n)\n")
		return regexp.MustCompile(`\s*(roles/\S+)=\S+`).ReplaceAllString(rights, "`$1`, ")
	}
	got := run(t, newTools(t).alone(), "deploy", append(slices.Clone(asFunctions), "--dry-run", "--var", "none=1")...)
	takes := regexp.MustCompile(`--functions takes (.*);`).FindStringSubmatch(got.stderr)
	if takes == nil {
		t.Fatalf("deploy --functions --var none=1 says %q; want what it takes", got.stderr)
	}
	docs.Section(t, "upload.md", "needs", "Roles: `roles/owner`, or each of "+roles("functions")+"and `roles/secretmanager.admin` with `gemini_secret`.\n\n"+
		"`--var` takes "+regexp.MustCompile(`[a-z]+_\w+|country|shop`).ReplaceAllString(takes[1], "`$0`")+". All names begin with `name_prefix` (`whatis`); [configuration.md](configuration.md) explains the others, in capitals.")
	if want := "`roles/owner`, or each of " + strings.TrimSuffix(roles("deploy"), ", ") + " |"; !strings.Contains(read(t, "../docs/deploying.md"), want) {
		t.Errorf("docs/deploying.md does not say %s", want)
	}
}

// What is printed is what runs, in the project as it is; what is there already stays.
func TestFunctions(t *testing.T) {
	t.Parallel()
	w := cloud(t)
	w.answer(`
		gcloud|storage|buckets|describe|* → exit 1
		gcloud|firestore|databases|describe|* → exit 1
		gcloud|functions|describe|* → echo projects/a-project/locations/europe-west1/triggers/whatis-upload-1
		gcloud|eventarc|* → echo projects/a-project/subscriptions/eventarc-1
		gcloud|firestore|databases|create|* → echo 'ERROR: Database already exists.' >&2; exit 1
		` + projectAnswers + `
		gcloud|* →`)
	got := run(t, w.env(), "deploy", asFunctions...)
	if got.code != 0 {
		t.Fatalf("deploy --functions = exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	asked := w.asked()
	first := slices.IndexFunc(asked, func(line string) bool { return strings.HasPrefix(line, "gcloud | services | enable") })
	var ran []string
	for _, line := range asked[first:] {
		if !strings.Contains(line, " | describe | ") {
			ran = append(ran, strings.ReplaceAll(line, " | ", " "))
		}
	}
	var shown []string
	for line := range strings.Lines(regexp.MustCompile(`'([^']*)'`).ReplaceAllString(got.stdout[:strings.Index(got.stdout, "# == try them")], "$1")) {
		if strings.HasPrefix(line, "gcloud ") {
			shown = append(shown, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(ran, shown) || len(ran) < 40 {
		t.Errorf("deploy --functions ran\n  %s\nand showed\n  %s", strings.Join(ran, "\n  "), strings.Join(shown, "\n  "))
	}
	if want := "gcloud pubsub subscriptions update projects/a-project/subscriptions/eventarc-1 --ack-deadline=600"; !slices.Contains(ran, want) {
		t.Errorf("deploy --functions did not run %s", want)
	}
}

// What is missing is said first, and nothing is changed.
func TestFunctionsMissing(t *testing.T) {
	t.Parallel()
	const here, bucket = "gcloud|storage|buckets|describe|gs://photos|* → ", "--bucket photos"
	for _, tt := range [][4]string{ // what it is, answers, arguments, and what is said
		{"a bucket elsewhere", here + `printf '123\tUS-CENTRAL1\n'`, bucket, "--region europe-west1: gs://photos is in us-central1: say --region us-central1"},
		{"another's bucket", here + `printf '99\tEU\n'`, bucket, "gs://photos: it belongs to another project"},
		{"a database in Datastore mode", "gcloud|firestore|databases|describe|* → echo DATASTORE_MODE", "", "the database whatis: it is DATASTORE_MODE"},
		{"no rights", `curl|* → printf '%s' "${*//cloudfunctions.functions.create/}"`, "", "roles of this account on a-project: roles/cloudfunctions.developer ("},
		{"a variable of Terraform's", "", "--var upload_days=3", "-var upload_days: --functions takes"},
		{"a deployment of Terraform's", "gcloud|storage|buckets|describe|gs://a-project-whatis-tfstate|* → echo it", "", "another name: Terraform deployed whatis to a-project"},
		{"a location without the models", "", "--model-location mars", "--model-location mars: it has no gemini-3.6-flash, which is at global, us, eu"},
	} {
		t.Run(tt[0], func(t *testing.T) {
			t.Parallel()
			w := cloud(t)
			w.answer("gcloud|storage|buckets|describe|* → exit 1\ngcloud|firestore|databases|describe|* → exit 1")
			drill{name: tt[0], answers: tt[1], args: tt[2], code: 2, says: []string{tt[3]}}.runs(t, w, "deploy", asFunctions...)
		})
	}
}

// What it would pass over in silence is refused: what Terraform alone reads, and models.
func TestFunctionsRefuses(t *testing.T) {
	t.Parallel()
	got := run(t, newTools(t).alone("TF_VAR_max_usd_per_day=20"), "deploy", "--functions", "--project", "a-project", "--region", "europe-west1", "--learn-from-search", "false",
		"--model-location", "eu", "--var", "judge_model=gemini-3.1-pro-preview", "--var", "allow_data_loss=true", "--dry-run")
	for _, want := range []string{"allow_data_loss are for Terraform", "--var max_usd_per_day=20: what the models may cost", "--model-location eu: it has no gemini-3.1-pro-preview, which is at global ("} {
		if !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "gemini-3.6") {
			t.Errorf("deploy --functions --dry-run says\n%swant %q in it, and nothing of another model", got.stderr, want)
		}
	}
}

// Of each model and location it says what scripts/tfvars says.
func TestFunctionsLocations(t *testing.T) {
	t.Parallel()
	table := struct{ Models map[string]struct{} }{}
	if err := json.Unmarshal([]byte(read(t, "../internal/gemini/models.json")), &table); err != nil || len(table.Models) < 10 {
		t.Fatalf("%d models: %v", len(table.Models), err)
	}
	models, locations := append(slices.Sorted(maps.Keys(table.Models)), "gemini-9", "publishers/google/models/gemini-3.6-flash"), []string{"global", "us", "eu", "europe-west4", "mars"}
	var want []string
	for _, at := range locations {
		for _, model := range models {
			if gemini.LacksModel(model, at) != "" {
				want = append(want, at+" "+model)
			}
		}
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", `
		. scripts/functions
		lack() { [[ $1 != *" no $model,"* ]] || echo "$at $model"; }
		models_asked() { printf '%s\n' `+strings.Join(models, " ")+`; }
		for place in `+strings.Join(locations, " ")+`; do functions_env=(A=b GOOGLE_CLOUD_LOCATION=$place) && check_models; done`)
	c.Dir = ".."
	out, err := c.CombinedOutput()
	if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, strings.Fields(strings.Join(want, " "))) || len(got) < 10 {
		t.Errorf("--functions refuses\n%swant\n%s\n%v", out, strings.Join(want, "\n"), err)
	}
}

// What expires in Firestore by Terraform does so here.
func TestFunctionsExpire(t *testing.T) {
	t.Parallel()
	got := run(t, newTools(t).alone(), "deploy", append(slices.Clone(asFunctions), "--dry-run")...)
	var made, want []string
	for _, m := range regexp.MustCompile(`ttls update (\S+) .*--collection-group=(\S+) --enable-ttl`).FindAllStringSubmatch(got.stdout, -1) {
		made = append(made, m[2]+"."+m[1])
	}
	for _, field := range readTerraform(t).local(t, "expiring").AsValueMap() {
		want = append(want, field.GetAttr("collection").AsString()+"."+field.GetAttr("field").AsString())
	}
	slices.Sort(made)
	slices.Sort(want)
	if !slices.Equal(made, want) || len(made) < 10 {
		t.Errorf("with the functions %q expire, want %q", made, want)
	}
}

// With the variables that the functions are given they start on Cloud Run.
func TestFunctionsStart(t *testing.T) {
	got := run(t, newTools(t).alone(), "deploy", append(slices.Clone(asFunctions), "--dry-run")...)
	for _, target := range []string{"Upload", "API"} {
		m := regexp.MustCompile(`--entry-point=` + target + ` .*--set-env-vars=(\S+)`).FindStringSubmatch(got.stdout)
		if m == nil {
			t.Fatalf("no function %s with variables in\n%s", target, got.stdout)
		}
		t.Run(target, func(t *testing.T) {
			for _, line := range append(strings.Split(m[1], ","), "K_SERVICE=whatis", "FUNCTION_TARGET="+target) {
				name, value, _ := strings.Cut(line, "=")
				t.Setenv(name, value)
			}
			os.Unsetenv("GOOGLE_API_KEY")
			if _, err := app.ReadConfig(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// The indexes are those of Terraform: all, but search's, those of what the functions do not
// do, and those of the other embedding model.
func TestFunctionsIndexes(t *testing.T) {
	t.Parallel()
	got := run(t, newTools(t).alone(), "deploy", append(slices.Clone(asFunctions), "--dry-run")...)
	var want []string
	for name, index := range readTerraform(t).local(t, "indexes").AsValueMap() {
		if regexp.MustCompile(`_b$|_by_text|_by_image|_(cheapest|dearest|newest)$|^sessions_|^items_`).MatchString(name) {
			continue
		}
		line := "--collection-group=" + index.GetAttr("collection").AsString()
		for _, field := range index.GetAttr("fields").AsValueSlice() {
			parts := field.AsValueSlice()
			how := "order=" + strings.ToLower(parts[1].AsString())
			if how == "order=contains" {
				how = "array-config=contains"
			}
			line += " --field-config=field-path=" + parts[0].AsString() + "," + how
		}
		if vector := index.GetAttr("vector"); !vector.IsNull() {
			line += ` --field-config=field-path=` + vector.GetAttr("field").AsString() + `,vector-config={"dimension":"` + vector.GetAttr("dimension").AsBigFloat().String() + `","flat":"{}"}`
		}
		want = append(want, line)
	}
	var made []string
	for _, m := range regexp.MustCompile(`composite create .*(--collection-group=.*) --async`).FindAllStringSubmatch(strings.ReplaceAll(got.stdout, "'", ""), -1) {
		made = append(made, m[1])
	}
	slices.Sort(made)
	slices.Sort(want)
	if !slices.Equal(made, want) || len(made) < 15 {
		t.Errorf("the functions get the indexes\n  %s\nwant\n  %s", strings.Join(made, "\n  "), strings.Join(want, "\n  "))
	}
}
