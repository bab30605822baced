package catalog_test

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	gcpfirestore "cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// streamed is the variable with the number of products that a separate process imports.
const streamed = "WHATIS_STREAMED"

// A file is streamed: the import's memory does not depend on the number of products, except
// for 16 bytes each. With WHATIS_STREAM=100000 that many are streamed.
func TestImportStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	if n, err := strconv.Atoi(os.Getenv(streamed)); err == nil {
		stream(t, n)
		return
	}
	many, err := strconv.Atoi(cmp.Or(os.Getenv("WHATIS_STREAM"), "3200"))
	if err != nil {
		t.Fatal(err)
	}
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	few, all := peak(t, w, 1600), peak(t, w, many)
	t.Logf("1600 products take %d MB at most, %d take %d MB", few>>10, many, all>>10)
	if most := few + few/2 + 32<<10; all > most {
		t.Errorf("the import of %d products takes %d MB, and that of 1600 %d MB; want %d MB at most", many, all>>10, few>>10, most>>10)
	}
}

// peak returns the peak memory in KB of a process that imports n products.
func peak(t *testing.T, w *emulate.World, n int) int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestImportStreams$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprint(streamed, "=", n), "FIRESTORE_EMULATOR_HOST="+w.Firestore.Addr(), "STREAM_MODEL="+w.Gemini.URL())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Fatalf("the import of %d products: %v\n%s", n, err, out)
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// most is what the heap of an import may take from the system: it takes 43 MB, and the command, which has 75 MB of its
// own, 149 MB at most.
const most = 64 << 20

// stream imports n products with the emulators of another process.
func stream(t *testing.T, n int) {
	db, err := gcpfirestore.NewClient(t.Context(), "emulated")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	t.Setenv("GOOGLE_API_KEY", "emulated")
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: os.Getenv("STREAM_MODEL"), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	im := importerOf(catalog.New(db), model, space(t, "emulated-embedding"))
	im.Shop = fmt.Sprint("stream ", n)
	r, w := io.Pipe()
	go func() {
		for i := range n {
			code := fmt.Sprintf("88012%07d", i)
			_, err := fmt.Fprintf(w, `{"code":%q,"product_name":"Tea %d","brands":"Haetsal %d","quantity":"500 ml","lang":"ko","ingredients_text":%q}`+"\n", code+checkDigit(code), i, i%97, strings.Repeat("tea, ", 600))
			if err != nil {
				return
			}
		}
		w.Close()
	}()
	if done, err := im.Run(t.Context(), r); err != nil || done != (catalog.Imports{New: n}) {
		t.Errorf("Run = %v, %v; want %d new", done, err, n)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapSys > most {
		t.Errorf("the heap took %d MB, want %d at most", memory.HeapSys>>20, most>>20)
	}
}

// checkDigit returns the check digit for the first twelve digits of a GTIN-13.
func checkDigit(digits string) string {
	sum := 0
	for i, r := range digits {
		sum += int(r-'0') * (1 + i%2*2)
	}
	return strconv.Itoa((10 - sum%10) % 10)
}
