package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/whatis/emulators/samples"
)

var dataURI = regexp.MustCompile(`<img src="data:image/jpeg;base64,([^"]+)" alt="([^"]+)">`)

// pageOf returns the page, which has nothing that a browser would fetch.
func pageOf(t *testing.T, c *command, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; %q", err, &c.stderr)
	}
	page := string(data)
	tree, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for n := range tree.Descendants() {
		if n.Data == "script" || n.Data == "link" || n.Data == "style" && regexp.MustCompile(`url\(|@import`).MatchString(n.FirstChild.Data) {
			t.Errorf("the page has a %s that fetches", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/jpeg;base64,") {
				t.Errorf("the page has a %s with %s=%.40q", n.Data, a.Key, a.Val)
			}
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"`) {
		t.Error("the page does not forbid that anything be fetched")
	}
	return page
}

// The page holds each photo, small, with its name, what it is, how sure that is and where
// the evidence stands.
func TestPage(t *testing.T) {
	folder := album(t, "01", "06")
	write(t, filepath.Join(folder, "07 <b>broken.jpg"), "no image at all")
	c := prepared(t, nil, "analyze", "--emulated", "--country", "US", "--lang", "en", "--html", "report.html", folder)
	if code := c.here(); code != 1 {
		t.Errorf("exit %d, want 1 for what is broken; %q", code, &c.stderr)
	}
	page := pageOf(t, c, filepath.Join(c.Dir, "report.html"))
	pictures := dataURI.FindAllStringSubmatch(page, -1)
	if len(pictures) != 2 {
		t.Fatalf("the page shows %d photos, want 2", len(pictures))
	}
	for i, name := range []string{"01-oat-crackers.jpg", "06-mountain-lake.jpg"} {
		img, err := jpeg.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(strings.ReplaceAll(pictures[i][1], "&#43;", "+"))))
		if err != nil || img.Bounds().Dx() != pictureWidth || filepath.Base(pictures[i][2]) != name {
			t.Errorf("photo %d is %v, %v of %s; want %s, %d wide", i, img.Bounds(), err, pictures[i][2], name, pictureWidth)
		}
	}
	for _, want := range []string{
		"Sea Salt Oat Crackers", `<rect class="code" x="238" y="779" width="244" height="82"`, `<rect class="brand"`, `<li class="brand">brand: “`, `<li class="code">code: “`, "EMULATED MODEL", "3 of 3 photos", "no product",
		"07 &lt;b&gt;broken.jpg", `<p class="unseen">not shown: `, "prefers-color-scheme: dark",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<b>broken") {
		t.Error("a name is taken for HTML")
	}
}

// What a service says cannot break out of the page.
func TestPageOfHostileAnswers(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=https://example.com/x.png>`
	url, _ := scripted(t, says(strings.ReplaceAll(`{"product_name":HERE,"brand":"B","source":"image","search_suggestions":HERE,"citations":[{"title":HERE,"uri":"javascript:alert(1)"}],"evidence":{"brand":{"text":HERE,"box":[1,2,3,4]}},"warnings":[HERE]}`, "HERE", fmt.Sprintf("%q", hostile))))
	c := prepared(t, nil, "analyze", "--url", url, "--html", "report.html", "a.png")
	write(t, filepath.Join(c.Dir, "a.png"), string(samples.All()[1].Bytes()))
	if code := c.here(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	page := pageOf(t, c, filepath.Join(c.Dir, "report.html"))
	if strings.Contains(page, "javascript:") || !strings.Contains(page, `x="2" y="1" width="2" height="2"`) {
		t.Errorf("the page is %s", page)
	}
}
