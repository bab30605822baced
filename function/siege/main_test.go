package siege

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the function, built as any Go program is.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

func withProgram(run func() int) int {
	if err := os.Setenv("GOOGLE_API_KEY", "emulated"); err != nil { // for stock
		panic(err)
	}
	dir, err := os.MkdirTemp("", "siege")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "function")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	return run()
}

// long skips a test that takes more than a second or two, unless it is asked for.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it runs processes for many seconds: set WHATIS_SIEGE=1")
	}
}
