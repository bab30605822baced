package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/draw"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/photo/phash"
)

// heic returns a whole HEIC of 64 × 48 whose picture is nothing.
func heic() string {
	box := func(kind string, parts ...string) string {
		body := strings.Join(parts, "")
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
	}
	const zero, one = "\x00\x00\x00\x00", "\x00\x00\x00\x01"
	ftyp, mdat := box("ftyp", "heic", zero, "heic"), box("mdat", "PPPP")
	at := string(binary.BigEndian.AppendUint32(nil, uint32(len(ftyp)+8)))
	return ftyp + mdat + box("meta", zero,
		box("hdlr", zero, zero, "pict", strings.Repeat("\x00", 13)), box("pitm", zero, "\x00\x01"),
		box("iinf", zero, "\x00\x01", box("infe", "\x02\x00\x00\x00", "\x00\x01\x00\x00", "hvc1", "\x00")),
		box("iloc", zero, "\x44\x00\x00\x01", "\x00\x01\x00\x00\x00\x01", at, "\x00\x00\x00\x04"),
		box("iprp", box("ipco", box("ispe", zero, "\x00\x00\x00\x40", "\x00\x00\x00\x30")), box("ipma", zero, one, "\x00\x01", "\x01\x81")))
}

// inspections returns the lines that a run printed.
func (c *command) inspections() (all []inspection) {
	c.t.Helper()
	for text := range strings.Lines(c.stdout.String()) {
		var i inspection
		if err := json.Unmarshal([]byte(text), &i); err != nil {
			c.t.Fatalf("%v in %q; standard error is %q", err, text, &c.stderr)
		}
		all = append(all, i)
	}
	return all
}

// Photos are told in their order without a service, whatever the environment has
// of services and keys; HEIC is a photo that is not decoded.
func TestInspect(t *testing.T) {
	folder := album(t, "01", "05", "06")
	write(t, folder+"/02.heic", heic())
	write(t, folder+"/note.txt", "no photo, and not asked for")
	last := filepath.Join(album(t, "03"), "03-oat-latte.webp")
	env := []string{"API_URL=http://127.0.0.1:1", "GOOGLE_API_KEY=real", "UPLOAD_BUCKET=u", "K_SERVICE=s"}
	c := prepared(t, env, "inspect", folder, last, "--jobs", "4")
	if code := c.here(); code != 0 || c.stderr.Len() > 0 || len(left(t, c.Dir)) > 0 {
		t.Fatalf("exit %d, %q, files %v; want 0 and nothing else", code, &c.stderr, left(t, c.Dir))
	}
	want := []string{
		"01-oat-crackers.jpg image/jpeg 760x950 [09520011000017] hash true",
		"02.heic image/heic 64x48 [] hash false",
		"05-barley-tea.gif image/gif 640x800 [09520015000051] hash true",
		"06-mountain-lake.jpg image/jpeg 960x720 [] hash true",
		"03-oat-latte.webp image/webp 600x750 [] hash true",
	}
	all := c.inspections()
	if len(all) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(all), len(want), &c.stdout)
	}
	for i, l := range all {
		_, err := phash.Parse(l.PHash)
		got := fmt.Sprintf("%s %s %dx%d %v hash %v", filepath.Base(l.File), l.MIMEType, l.Width, l.Height, l.GTINs, err == nil)
		if got != want[i] || len(l.SHA256) != 64 || l.GTINs == nil || l.Error != "" || strings.Contains(l.Note, "not decoded here") == (l.PHash != "") {
			t.Errorf("line %d is %s, %+v; want %s", i, got, l, want[i])
		}
	}
	if s := all[0].Codes; len(s) != 1 || s[0].Symbology != "EAN-13" || s[0].Text != "9520011000017" || s[0].Box[0] >= s[0].Box[2] {
		t.Errorf("the codes of %s are %+v, want one EAN-13 in its place", all[0].File, s)
	}
	for _, name := range []string{"file", "sha256", "phash", "mime_type", "width", "height", "gtins"} {
		if !strings.Contains(c.stdout.String(), `"`+name+`":`) {
			t.Errorf("%q has no %q", &c.stdout, name)
		}
	}
}

