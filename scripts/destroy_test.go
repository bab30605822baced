package scripts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const (
	destroyed = "terraform | -chdir=terraform | destroy | -input=false | -auto-approve | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=whatis | -var=learn_from_search=false | -var=vertex_location=global | -var=image=" + noImage + " | -var=allow_data_loss=true"
	emptied   = "gcloud | storage | rm | gs://a-project-whatis-results/** | --all-versions | --continue-on-error"
	builder   = "whatis-build@a-project.iam.gserviceaccount.com"
	unbound   = "gcloud | projects | remove-iam-policy-binding | a-project | --member=serviceAccount:" + builder + " | --all | --format=none | --role=roles/"
	unbuilt   = "gcloud | iam | service-accounts | delete | " + builder + " | --project=a-project"
	// The database is not locked.
	destroyable = `
		gcloud|firestore|databases|describe|--database=whatis|--project=a-project|* → echo DELETE_PROTECTION_DISABLED
		gcloud|auth|print-access-token → echo token
		gcloud|auth|application-default|* → exit 1
		gcloud|auth|list|* → echo jo@example.com
		gcloud|projects|get-iam-policy|* → printf 'roles/run.admin\nroles/owner\n'
		gcloud|storage|rm|*uploads* → echo matched no objects >&2; exit 1
		gcloud|* →
		terraform|* → [[ $GOOGLE_OAUTH_ACCESS_TOKEN == token ]]`
)

// Both locks must be open, and the second opens to the project's ID alone. The buckets are emptied
// before Terraform deletes them, and the account of the builds goes with every role that it has,
// unless it is the one that destroys. --by-rule deletes nothing itself, and needs no Terraform.
func TestDestroy(t *testing.T) {
	t.Parallel()
	whole, none := []string{initial, emptied, destroyed, unbound + "run.admin", unbound + "owner", unbuilt}, []string{"terraform", "storage"}
	const sure = "--yes a-project"
	for _, d := range []drill{
		{name: "typed", typed: "a-project\n", says: []string{"Type the project's ID", "gs://a-project-whatis-tfstate"}, asks: whole},
		{name: "typed by a machine", args: sure, asks: whole},
		{name: "again, when the database is gone", args: sure, answers: `gcloud|firestore|* → echo ERROR: NOT_FOUND: no such database >&2; exit 1`, asks: whole},
		{name: "by the account of the builds", args: sure, answers: `gcloud|auth|list|* → echo ` + builder, asks: whole[:3], omits: []string{"remove-iam", unbuilt}},
		{name: "by rule", args: sure + " --by-rule", says: []string{"Then: scripts/destroy --project a-project --region europe-west1 --prefix whatis"}, omits: []string{"terraform", "storage | rm"},
			asks: []string{"gcloud | storage | buckets | update | gs://a-project-whatis-uploads | --lifecycle-file=scripts/empty.json", "update | gs://a-project-whatis-results | --lifecycle-file=scripts/empty.json"}},
		{name: "locked", args: sure, answers: `gcloud|firestore|* → echo DELETE_PROTECTION_ENABLED`, code: 1, says: []string{"apply allow_data_loss first"}, omits: none},
		{name: "not to be looked at", args: sure, answers: `gcloud|firestore|* → echo PERMISSION_DENIED >&2; exit 1`, code: 1, says: []string{"PERMISSION_DENIED"}, omits: none},
		{name: "another project", typed: "b-project\n", code: 1, says: []string{"that is not a-project"}, omits: none},
		{name: "yes", typed: "yes\n", code: 1, says: []string{"that is not a-project"}, omits: none},
		{name: "nothing", code: 1, says: []string{"that is not a-project"}, omits: none},
		{name: "another project by a machine", args: "--yes b-project", code: 1, says: []string{"that is not a-project"}, omits: none},
		{name: "yes to nothing", args: "--yes", typed: "a-project\n", code: 2, says: []string{"--yes needs a value"}},
		{name: "an option that is none", args: "--force", code: 2, says: []string{"unknown option --force"}},
		{name: "no region", args: "--region=", code: 2, says: []string{"--region needs a value"}},
		{name: "a bucket", args: "--bucket b", code: 2, says: []string{"--bucket is for --functions"}},
		{name: "functions by rule", args: "--functions --by-rule", code: 2, says: []string{"--by-rule is not for --functions"}},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := newTools(t, "gcloud", "terraform")
			w.answer(destroyable)
			d.runs(t, w, "destroy", "--project", "a-project", "--region", "europe-west1")
		})
	}
	if bare := run(t, newTools(t).alone(), "destroy", "--project", "p"); bare.code != 2 || !strings.Contains(bare.stderr, "name --project and --region") {
		t.Errorf("destroy without a region = exit %d, %q", bare.code, bare.stderr)
	}
	if bare := run(t, newTools(t).alone(), "destroy", "--project", "p", "--region", "r"); bare.code != 2 || !strings.Contains(bare.stderr, "gcloud is missing") {
		t.Errorf("destroy without tools = exit %d, %q", bare.code, bare.stderr)
	}
	dry := run(t, newTools(t).alone(), "destroy", "--dry-run", "--project", "a-project", "--region", "europe-west1")
	for _, want := range []string{initial, destroyed, "gcloud | firestore | databases | describe | --database=whatis | --project=a-project | --format=value(deleteProtectionState)"} {
		if want = strings.ReplaceAll(want, " | ", " "); dry.code != 0 || !strings.Contains(dry.stdout, want) {
			t.Errorf("destroy --dry-run = exit %d, %q, %q; want %q in it", dry.code, dry.stdout, dry.stderr, want)
		}
	}
}

