package scripts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const destroyed = "terraform | -chdir=terraform | destroy | -input=false | -auto-approve | -var=project=a-project | -var=region=europe-west1 | -var=name_prefix=whatis | -var=learn_from_search=false | -var=vertex_location=global | -var=image=" + noImage + " | -var=allow_data_loss=true"

// Both locks must be open, and the second opens to the project's ID alone.
func TestDestroy(t *testing.T) {
	t.Parallel()
	const locked, unlocked = "echo DELETE_PROTECTION_ENABLED", "echo DELETE_PROTECTION_DISABLED"
	const gone = "echo ERROR: NOT_FOUND: no such database >&2; exit 1"
	tests := []struct {
		name, database string
		args           []string
		typed          string
		code           int
		stderr         string
	}{
		{"typed", unlocked, nil, "a-project\n", 0, "Type the project's ID"},
		{"typed by a machine", unlocked, []string{"--yes", "a-project"}, "", 0, ""},
		{"again, when the database is gone", gone, []string{"--yes", "a-project"}, "", 0, ""},
		{"locked", locked, []string{"--yes", "a-project"}, "", 1, "apply allow_data_loss first"},
		{"not to be looked at", "echo PERMISSION_DENIED >&2; exit 1", []string{"--yes", "a-project"}, "", 1, "PERMISSION_DENIED"},
		{"another project", unlocked, nil, "b-project\n", 1, "that is not a-project"},
		{"yes", unlocked, nil, "yes\n", 1, "that is not a-project"},
		{"nothing", unlocked, nil, "", 1, "that is not a-project"},
		{"another project by a machine", unlocked, []string{"--yes", "b-project"}, "", 1, "that is not a-project"},
		{"yes to nothing", unlocked, []string{"--yes"}, "a-project\n", 2, "--yes needs a value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newTools(t, "gcloud", "terraform")
			w.answer("1", "gcloud|firestore|databases|describe|--database=whatis|--project=a-project|*", test.database)
			w.answer("2", "gcloud|auth|print-access-token", "echo token")
			w.answer("2a", "gcloud|auth|list|*", "echo jo@example.com")
			w.answer("2b", "gcloud|storage|rm|*", "")
			w.answer("3", "terraform|*", `[[ $GOOGLE_OAUTH_ACCESS_TOKEN == token ]]`)
			args := append([]string{"--project", "a-project", "--region", "europe-west1"}, test.args...)
			got := runWith(t, test.typed, w.env(), "destroy", args...)
			if got.code != test.code || !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("destroy = exit %d, %q; want %d, and %q", got.code, got.stderr, test.code, test.stderr)
			}
			lines := w.asked()
			if test.code != 0 && slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "terraform") }) {
				t.Errorf("destroy = exit %d, and asked\n  %s", got.code, strings.Join(lines, "\n  "))
			}
			if test.code == 0 && (!slices.Contains(lines, initial) || !slices.Contains(lines, destroyed) || !strings.Contains(got.stdout, "gs://a-project-whatis-tfstate")) {
				t.Errorf("destroy asked\n  %s\nand said %q; want\n  %s\nand the bucket that stays", strings.Join(lines, "\n  "), got.stdout, destroyed)
			}
		})
	}
}

// The buckets are emptied before Terraform deletes them, and the account of the builds goes
// with every role that it has, unless it is the one that destroys.
func TestDestroyLeavesNoAccount(t *testing.T) {
	t.Parallel()
	const email = "whatis-build@a-project.iam.gserviceaccount.com"
	for account, goes := range map[string]bool{"jo@example.com": true, email: false} {
		w := newTools(t, "gcloud", "terraform")
		w.answer("1", "gcloud|firestore|*", "echo DELETE_PROTECTION_DISABLED")
		w.answer("2", "gcloud|auth|list|*", "echo "+account)
		w.answer("3", "gcloud|auth|print-access-token", "echo token")
		w.answer("4", "gcloud|projects|get-iam-policy|*", `printf 'roles/run.admin\nroles/owner\n'`)
		w.answer("5", "gcloud|storage|rm|*uploads*", "echo matched no objects >&2; exit 1")
		w.answer("6", "gcloud|auth|application-default|*", "exit 1")
		w.answer("7", "gcloud|*", "")
		w.answer("8", "terraform|*", "")
		if got := run(t, w.env(), "destroy", "--project=a-project", "--region=europe-west1", "--yes=a-project"); got.code != 0 {
			t.Errorf("destroy as %s = exit %d, %q; want 0", account, got.code, got.stderr)
		}
		asked := w.asked()
		rm := slices.Index(asked, "gcloud | storage | rm | gs://a-project-whatis-results/** | --all-versions | --continue-on-error")
		if at := slices.Index(asked, destroyed); rm < 0 || rm > at {
			t.Errorf("destroy asked\n  %s\nwant the buckets emptied before terraform", strings.Join(asked, "\n  "))
		}
		gone := []string{
			"gcloud | projects | remove-iam-policy-binding | a-project | --member=serviceAccount:" + email + " | --all | --format=none | --role=roles/run.admin",
			"gcloud | projects | remove-iam-policy-binding | a-project | --member=serviceAccount:" + email + " | --all | --format=none | --role=roles/owner",
			"gcloud | iam | service-accounts | delete | " + email + " | --project=a-project",
		}
		if removed := slices.Equal(asked[len(asked)-3:], gone); removed != goes {
			t.Errorf("destroy as %s ends with\n  %s\nthe builder's account goes = %v, want %v", account, strings.Join(asked[len(asked)-3:], "\n  "), removed, goes)
		}
	}
}