// What is broken is a line that says why, and makes the exit code 1; the others
// are told all the same. A name steers no terminal.
func TestInspectBroken(t *testing.T) {
	folder := album(t, "05")
	whole := string(samples.All()[0].Bytes())
	write(t, folder+"/1.jpg", whole[:len(whole)/2])
	write(t, folder+"/2.jpg", "")
	write(t, folder+"/3\x1b[31m.jpg", "no image at all")
	c := prepared(t, nil, "inspect", folder)
	if code := c.here(); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	c.says("3 of 4 files are not photos, or cannot be read")
	var got []string
	for _, l := range c.inspections() {
		got = append(got, fmt.Sprintf("%s %v %v: %s", filepath.Base(l.File), l.SHA256 != "", l.PHash != "", l.Error))
	}
	want := []string{"05-barley-tea.gif true true: ", "1.jpg true false: the JPEG ends after", "2.jpg false false: the file is empty", "3\x1b[31m.jpg true false: the file looks like text"}
	for _, w := range want {
		if joined := "\n" + strings.Join(got, "\n"); len(got) != len(want) || !strings.Contains(joined, "\n"+w) {
			t.Errorf("the lines say %q, want %q among them", got, w)
		}
	}
	if strings.Contains(c.stdout.String(), "\x1b") || strings.Contains(c.stdout.String(), "inspect: ") {
		t.Errorf("%q steers a terminal or names packages", &c.stdout)
	}
}

// A run that is interrupted tells nothing that it has not seen.
func TestInspectInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"inspect", album(t, "05", "06")}, &console{out: &stdout, err: &stderr}); code != 130 || stdout.Len() > 0 {
		t.Errorf("exit %d, %q, %q; want 130 and no line", code, &stdout, &stderr)
	}
}

// Copies of a photo have hashes near to each other, in whatever format and size.
func TestInspectCopies(t *testing.T) {
	s := samples.All()[0]
	small := image.NewRGBA(image.Rect(0, 0, s.Image().Bounds().Dx()/3, s.Image().Bounds().Dy()/3))
	draw.BiLinear.Scale(small, small.Rect, s.Image(), s.Image().Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, small); err != nil {
		t.Fatal(err)
	}
	folder := album(t, "01", "06")
	write(t, folder+"/00.png", b.String())
	c := prepared(t, nil, "inspect", folder)
	if code := c.here(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	var hashes []phash.Hash
	for _, l := range c.inspections() {
		h, err := phash.Parse(l.PHash)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, h)
	}
	if near, far := hashes[0].Distance(hashes[1]), hashes[0].Distance(hashes[2]); near > 10 || far < 12 {
		t.Errorf("the copy is %d from its original and %d from another photo, want 10 at most and 12 or more", near, far)
	}
}

func TestInspectCodes(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	says := func(s string) *gs1.Elements {
		e, err := gs1.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return &e
	}
	tests := []struct {
		codes []barcode.Code
		want  string
	}{
		{nil, `"gtins":[]`},
		{[]barcode.Code{{GTIN: "08801234567893", Symbology: "EAN-13", Text: "8801234567893", Box: [4]int{1, 2, 3, 4}}},
			`"gtins":["08801234567893"],"codes":[{"gtin":"08801234567893","symbology":"EAN-13","text":"8801234567893","box":[1,2,3,4]}]`},
		{[]barcode.Code{
			{GTIN: "09506000134352", Symbology: "EAN-13", Text: "9506000134352"},
			{GTIN: "09506000134352", Symbology: "DataMatrix", Text: "x", GS1: says("(01)09506000134352(17)270315(11)260100(10)A<1")},
		}, `"gtins":["09506000134352"],"gs1":[{"gtin":"09506000134352","lot":"A<1","production":"2026-01","use_by":"2027-03-15"}],` +
			`"codes":[{"gtin":"09506000134352","symbology":"EAN-13","text":"9506000134352","box":[0,0,0,0]},{"gtin":"09506000134352","symbology":"DataMatrix","text":"x","box":[0,0,0,0]}]`},
		{[]barcode.Code{{Symbology: "DataMatrix", Text: "x", GS1: says("(21)S1(15)491231")}},
			`"gtins":[],"gs1":[{"serial":"S1","best_before":"2049-12-31"}],"codes":[{"symbology":"DataMatrix","text":"x","box":[0,0,0,0]}]`},
	}
	for _, test := range tests {
		i := inspection{File: "a", GTINs: []string{}}
		i.take(test.codes, now)
		var b bytes.Buffer
		if err := (&console{out: &b}).line(i); err != nil || b.String() != `{"file":"a",`+test.want+"}\n" {
			t.Errorf("%+v is %s, %v; want %s", test.codes, &b, err, test.want)
		}
	}
}

// Lines come in their order, each as soon as those before it are there.
func TestOrdered(t *testing.T) {
	var got []string
	o := &ordered{print: func(v any) error {
		got = append(got, v.(string))
		return nil
	}}
	for _, step := range []struct {
		number int
		want   string
	}{{2, ""}, {0, "0"}, {4, "0"}, {1, "012"}, {3, "01234"}} {
		if err := o.add(step.number, fmt.Sprint(step.number)); err != nil || strings.Join(got, "") != step.want {
			t.Errorf("after line %d: %q, %v; want %s", step.number, got, err, step.want)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	o = &ordered{print: (&console{out: full}).line}
	if err := o.add(0, "a"); err == nil {
		t.Error("a line that nobody can print is no error")
	}
}
