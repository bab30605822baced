package function

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Bounds of what the packages of this module allocate before main, in bytes: each instance
// starts with it, whatever it is asked.
const (
	initBytes    = 2_000_000 // all of them
	packageBytes = 450_000   // each
)

// ours matches the lines of packages that are deployed.
var ours = regexp.MustCompile(`(?m)^init (` + regexp.QuoteMeta("example.com/whatis/") + `(?:internal|function)\S*) .* clock, (\d+) bytes`)

// Tables that only some requests need are made at their first use, not at the start.
func TestInitAllocatesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("under the race detector a program allocates more")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sum, packages := 0, 0
	for _, m := range ours.FindAllStringSubmatch(string(out), -1) {
		bytes, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if bytes > packageBytes {
			t.Errorf("%s allocates %d bytes before main, want %d at most", m[1], bytes, packageBytes)
		}
		sum, packages = sum+bytes, packages+1
	}
	if packages < 20 || sum > initBytes {
		t.Errorf("%d packages allocate %d bytes before main, want 20 packages and more, and %d bytes at most", packages, sum, initBytes)
	}
	t.Logf("%d packages, %d bytes", packages, sum)
}
