package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/realdata"
)

// Two real products are named by the codes on their photos, without any key. The
// photos are no part of the project.
func TestCatalogNamesRealProducts(t *testing.T) {
	t.Parallel()
	var photos []string
	for _, name := range []string{"upc1.jpg", "3256220787321_1.jpg"} {
		photos = append(photos, realdata.Need(t, "photos/"+name)...)
	}
	file := filepath.Join(t.TempDir(), "shelf.jsonl")
	if err := os.WriteFile(file, []byte(shelf), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, code := start(t, nil, append([]string{"-once", "-catalog", file}, photos...)...).end()
	if code != 0 || !strings.Contains(out, "The first of two") || !strings.Contains(out, "The second of two") || strings.Count(out, "local_db") < 2 || strings.Contains(out, "neither") {
		t.Errorf("-once -catalog shelf.jsonl ends with %d:\n%s\nwant both products named by local_db", code, out)
	}
}

// shelf is a catalogue of other products than the samples.
const shelf = `{"code":"7610352054205","product_name":"The first of two","brands":"Its brand","lang":"fr"}
{"code":"3256220787321","product_name":"The second of two","brands":"Another","quantity":"1 kg","lang":"fr"}
{"code":"3017620422003","product_name":"On neither photo","brands":"A third","lang":"fr"}
`

// sells searches the sample shop, which fills behind the photos, by the line that the command
// offers once it is filled: it works the first time. Its products have pictures.
func (s *session) sells() {
	s.t.Helper()
	s.until("The shop eyewear is filled: 374 frames.")
	command := strings.TrimSpace(s.until("curl --json"))
	var found struct {
		Products []struct {
			Name  string
			Image string `json:"image_url"`
		}
	}
	out, err := exec.CommandContext(s.t.Context(), "bash", "-c", command).Output()
	if err = errors.Join(err, json.Unmarshal(out, &found)); err != nil || len(found.Products) != 1 || found.Products[0].Name != "Hera 260" {
		s.t.Fatalf("$ %s\nprints (%v)\n%s\nwant Hera 260 alone", command, err, out)
	}
	if body, code := fetch(s.t, s.env["API_URL"]+found.Products[0].Image, nil); code != 200 || !strings.HasPrefix(body, "\xff\xd8") {
		s.t.Errorf("GET %s = %d, %d bytes; want a JPEG", found.Products[0].Image, code, len(body))
	}
}

// A shop that -catalog fills from a file is there with the first photo.
func TestCatalog(t *testing.T) {
	t.Parallel()
	s := start(t, nil, little(t)...)
	s.until("Ready")
	if body, code := fetch(t, s.env["API_URL"]+"/catalog?q=neither", nil); code != 200 || !strings.Contains(body, `"gtin": "03017620422003"`) {
		t.Errorf("the catalogue says %d, %s; want the product of the file", code, body)
	}
}
