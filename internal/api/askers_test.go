package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/web/caller"
)

// An askerOf is somebody who sends the same photo as others, with a name and a picture of their own.
type askerOf struct {
	name      string
	who       []string
	reads     bool // what others asked for
	thumbnail string
	id        string // of their result
}

func (a *askerOf) file() string { return strings.ReplaceAll(a.name, " ", "-") + ".jpg" }

// tinted returns a small picture of one shade.
func tinted(t *testing.T, shade uint8) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 32, 24))
	for i := range img.Pix {
		img.Pix[i] = color.Gray{Y: shade}.Y
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// named returns the names of askers that text has beside that of own.
func named(text string, all []*askerOf, own *askerOf) (others []string) {
	for _, a := range all {
		if a != own && strings.Contains(text, a.file()) {
			others = append(others, a.file())
		}
	}
	return others
}

// Equal photos have one answer, which is paid for once. Each of its askers sees the names and
// pictures that they sent themselves, and no others', however they ask; whoever reads for all sees
// every asking with its own.
func TestSamePhotoOfSeveral(t *testing.T) {
	t.Parallel()
	for _, sure := range []bool{true, false} {
		t.Run(fmt.Sprintf("sure %t", sure), func(t *testing.T) {
			t.Parallel()
			k := knows(t, caller.Public)
			owner := k.bearing("owner")
			all := []*askerOf{
				{name: "anonymous", who: at("203.0.113.7")}, {name: "other address", who: at("203.0.113.8")}, {name: "same address", who: at("203.0.113.7")},
				{name: "ana", who: k.bearing("ana")}, {name: "lee", who: k.bearing("lee")}, {name: "owner", who: owner, reads: true},
			}
			photo := string(picture(t, 40))
			if sure {
				k.Gemini.Script(sureOf("Onul tea"))
			}
			for i, a := range all {
				a.thumbnail = tinted(t, uint8(20+30*i))
				body, kind := form(t, [2]string{a.file(), photo}, [2]string{"thumbnail", a.thumbnail})
				resp, body := k.ask("POST", "/analyze", body, append([]string{"Content-Type", kind}, a.who...)...)
				r := read[answered](t, body)
				if a.id = r.ID; resp.StatusCode != 200 || r.Cached != (i > 0) || !strings.Contains(body, a.file()) || named(body, all, a) != nil {
					t.Errorf("POST by %s = %s %s", a.name, resp.Status, body)
				}
			}
			if n := k.readings(); n != 1 {
				t.Errorf("the photo was read %d times, want once", n)
			}
			k.seeOwn(all)
			inline := base64.StdEncoding.EncodeToString([]byte(photo))
			for _, a := range all {
				json := append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, a.who...)
				for what, sent := range map[string][2]string{
					"MCP":    {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"analyze_image","arguments":{"image":"` + inline + `"}}}`},
					"A2A":    {"/a2a", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"` + inline + `","filename":"` + a.file() + `","mediaType":"image/jpeg"}]}}}`},
					"skill":  {"/skills/analyze", `{"image":"` + inline + `"}`},
					"stream": {"/analyze", `{"image":"` + inline + `","file":"` + a.file() + `"}`},
				} {
					if resp, body := k.ask("POST", sent[0], sent[1], json...); resp.StatusCode != 200 || !strings.Contains(body, "sha256") || named(body, all, a) != nil {
						t.Errorf("%s by %s = %s %s", what, a.name, resp.Status, body)
					}
				}
			}
			_, list := k.ask("GET", "/results?limit=100", "", owner...)
			for _, l := range read[struct{ Results []struct{ ID string } }](t, list).Results {
				if i := strings.Index(list, l.ID); i < 0 {
					t.Errorf("%s is not listed", l.ID)
				}
			}
			for _, a := range all {
				if strings.Count(list, a.file()) < 1 {
					t.Errorf("%s is in no row of the list", a.file())
				}
			}

			// A fresh answer is its asker's, and so is a forgetting.
			ana, lee := all[3], all[4]
			before := second(k.ask("GET", "/results/"+lee.id, "", lee.who...))
			k.Gemini.Script(sureOf("Another tea"))
			body, kind := form(t, [2]string{ana.file(), photo})
			if resp, body := k.ask("POST", "/analyze?fresh=true", body, append([]string{"Content-Type", kind}, ana.who...)...); resp.StatusCode != 200 || read[answered](t, body).Cached {
				t.Errorf("a fresh answer = %s %s", resp.Status, body)
			}
			if now := second(k.ask("GET", "/results/"+lee.id, "", lee.who...)); now != before || !strings.Contains(second(k.ask("GET", "/results/"+ana.id, "", ana.who...)), "Another tea") {
				t.Errorf("after ana's fresh answer lee has %s, had %s", now, before)
			}
			for _, a := range []*askerOf{all[1], lee} {
				if resp, body := k.ask("DELETE", "/results/"+ana.id, "", a.who...); resp.StatusCode != 403 {
					t.Errorf("another's result forgotten by %s = %s %s, want 403", a.name, resp.Status, body)
				}
				if resp, body := k.ask("DELETE", "/results/"+a.id, "", a.who...); resp.StatusCode != 200 || !strings.Contains(body, `"thumbnail"`) {
					t.Errorf("forgotten by %s = %s %s", a.name, resp.Status, body)
				}
				if resp, _ := k.ask("GET", "/results/"+a.id, "", a.who...); resp.StatusCode != 404 {
					t.Errorf("%s's forgotten result = %s", a.name, resp.Status)
				}
			}
			if resp, _ := k.ask("GET", "/results/"+ana.id, "", ana.who...); resp.StatusCode != 200 {
				t.Errorf("what ana asked for = %s after others have forgotten theirs", resp.Status)
			}
			body, kind = form(t, [2]string{lee.file(), photo})
			if resp, body := k.ask("POST", "/analyze", body, append([]string{"Content-Type", kind}, lee.who...)...); resp.StatusCode != 200 || read[answered](t, body).ID != lee.id || !read[answered](t, body).Cached {
				t.Errorf("asked again after a forgetting = %s %s", resp.Status, body)
			}
			if resp, body := k.ask("DELETE", "/results/"+ana.id, "", owner...); resp.StatusCode != 200 {
				t.Fatalf("forgotten by the owner = %s %s", resp.Status, body)
			}
			for _, a := range all {
				if resp, _ := k.ask("GET", "/results/"+a.id, "", owner...); resp.StatusCode != 404 {
					t.Errorf("%s's result after the owner has forgotten the photo = %s", a.name, resp.Status)
				}
			}
		})
	}
}