// --functions runs the commands that it shows, without Terraform; what is gone already is no
// error, and a bucket that was there before stays.
func TestDestroyFunctions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, pattern, code string
		args                []string
		want                int
		stderr              string
	}{
		{"all", "none", "", nil, 0, ""},
		{"again", "gcloud|*", "echo 'ERROR: NOT_FOUND: it does not exist' >&2; exit 1", []string{"--bucket", "photos"}, 0, ""},
		{"forbidden", "gcloud|firestore|databases|delete|*", "echo PERMISSION_DENIED >&2; exit 1", nil, 1, "PERMISSION_DENIED"},
		{"Terraform's", "gcloud|storage|buckets|describe|gs://a-project-whatis-tfstate", "", nil, 1, "delete it without --functions"},
		{"another project", "none", "", []string{"--yes", "b-project"}, 1, "nothing was deleted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newTools(t, "gcloud")
			w.answer("1", test.pattern, test.code)
			w.answer("2", "gcloud|storage|buckets|describe|*", "exit 1")
			w.answer("3", "gcloud|*", "")
			got := run(t, w.env(), "destroy", append([]string{"--functions", "--project", "a-project", "--region", "europe-west1", "--yes", "a-project"}, test.args...)...)
			if got.code != test.want || !strings.Contains(got.stderr, test.stderr) {
				t.Fatalf("destroy --functions = exit %d, %q; want %d, and %q", got.code, got.stderr, test.want, test.stderr)
			}
			var shown []string
			for line := range strings.Lines(got.stdout) {
				if strings.HasPrefix(line, "gcloud ") {
					shown = append(shown, strings.ReplaceAll(strings.TrimSpace(line), " ", " | "))
				}
			}
			ran := w.asked()[1:]
			if !slices.Equal(ran, shown) || test.want == 0 && len(ran) < 11 || test.stderr != "" && test.stderr != "PERMISSION_DENIED" && len(ran) > 0 {
				t.Errorf("destroy --functions ran\n  %s\nand showed\n  %s", strings.Join(ran, "\n  "), strings.Join(shown, "\n  "))
			}
			for command, its := range map[string]bool{
				"gcloud | storage | rm | --recursive | gs://a-project-whatis-uploads": test.args == nil,
				"gcloud | storage | rm | --recursive | gs://photos":                   false,
				"gcloud | storage | buckets | remove-iam-policy-binding | gs://photos | --member=serviceAccount:whatis-functions@a-project.iam.gserviceaccount.com | --role=roles/storage.objectUser": test.args != nil,
			} {
				if test.want == 0 && slices.Contains(ran, command) != its {
					t.Errorf("destroy --functions ran\n  %s\n%s is among it: %v, want %v", strings.Join(ran, "\n  "), command, !its, its)
				}
			}
		})
	}
}

// --by-rule deletes nothing itself, and needs no Terraform.
func TestDestroyByRule(t *testing.T) {
	t.Parallel()
	w := newTools(t, "gcloud", "terraform")
	w.answer("1", "gcloud|firestore|*", "echo DELETE_PROTECTION_DISABLED")
	w.answer("2", "gcloud|storage|buckets|update|*", "")
	got := run(t, w.env(), "destroy", "--project", "a-project", "--region", "europe-west1", "--yes", "a-project", "--by-rule")
	if got.code != 0 || !strings.Contains(got.stdout, "Then: scripts/destroy --project a-project --region europe-west1 --prefix whatis") {
		t.Errorf("destroy --by-rule = exit %d, %q, %q; want 0, and what comes next", got.code, got.stdout, got.stderr)
	}
	if asked := w.asked(); !slices.Equal(asked[1:], []string{
		"gcloud | storage | buckets | update | gs://a-project-whatis-uploads | --lifecycle-file=scripts/empty.json",
		"gcloud | storage | buckets | update | gs://a-project-whatis-results | --lifecycle-file=scripts/empty.json",
	}) {
		t.Errorf("destroy --by-rule asked\n  %s", strings.Join(asked, "\n  "))
	}
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

func TestDestroyUsage(t *testing.T) {
	t.Parallel()
	dry := run(t, newTools(t).alone(), "destroy", "--dry-run", "--project", "a-project", "--region", "europe-west1")
	for _, want := range []string{initial, destroyed, "gcloud | firestore | databases | describe | --database=whatis | --project=a-project | --format=value(deleteProtectionState)"} {
		if want = strings.ReplaceAll(want, " | ", " "); dry.code != 0 || !strings.Contains(dry.stdout, want) {
			t.Errorf("destroy --dry-run = exit %d, %q, %q; want %q in it", dry.code, dry.stdout, dry.stderr, want)
		}
	}
	w := newTools(t, "gcloud", "terraform")
	run(t, w.env(), "destroy", "--project", "a-project").want(t, "destroy", 2, "", "name --project and --region")
	run(t, w.env(), "destroy", "--force").want(t, "destroy", 2, "", "unknown option --force")
	run(t, w.env(), "destroy", "--project", "p", "--region", "r", "--bucket", "b").want(t, "destroy", 2, "", "--bucket is for --functions")
	run(t, w.env(), "destroy", "--functions", "--project", "p", "--region", "r", "--by-rule").want(t, "destroy", 2, "", "--by-rule is not for --functions")
	run(t, newTools(t).alone(), "destroy", "--project", "p", "--region", "r").want(t, "destroy without tools", 2, "", "gcloud is missing")
	if lines := w.asked(); lines != nil {
		t.Errorf("destroy asked %q", lines)
	}
}
