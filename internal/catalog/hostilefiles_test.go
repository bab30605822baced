package catalog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/whatis/internal/catalog"
)

// A repeater reads a text n times.
type repeater struct {
	text string
	n    int
	now  *strings.Reader
}

func repeated(text string, n int) io.Reader { return &repeater{text, n - 1, strings.NewReader(text)} }

func (r *repeater) Read(p []byte) (int, error) {
	if r.now.Len() == 0 && r.n > 0 {
		r.n--
		r.now.Reset(r.text)
	}
	return r.now.Read(p)
}

// packed returns the parts one behind the other, compressed.
func packed(t *testing.T, parts ...io.Reader) io.Reader {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, io.MultiReader(parts...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// 0.4 MB that unpack to 400 MB in one line are an error, for which little memory is allocated.
func TestLineOf400MB(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	rest, err := io.ReadAll(packed(t, repeated(strings.Repeat("x", 1_000_000), 400)))
	if err != nil || len(rest) > 500_000 {
		t.Fatalf("the file has %d bytes, %v", len(rest), err)
	}
	for name, begin := range map[string]string{
		"JSON Lines":         `{"product_name":"Tea","key_features":["green"]}` + "\n" + `{"product_name":"`,
		"a list":             `[{"product_name":"`,
		"CSV":                "product_name,brand\nTea,",
		"CSV, a quoted cell": "product_name,brand\n\"",
		"CSV, its header":    "product_name,",
	} {
		file := io.MultiReader(packed(t, strings.NewReader(begin)), bytes.NewReader(rest))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		for _, err = range catalog.ReadProducts(file, catalog.Format{}, func(catalog.Fault) {}) {
			continue
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, catalog.ErrFile) || took > 24<<20 {
			t.Errorf("%s: %v after %d MB, want ErrFile after 24 MB at most", name, err, took>>20)
		}
	}
}

// A file that is made to cost memory is an error in little of it, after the records before.
func TestFilesThatCostMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a gigabyte in one goroutine")
	}
	const tea = `{"product_name": "Tea", "key_features": ["green"]}` + "\n"
	million := strings.Repeat("x", 1_000_000)
	for name, test := range map[string]struct {
		file io.Reader
		want string
		read int
	}{
		"a gzip of 400 MB in a line":   {packed(t, strings.NewReader(tea+`{"product_name": "`), repeated(million, 400)), "unpacks to more than 100 times", 1},
		"a gzip of spaces":             {packed(t, repeated(strings.Repeat(" ", 1_000_000), 100)), "unpacks to more than 100 times", 0},
		"a string":                     {io.MultiReader(strings.NewReader(tea+`{"product_name": "`), repeated(million, 100)), "more than 1048576 bytes", 1},
		"a list":                       {io.MultiReader(strings.NewReader(`[{"key_features": [`), repeated(strings.Repeat("[],", 300_000), 100)), "more than 1048576 bytes", 0},
		"a field beside the products":  {io.MultiReader(strings.NewReader(`{"about": "`), repeated(million, 100)), "more than 1048576 bytes", 0},
		"a key":                        {io.MultiReader(strings.NewReader(`{"products": {"`), repeated(million, 100)), "more than 1048576 bytes", 0},
		"a row":                        {io.MultiReader(strings.NewReader("product_name,key_features\nTea,green\n"), repeated(million, 100)), "more than 1048576 bytes", 1},
		"a quote that does not end":    {io.MultiReader(strings.NewReader("product_name,key_features\nTea,green\n\""), repeated("a,b\n", 100_000)), "", 100_000},
		"a long file of short records": {io.MultiReader(strings.NewReader(tea), repeated(`{"product_name": "Tea", "brand": "`+strings.Repeat("x", 1000)+`", "key_features": ["green"]}`+"\n", 20_000)), "", 20_001},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		read := 0
		var err error
		for _, err = range catalog.ReadProducts(test.file, catalog.Format{}, func(catalog.Fault) { read++ }) {
			if err == nil {
				read++
			}
		}
		runtime.ReadMemStats(&after)
		grown := int64(after.Sys) - int64(before.Sys)
		switch {
		case test.want == "" && err != nil, test.want != "" && (!errors.Is(err, catalog.ErrFile) || !strings.Contains(fmt.Sprint(err), test.want)):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		case read < test.read:
			t.Errorf("%s: %d records were read, want %d", name, read, test.read)
		case grown > 64<<20:
			t.Errorf("%s took %d MB", name, grown>>20)
		}
	}
}

// A file whose compression is damaged is an ErrFile; one that cannot be read to its end now may
// be read later.
func TestDamagedGzip(t *testing.T) {
	whole, err := io.ReadAll(packed(t, repeated(`{"product_name": "Tea", "key_features": ["green"]}`+"\n", 3)))
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the connection is gone")
	for _, n := range []int{2, 9, 12, len(whole) - 9, len(whole) - 1} {
		for _, test := range []struct {
			end  error
			want error
		}{{io.EOF, catalog.ErrFile}, {gone, gone}, {io.ErrUnexpectedEOF, io.ErrUnexpectedEOF}} {
			var got error
			for _, got = range catalog.ReadProducts(io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(test.end)), catalog.Format{}, func(catalog.Fault) {}) {
				continue
			}
			if !errors.Is(got, test.want) || errors.Is(got, catalog.ErrFile) != (test.want == catalog.ErrFile) {
				t.Errorf("%d bytes, then %v: %v, want %v", n, test.end, got, test.want)
			}
		}
	}
}
