package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/whatis/emulators/samples"
)

// What two runs answer differently of photos of the same name is a line for each field.
func TestCompare(t *testing.T) {
	_, _, url := served(t)
	for set, photos := range map[string][]int{"monday": {0, 4}, "tuesday": {0, 8}} {
		folder := t.TempDir()
		for i, name := range []string{"same.jpg", "other.jpg"} {
			if err := os.WriteFile(filepath.Join(folder, name), samples.All()[photos[i]].Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c := prepared(t, nil, "analyze", "--url", url, "--set", set, "--country", "US", "--lang", "en", folder); c.run() != 0 {
			t.Fatalf("%q", &c.stderr)
		}
	}
	c := prepared(t, nil, "compare", "--url", url, "--json", "monday", "tuesday")
	var all []difference
	code := c.run()
	if err := json.Unmarshal(c.stdout.Bytes(), &all); err != nil || code != 0 {
		t.Fatalf("exit %d, %v, %q, %q", code, err, &c.stdout, &c.stderr)
	}
	want := difference{"other.jpg", "brand", "달여울", "Pennifold"}
	if !slices.Contains(all, want) || slices.ContainsFunc(all, func(d difference) bool { return d.File != "other.jpg" }) {
		t.Errorf("compare = %+v, want only other.jpg, with %+v", all, want)
	}
	c.says("2 photos in both, 1 answered otherwise; 0 only in the earlier run, 0 only in the later")
	if c = prepared(t, nil, "compare", "--url", url, "monday", "never"); c.run() != 1 {
		t.Errorf("of a run that does not exist: %q, %q", &c.stdout, &c.stderr)
	}
	c.says("have no photo in common")
}
