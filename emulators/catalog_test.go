package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	lines := `{"code":"7610352054205","product_name":"The first of two","brands":"Its brand","lang":"fr"}
{"code":"3256220787321","product_name":"The second of two","brands":"Another","quantity":"1 kg","lang":"fr"}
{"code":"3017620422003","product_name":"On neither photo","brands":"A third","lang":"fr"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, code := start(t, nil, append([]string{"-once", "-catalog", file}, photos...)...).end()
	if code != 0 || !strings.Contains(out, "The first of two") || !strings.Contains(out, "The second of two") || strings.Count(out, "local_db") < 2 || strings.Contains(out, "neither") {
		t.Errorf("-once -catalog shelf.jsonl ends with %d:\n%s\nwant both products named by local_db", code, out)
	}
}

// Without -catalog the sample shop fills behind the photos; a search that was asked before
// does not make later ones find nothing.
func TestShopFillsBehindThePhotos(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.until("Ready")
	find := func() (names []string) {
		resp, err := http.Post(s.env["API_URL"]+"/search", "application/json", strings.NewReader(`{"query":"kính mát nữ mắt mèo màu xanh lá dưới 2 triệu"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var found struct{ Products []struct{ Name string } }
		if err := json.NewDecoder(resp.Body).Decode(&found); err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusBadRequest { // as yet there is no product
			t.Fatalf("the search is answered %s, %v", resp.Status, err)
		}
		for _, p := range found.Products {
			names = append(names, p.Name)
		}
		return names
	}
	find()
	s.until("The shop eyewear is filled: 374 frames.")
	late := time.Now().Add(longWait)
	for !slices.Equal(find(), []string{"Hera 260"}) {
		if time.Now().After(late) {
			t.Fatalf("the search finds %q, want Hera 260 alone", find())
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// A shop that -catalog fills is searched as the command says, and its products have
// pictures.
func TestCatalog(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here: the line needs it", tool)
		}
	}
	s := start(t, nil, "-catalog", "eyewear")
	command := strings.TrimSpace(s.until("curl --json"))
	s.until("Ready")
	out, err := exec.CommandContext(t.Context(), "bash", "-c", command).Output()
	var found struct {
		Products []struct {
			Name  string
			Image string `json:"image_url"`
		}
	}
	if err = errors.Join(err, json.Unmarshal(out, &found)); err != nil || len(found.Products) != 1 || found.Products[0].Name != "Hera 260" {
		t.Fatalf("$ %s\nprints (%v)\n%s\nwant the one frame that is so", command, err, out)
	}
	if body, code := fetch(t, s.env["API_URL"]+found.Products[0].Image, nil); code != 200 || !strings.HasPrefix(body, "\xff\xd8") {
		t.Errorf("GET %s = %d, %d bytes; want a JPEG", found.Products[0].Image, code, len(body))
	}
}
