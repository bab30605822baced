package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/samples"
)

// Nothing that is there is overwritten, within a second or a year.
func TestCreate(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "outputs")
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.Local)
	for _, want := range []string{"result_20260203_040506.json", "result_20260203_040506_2.json", "result_20260203_040506_3.json"} {
		o, err := create(folder+"/", now, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.add(entry{File: want, Result: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		path, err := o.finish(&bytes.Buffer{})
		if err != nil || filepath.Base(path) != want {
			t.Errorf("finish = %q, %v; want %q", path, err, want)
		}
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), filepath.Base(path)) {
			t.Errorf("%s holds %q, %v; want its own result", path, data, err)
		}
	}
	if len(files) != 3 {
		t.Errorf("the folder holds %q, want three files", files)
	}
}

// A path that ends in no slash and is no folder is the file itself, if there is none.
func TestCreateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tea.json")
	o, err := create(path, time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.add(entry{Result: json.RawMessage(`{"x":1}`)}); err != nil {
		t.Fatal(err)
	}
	if at, err := o.finish(&bytes.Buffer{}); err != nil || at != path {
		t.Errorf("finish = %q, %v; want %q", at, err, path)
	}
	if _, err := create(path, time.Now(), true); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("create again = %v, want that it is there", err)
	}
	for _, none := range []string{"", "-"} {
		if o, err := create(none, time.Now(), true); err != nil || o.file != nil {
			t.Errorf("create(%q) = %v, %v; want no file", none, o.file, err)
		}
	}
}

// The file is a whole list after every photo, whatever the order.
func TestAddKeepsAList(t *testing.T) {
	t.Parallel()
	o, err := create(t.TempDir(), time.Now(), false)
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range []entry{{2, nil, "c", []byte(`{"a":[1,2]}`)}, {0, nil, "a", []byte(`{}`)}, {1, nil, "b", []byte(`{"html":"<a>&"}`)}} {
		if err := o.add(e); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(o.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		var l []entry
		if err := json.Unmarshal(data, &l); err != nil || len(l) != n+1 || l[n].File != e.File {
			t.Errorf("after %d photos the file holds %q, %v", n+1, data, err)
		}
	}
	var out bytes.Buffer
	path, err := o.finish(&out)
	data, _ := os.ReadFile(path)
	const want = `[
  {
    "file": "a",
    "result": {}
  },
  {
    "file": "b",
    "result": {
      "html": "<a>&"
    }
  },
  {
    "file": "c",
    "result": {
      "a": [
        1,
        2
      ]
    }
  }
]
`
	if err != nil || out.String() != want || string(data) != want {
		t.Errorf("finish writes %q and %q, %v; want %q", &out, data, err, want)
	}
}

// A file that cannot be replaced keeps what was added, and standard output gets
// everything all the same.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "outputs")
	o, err := create(folder+"/", time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.add(entry{File: "a", Result: json.RawMessage(`{"x":1}`)}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := o.finish(&out); !errors.Is(err, os.ErrNotExist) || out.String() != "{\n  \"x\": 1\n}\n" {
		t.Errorf("finish = %v, %q; want an error and the result", err, &out)
	}
}

func TestEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\"현미 ü 🍵\"\n":           "\"현미 ü 🍵\"\n",
		"\"\u009b2J\u202e\x7f\"": `"\u009b2J\u202e\u007f"`,
		"\"\U000e0041\"":         `"\udb40\udc41"`,
		"\"\\u001b\"":            `"\u001b"`,
	} {
		got := escaped([]byte(text))
		var a, b string
		if err := errors.Join(json.Unmarshal([]byte(text), &a), json.Unmarshal(got, &b)); string(got) != want || err != nil || a != b {
			t.Errorf("escaped(%q) = %q, %v; want %q, of the same meaning", text, got, err, want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}}
	info.Main.Version = "v1.2.3"
	for want, info := range map[string]*debug.BuildInfo{"whatisit v1.2.3, commit abc (modified), go": info, "whatisit (devel), commit unknown, go": nil} {
		if got := versionOf(info); !strings.HasPrefix(got, want) {
			t.Errorf("versionOf(%+v) = %q, want %q…", info, got, want)
		}
	}
}

// A file that a command reads, or writes already, is not written over, whatever path names it;
// a device may be named twice.
func TestOutputApart(t *testing.T) {
	folder := t.TempDir()
	file, photo, link, hard := folder+"/products.csv", folder+"/tea.gif", folder+"/link", folder+"/hard"
	write(t, file, "product_name\nTea\n")
	write(t, photo, string(samples.All()[4].Bytes()))
	if err := errors.Join(os.Symlink(file, link), os.Link(photo, hard)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"catalog", "import", "--report", file, file},
		{"catalog", "import", "--report", link, file},
		{"catalog", "import", "--report", folder + "/../" + filepath.Base(folder) + "/products.csv", "--diff", file},
		{"catalog", "prune", "--report", file, link},
		{"catalog", "import", "--report", file, "-"},
		{"analyze", "--emulated", "--html", hard, photo},
		{"analyze", "--emulated", "--as-one", "--html", photo, file, hard},
		{"analyze", "--emulated", "--html", photo, folder},
		{"analyze", "--emulated", "--html", folder + "/new", "--out", folder + "/new", photo},
		{"upload", "--bucket", "u", "--results-bucket", "r", "--html", hard, photo},
	} {
		c := prepared(t, []string{"STORAGE_EMULATOR_HOST=127.0.0.1:1"}, args...)
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		c.Stdin = in
		if code := c.run(); code != exitUsage || !strings.Contains(c.stderr.String(), "name another file") {
			t.Errorf("whatisit %q = exit %d, %q; want 2, and to name another file", args, code, &c.stderr)
		}
		in.Close()
	}
	for _, path := range []string{file, photo} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s is empty: %v", path, err)
		}
	}
	if _, err := os.Stat(folder + "/new"); err == nil {
		t.Error("a file is left of a command that was refused")
	}
	if err := apart("--report", os.DevNull, os.DevNull); err != nil {
		t.Errorf("%s twice: %v", os.DevNull, err)
	}
}

// A command prints in the form that -o names, if it has it.
func TestOutputForms(t *testing.T) {
	for _, tt := range []struct {
		args, want string
		code       int
	}{
		{"date -o json 2027-03-01", `{"raw":"2027-03-01","date":"2027-03-01"`, exitFine},
		{"date -o yaml 2027-03-01", "raw: \"2027-03-01\"\ndate: \"2027-03-01\"\nprecision: day\n", exitFine},
		{"date -o csv 2027-03-01", "prints no CSV", exitUsage},
		{"date -o xml 2027-03-01", "must be one of", exitUsage},
		{"help catalog prune", "whatisit catalog prune <file>", exitFine},
		{"help", "whatisit help catalog import", exitFine},
	} {
		c := prepared(t, nil, strings.Fields(tt.args)...)
		if code, out := c.run(), c.stdout.String()+c.stderr.String(); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s exits with %d, %q; want %d and %q in it", tt.args, code, out, tt.code, tt.want)
		}
	}
}
