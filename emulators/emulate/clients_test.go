package emulate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
)

// Google's clients for Node, told nothing but the variables that point at the
// emulators. With WHATIS_NPM=1.
func TestNodeClients(t *testing.T) {
	if os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 asks the emulators with the clients from npm")
	}
	_, npm := exec.LookPath("npm")
	if _, node := exec.LookPath("node"); npm != nil || node != nil {
		t.Fatal("WHATIS_NPM is set, and there is no npm or no node")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../testdata/clients")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	w := emulate.Start(t, emulate.Storage, emulate.PubSub, emulate.Gemini)
	var err error
	if w.Firestore, err = firestore.Start(firestore.Options{}); err != nil { // a stranger's queries need indexes that are not in terraform/
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Firestore.Close() })
	for _, client := range []string{"storage", "firestore", "pubsub", "genai"} {
		t.Run(client, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), "node", client+".mjs")
			c.Dir, c.Env = folder, append(w.Env(), "PATH="+os.Getenv("PATH"), "HOME="+folder)
			out, err := c.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), client+": done\n") {
				t.Errorf("node %s.mjs: %v\n%s", client, err, out)
			}
		})
	}
}

// gcloud storage, by the override that the emulators print. With WHATIS_NPM=1, where
// gcloud is.
func TestGcloudStorage(t *testing.T) {
	if _, err := exec.LookPath("gcloud"); err != nil || os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 asks the emulator with gcloud, where it is installed")
	}
	w, folder := emulate.Start(t, emulate.Storage), t.TempDir()
	photo := filepath.Join(folder, "tea.txt")
	if err := os.WriteFile(photo, []byte("green"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ args, holds string }{
		{"buckets create gs://teas", "gs://teas"},
		{"cp " + photo + " gs://teas/green/tea.txt", ""},
		{"cat gs://teas/green/tea.txt", "green"},
		{"objects update gs://teas/green/tea.txt --custom-metadata=kind=leaf", ""},
		{"objects describe gs://teas/green/tea.txt", "kind: leaf"},
		{"mv gs://teas/green/tea.txt gs://teas/black.txt", ""},
		{"ls --recursive gs://teas", "gs://teas/black.txt"},
		{"rm --recursive gs://teas", ""},
	} {
		c := exec.CommandContext(t.Context(), "gcloud", append([]string{"storage"}, strings.Fields(step.args)...)...)
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "CLOUDSDK_CONFIG=" + folder, "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
			"CLOUDSDK_CORE_PROJECT=" + w.Project, "CLOUDSDK_AUTH_DISABLE_CREDENTIALS=True", "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE=" + w.Storage.Endpoint(),
		}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), step.holds) {
			t.Fatalf("gcloud storage %s: %v\n%s\nwant it to say %q", step.args, err, out, step.holds)
		}
	}
}
