package emulate_test

import (
	"os"
	"os/exec"
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
