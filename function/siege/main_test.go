package siege

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/function"
)

func TestMain(m *testing.M) {
	emulate.Program(func() {
		go countGoroutines()
		function.Main()
	})
	for _, name := range []string{"MEMORY_MB", "GOMEMLIMIT", "GOGC"} {
		os.Unsetenv(name) // the defaults are tested
	}
	emulate.Run(m)
}

// countGoroutines writes their number to the file that goroutineFile names, if it does.
func countGoroutines() {
	name := os.Getenv(goroutineFile)
	if name == "" {
		return
	}
	for range time.Tick(250 * time.Millisecond) {
		// Renamed, as half a write is read as another number. The reader says if there is no file.
		if os.WriteFile(name+".new", []byte(strconv.Itoa(runtime.NumGoroutine())), 0o600) == nil {
			_ = os.Rename(name+".new", name)
		}
	}
}

// long skips a test that takes more than a second or two, unless WHATIS_SIEGE is set.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it runs processes for many seconds: set WHATIS_SIEGE=1")
	}
}
