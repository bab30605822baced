package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/discover"
)

// A file of portals takes the place of the program's own, or is read besides, wherever it lies;
// one that cannot be read is named.
func TestPortals(t *testing.T) {
	w := emulate.Start(t, emulate.Storage)
	file := []byte(`[{"country":"CL","name":"Datos Abiertos","url":"https://datos.gob.cl/"}]`)
	if err := w.Storage.CreateBucket("settings"); err != nil {
		t.Fatal(err)
	}
	object := emulate.StorageClient(t, w).Bucket("settings").Object("portals.json").NewWriter(t.Context())
	if _, err := object.Write(file); err != nil || object.Close() != nil {
		t.Fatal(err)
	}
	local := filepath.Join(t.TempDir(), "portals.json")
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(local, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte(`[{"name":"no address"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range w.Env() {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	all := len(discover.Portals())
	for _, test := range []struct {
		setting  string
		emulated []string
		own, all int // all is 0 where discover's own are taken
		fails    string
	}{
		{"", nil, 0, 0, ""},
		{local, nil, 1, 1, ""},
		{"+" + local, nil, 1, 1 + all, ""},
		{"gs://settings/portals.json", nil, 1, 1, ""},
		{"+gs://settings/portals.json", nil, 1, 1 + all, ""},
		{"+" + local, []string{"Chile"}, 1, 1, ""},
		{broken, nil, 0, 0, "no url"},
		{"+gs://settings/none.json", nil, 0, 0, "gs://settings/none.json"},
	} {
		a := New(Config{Discover: Discover{Portals: test.setting, Emulated: test.emulated}})
		got, err := a.portals(t.Context())
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), "DISCOVER_PORTALS") || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("DISCOVER_PORTALS=%s: %v, want an error with that name and %q", test.setting, err, test.fails)
			}
			continue
		}
		if err != nil || len(got) != test.all || test.own == 1 && got[0].URL != "https://datos.gob.cl/" {
			t.Errorf("DISCOVER_PORTALS=%s: %d portals, %v; want %d, the file's first", test.setting, len(got), err, test.all)
		}
	}
}