// seeOwn checks who sees whose result, and which picture.
func (k *known) seeOwn(all []*askerOf) {
	k.t.Helper()
	for _, a := range all {
		for _, of := range all {
			sameAddress := !a.reads && a.who[1] == of.who[1]
			may := a.reads || a == of || sameAddress // who knows the ID, which depends on the names
			resp, body := k.ask("GET", "/results/"+of.id, "", a.who...)
			if may != (resp.StatusCode == 200) || may && (!strings.Contains(body, of.file()) || named(body, all, of) != nil) {
				k.t.Errorf("the result of %s for %s = %s %s", of.name, a.name, resp.Status, body)
			}
			resp, picture := k.ask("GET", "/results/"+of.id+"/photo", "", a.who...)
			switch {
			case !may && resp.StatusCode != 404:
				k.t.Errorf("the picture of %s for %s = %s", of.name, a.name, resp.Status)
			case a != of && !sameAddress && picture == of.thumbnail:
				k.t.Errorf("%s sees the thumbnail that %s sent", a.name, of.name)
			case a == of && resp.StatusCode != 200:
				k.t.Errorf("the picture of %s for themselves = %s", a.name, resp.Status)
			}
		}
	}
}

// Who joins a photo that is being read sees its events, and neither the names nor the place of
// whoever began it.
func TestSamePhotoAtOnce(t *testing.T) {
	t.Parallel()
	k := knows(t, caller.Public)
	k.uploaded("claim.jpg", picture(t, 60))
	photo := base64.StdEncoding.EncodeToString(picture(t, 61))
	var all []*askerOf
	for i := range 6 {
		all = append(all, &askerOf{name: fmt.Sprintf("asker %d", i), who: at(fmt.Sprintf("203.0.113.%d", 20+i))})
	}
	var group sync.WaitGroup
	for _, a := range all {
		group.Go(func() {
			resp, body := k.ask("POST", "/analyze", `{"image":"`+photo+`","file":"`+a.file()+`"}`, append([]string{"Content-Type", "application/json", "Accept", "text/event-stream"}, a.who...)...)
			if resp.StatusCode != 200 || !strings.Contains(body, a.file()) || named(body, all, a) != nil {
				t.Errorf("%s = %s %s", a.name, resp.Status, body)
			}
		})
	}
	group.Wait()
	if n := k.readings(); n != 2 { // that of the upload, too
		t.Errorf("%d readings, want one for all", n)
	}
}

// sureOf returns a reading that needs no second look.
func sureOf(name string) emulated.Answer {
	return emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{
		VisibleText: []analyze.Line{{Text: name, Clear: true}, {Text: "Onul", Clear: true}, {Text: "20 bags", Clear: true}, {Text: "no sugar", Clear: true}}, NameAsPrinted: name, BrandAsPrinted: "Onul",
		SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Tea", KeyFeatures: []string{"a green box", "a leaf", "white letters", "20 bags", "a golden line", "paper", "square", "no sugar"}, ProductName: name, Brand: "Onul",
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}}
}

// readings returns how many photos were read by the model.
func (s *service) readings() int {
	n := 0
	for _, c := range s.Gemini.Calls() {
		if c.Kind == answers.KindImage {
			n++
		}
	}
	return n
}
