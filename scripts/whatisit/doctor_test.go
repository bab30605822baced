package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/app"
)

// What internal/app finds is printed with its remedy and cost; what is deployed is read with
// gcloud, and who can reach it. TestExamine of internal/app breaks each part.
func TestDoctor(t *testing.T) {
	w := emulate.Start(t)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "GOOGLE_CLOUD_PROJECT=emulated",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding")
	service := func(name, ingress, more string) string {
		return fmt.Sprintf(`{"metadata":{"name":"whatis-%s","annotations":{"run.googleapis.com/ingress":"%s"}},"spec":{"template":{"spec":{"containers":[{"env":[%s{"name":"ACCESS","value":"private"},{"name":"GOOGLE_API_KEY","valueFrom":{"secretKeyRef":{"name":"key"}}}]}]}}}}`, name, ingress, more)
	}
	const gone = `{"name":"IMAGE_MODEL","value":"gemini-0"},`
	whole := "[" + service("api", "all", "") + "," + service("upload", "internal", "") + "," + service("task", "internal", "") + "]"
	for _, test := range []struct {
		name, gcloud string
		args         []string
		code         int
		holds        []string
		holdsNot     string
	}{
		{"all of it", "", nil, 0, []string{"well IMAGE_MODEL 0.000000 emulated", "well EMBEDDING_MODEL", "well UPLOAD_BUCKET 0.000000 uploads, empty", "look ACCESS", "look roles of the services' accounts", "→ gcloud projects get-iam-policy emulated"}, "ingress"},
		{"the cloud's part", "", []string{"--cloud"}, 0, []string{"well indexes of Firestore"}, "IMAGE_MODEL"},
		{"the models", "", []string{"--models"}, 0, []string{"well JUDGE_MODEL with google_search"}, "BUCKET"},
		{"what is deployed", whole, []string{"--deployed", "--region", "r"}, 0, []string{"well ingress of whatis-upload 0.000000 internal", "well ACCESS 0.000000 private", "well IMAGE_MODEL"}, ""},
		{"behind a balancer", "[" + service("api", "internal-and-cloud-load-balancing", "") + "," + service("upload", "internal", "") + "," + service("task", "internal", "") + "]", []string{"--deployed", "--region", "r", "--cloud"}, 0, []string{"well ingress of whatis-api"}, ""},
		{"a model of what is deployed is gone", "[" + service("api", "all", gone) + "," + service("upload", "internal", "") + "," + service("task", "internal", "") + "]", []string{"--deployed", "--region", "r"}, 1, []string{"wrong IMAGE_MODEL", "→ name another model"}, ""},
		{"an event service is open", "[" + service("api", "all", "") + "," + service("upload", "all", "") + "]", []string{"--deployed", "--region", "r", "--cloud"}, 1,
			[]string{"wrong ingress of whatis-upload 0.000000 all", "→ gcloud run services update whatis-upload --region=r --ingress=internal", "wrong ingress of whatis-task 0.000000 there is no such service"}, ""},
		{"nothing is deployed", "[]", []string{"--deployed", "--region", "r"}, 1, []string{"nothing is deployed there yet"}, ""},
		{"no region", "", []string{"--deployed"}, 2, []string{"--region is missing"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			fake, _ := fakeGcloud(t, "cat <<'END'\n"+test.gcloud+"\nEND")
			c := prepared(t, append(fake, env...), append([]string{"doctor"}, test.args...)...)
			c.Env = append(c.Env, fake[0]+":/bin:/usr/bin")
			code := c.here()
			printed := strings.Join(strings.Fields(c.stdout.String()+c.stderr.String()), " ")
			if code != test.code || test.holdsNot != "" && strings.Contains(printed, test.holdsNot) {
				t.Errorf("exit %d, want %d and no %q: %s", code, test.code, test.holdsNot, printed)
			}
			for _, part := range test.holds {
				if !strings.Contains(printed, part) {
					t.Errorf("no %q in %s", part, printed)
				}
			}
		})
	}
	c := prepared(t, env, "doctor", "--json")
	var found []app.Finding
	if code := c.here(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &found) != nil || len(found) < 10 {
		t.Errorf("--json: exit %d, %q", code, &c.stdout)
	}
	fake, _ := fakeGcloud(t, "echo no leave >&2; exit 1")
	c = prepared(t, append(fake, env...), "doctor", "--deployed", "--region", "r")
	if code := c.here(); code != 1 {
		t.Errorf("gcloud refuses: exit %d", code)
	}
	c.says("no leave")
}
