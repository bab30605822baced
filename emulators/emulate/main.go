package emulate

import (
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"
)

// Run runs the tests of a package, from its TestMain. Clients of the emulated model find a
// key, clients of Google's services only use the address that they are given, and nothing
// is logged unless VERBOSE is set. The emulators' data is small and short-lived: collecting it
// more seldom takes a fifth less processor time.
func Run(m *testing.M) {
	debug.SetGCPercent(400)
	os.Setenv("GOOGLE_API_KEY", "emulated")
	for _, name := range []string{"FIRESTORE_EMULATOR_HOST", "STORAGE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST"} {
		os.Unsetenv(name)
	}
	if os.Getenv("VERBOSE") == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	m.Run() // whose result is the exit code once TestMain returns
}

// asProgram in the environment of a test's binary makes it the program under test.
const asProgram = "WHATIS_TEST_AS_PROGRAM"

// Program runs main and ends the process, if Command started it. TestMain calls it
// first, so that tests can start the program of their own binary: a `go build` with
// flags of its own would compile every dependency once more.
func Program(main func()) {
	if os.Getenv(asProgram) == "" {
		return
	}
	os.Unsetenv(asProgram) // for the processes that it starts
	main()
	os.Exit(0)
}

// Command returns the program of the test's own TestMain, killed at the end of the test. Its
// environment holds what makes the binary that program, and nothing else: append what
// it needs.
func Command(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = []string{asProgram + "=1"}
	tb.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // it may have ended
		}
	})
	return cmd
}