// empty.json leaves nothing in a bucket.
func TestDestroyByRule(t *testing.T) {
	t.Parallel()
	var rules struct {
		Rule []struct {
			Action    struct{ Type string }
			Condition struct{ Age *int }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "empty.json")), &rules); err != nil || len(rules.Rule) != 2 {
		t.Fatalf("empty.json: %v, %+v", err, rules)
	}
	for _, r := range rules.Rule {
		if r.Condition.Age == nil || *r.Condition.Age != 0 {
			t.Errorf("empty.json leaves something: %+v", r)
		}
	}
}

// --functions runs the commands that it shows, without Terraform; what is gone already is no
// error, and a bucket that was there before stays.
func TestDestroyFunctions(t *testing.T) {
	t.Parallel()
	const uploads, absent = "gcloud | storage | rm | --recursive | gs://a-project-whatis-uploads", "gcloud|storage|buckets|describe|* → exit 1\n"
	for _, d := range []drill{
		{name: "all", answers: absent, asks: []string{uploads}, omits: []string{"gs://photos"}},
		{name: "again", answers: `gcloud|* → echo 'ERROR: NOT_FOUND: it does not exist' >&2; exit 1`, args: "--bucket photos", omits: []string{uploads, "rm | --recursive | gs://photos"},
			asks: []string{"gcloud | storage | buckets | remove-iam-policy-binding | gs://photos | --member=serviceAccount:whatis-functions@a-project.iam.gserviceaccount.com | --role=roles/storage.objectUser"}},
		{name: "forbidden", answers: absent + `gcloud|firestore|databases|delete|* → echo PERMISSION_DENIED >&2; exit 1`, code: 1, says: []string{"PERMISSION_DENIED"}, asks: []string{"firestore | databases | delete"}},
		{name: "Terraform's", code: 1, says: []string{"delete it without --functions"}, omits: []string{"delete", " | rm"}},
		{name: "another project", answers: absent, args: "--yes b-project", code: 1, says: []string{"nothing was deleted"}, omits: []string{"delete", " | rm"}},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := newTools(t, "gcloud")
			w.answer("gcloud|* →")
			got := d.runs(t, w, "destroy", "--functions", "--project", "a-project", "--region", "europe-west1", "--yes", "a-project")
			var shown []string
			for line := range strings.Lines(got.stdout) {
				if strings.HasPrefix(line, "gcloud ") {
					shown = append(shown, strings.ReplaceAll(strings.TrimSpace(line), " ", " | "))
				}
			}
			if ran := w.asked()[1:]; !slices.Equal(ran, shown) || d.code == 0 && len(ran) < 11 {
				t.Errorf("destroy --functions ran\n  %s\nand showed\n  %s", strings.Join(ran, "\n  "), strings.Join(shown, "\n  "))
			}
		})
	}
}
