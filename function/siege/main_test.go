package siege

import (
	"os"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/function"
)

func TestMain(m *testing.M) {
	emulate.Program(function.Main)
	for _, name := range []string{"MEMORY_MB", "GOMEMLIMIT", "GOGC"} {
		os.Unsetenv(name) // the defaults are tested
	}
	emulate.Run(m)
}

// long skips a test that takes more than a second or two, unless WHATIS_SIEGE is set.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it runs processes for many seconds: set WHATIS_SIEGE=1")
	}
}
