package analyze_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// Every model that sees the photos sees them in the order of the request, and is
// told that they show one product; the prompt for a single photo does not say so.
func TestSeveralAreShownInOrder(t *testing.T) {
	t.Parallel()
	for _, oneCall := range []bool{false, true} {
		one, _ := instructions(t, oneCall)
		photos := []*photo.Photo{stripes(t, 5), stripes(t, 3)}
		several, b := instructions(t, oneCall, photos...)
		told := map[emulated.Kind]bool{answers.KindImage: true, answers.KindSearch: true, answers.KindStructure: oneCall}
		if len(one) != len(several) || len(one) < 2 {
			t.Fatalf("%d kinds of calls for one photo and %d for several, want as many", len(one), len(several))
		}
		for kind, text := range one {
			more, ok := strings.CutPrefix(several[kind], text)
			if !ok || strings.Contains(more, "one and the same product") != told[kind] || told[kind] != strings.Contains(more, "products_seen counts products, not photos") {
				t.Errorf("the instruction of %s for several photos adds %q to that of one, want it told %v", kind, more, told[kind])
			}
			if strings.Contains(text, "SEVERAL") {
				t.Errorf("the instruction of %s for one photo speaks of several:\n%s", kind, text)
			}
		}
		for _, c := range b.Gemini.Calls() {
			if len(c.Inline) > 0 && !slices.Equal(shas(c), sums(b.req.Photos())) {
				t.Errorf("%s saw the photos %.8s, want %.8s", c.Kind, shas(c), sums(b.req.Photos()))
			}
		}
	}
}

// instructions returns the instructions of a run that searches the web, by kind of call.
func instructions(t *testing.T, oneCall bool, more ...*photo.Photo) (map[emulated.Kind]string, *bench) {
	t.Helper()
	b := newBench(t, func(c *analyze.Config) { c.SearchWithSchema = oneCall })
	b.req.More = more
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
	told := map[emulated.Kind]string{}
	for _, c := range b.Gemini.Calls() {
		if c.Kind != emulated.KindEmbed {
			told[c.Kind] = c.System
		}
	}
	return told, b
}

// The judge is told too, and sees the photos in order.
func TestJudgeSeesSeveral(t *testing.T) {
	t.Parallel()
	for _, more := range [][]*photo.Photo{nil, {stripes(t, 5)}, {stripes(t, 5), stripes(t, 3)}} {
		b := newBench(t, nil)
		b.req.More = more
		b.Gemini.Script(analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 }), judgement(analyze.Judgement{Confirmed: true}))
		if _, err := b.run(nil); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.Gemini.Calls() {
			if !slices.Equal(shas(c), sums(b.req.Photos())) {
				t.Errorf("%s saw the photos %.8s, want %.8s", c.Kind, shas(c), sums(b.req.Photos()))
			}
			if told := strings.Contains(c.System, "one and the same product"); told != (len(more) > 0) {
				t.Errorf("%s of %d photos: told that they are of one product %v", c.Kind, 1+len(more), told)
			}
		}
	}
}

// shas returns the hashes of what was sent in a call, sums those of what should be.
func shas(c emulated.Call) []string {
	var list []string
	for _, in := range c.Inline {
		list = append(list, in.SHA256)
	}
	return list
}

func sums(photos []*photo.Photo) []string {
	var list []string
	for _, p := range photos {
		sum := sha256.Sum256(p.Sent)
		list = append(list, hex.EncodeToString(sum[:]))
	}
	return list
}

// A repeated photo is sent once, with the prompt for one photo.
func TestSamePhotoTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	again := photo.Photo{SHA256: b.photo.SHA256, Sent: b.photo.Sent, SentType: b.photo.SentType}
	alone := b.pipeline.Key(b.req)
	b.req.More = []*photo.Photo{&again}
	b.Gemini.Script(analysis(nil))
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := b.Gemini.Calls()[0]
	if len(c.Inline) != 1 || strings.Contains(c.System, "SEVERAL") || b.pipeline.Key(b.req) != alone {
		t.Errorf("%d photos sent under the key %s, want one under %s and not a word of several", len(c.Inline), b.pipeline.Key(b.req), alone)
	}
	if len(r.MoreImages) != 1 || r.MoreImages[0].SHA256 != b.photo.SHA256 {
		t.Errorf("more_images = %+v, want what was given", r.MoreImages)
	}
}

// The key covers every photo in its order, and a single photo's is as before.
func TestKeyOfSeveral(t *testing.T) {
	b := newBench(t, nil)
	front, back, side := stripes(t, 7), stripes(t, 5), stripes(t, 3)
	of := func(photos ...*photo.Photo) string {
		req := b.req
		req.Photo, req.More = photos[0], photos[1:]
		return b.pipeline.Key(req)
	}
	seen := map[string]int{}
	for i, photos := range [][]*photo.Photo{{front}, {back}, {front, back}, {back, front}, {front, side}, {front, back, side}, {front, side, back}, {back, front, side}} {
		if same, ok := seen[of(photos...)]; ok {
			t.Errorf("photos %d have the key of photos %d", i, same)
		}
		seen[of(photos...)] = i
	}
	if got, want := of(front), b.pipeline.Key(b.req); got != want {
		t.Errorf("Key of no more photos = %s, want %s, that of one", got, want)
	}
	if got, want := of(front, back, front, back), of(front, back); got != want {
		t.Errorf("Key of photos that are there twice = %s, want %s", got, want)
	}
}

// weighing returns n photos of the given total size, in a format that is not decoded.
func weighing(n, bytes int) []*photo.Photo {
	var photos []*photo.Photo
	for i := range n {
		data := make([]byte, bytes/n+min(1, max(0, bytes%n-i)))
		copy(data, fmt.Sprintf("\x00\x00\x00\x18ftypheic %d", i))
		photos = append(photos, &photo.Photo{SHA256: fmt.Sprint(i), Sent: data, SentType: "image/heic"})
	}
	return photos
}

// Too many photos for one question are refused before any paid call.
func TestTooManyPhotos(t *testing.T) {
	tests := []struct {
		photos []*photo.Photo
		want   string // in the error, "" for none
	}{
		{weighing(1, 100), ""},
		{weighing(1, analyze.MaxSent+1), ""}, // photo.Limits bound a single one
		{weighing(8, 800), ""},
		{weighing(9, 900), "there are 9 different ones, and 8 at most are looked at together: leave some out"},
		{weighing(2, analyze.MaxSent), ""},
		{weighing(2, analyze.MaxSent+1), "they have 14000001 bytes, and 14000000 at most are sent together: send fewer, or smaller ones"},
		{weighing(8, analyze.MaxSent+1), "they have 14000001 bytes"},
	}
	b := newBench(t, nil)
	for _, test := range tests {
		err := analyze.CheckPhotos(test.photos)
		if refused := test.want != ""; errors.Is(err, analyze.ErrTooMany) != refused || (err != nil) != refused || refused && !strings.Contains(err.Error(), test.want) {
			t.Errorf("CheckPhotos of %d photos = %v, want %q", len(test.photos), err, test.want)
		}
		if err == nil {
			continue
		}
		b.req.Photo, b.req.More = test.photos[0], test.photos[1:]
		if _, got := b.run(nil); !errors.Is(got, analyze.ErrTooMany) || got.Error() != err.Error() {
			t.Errorf("Run of %d photos = %v, want %v", len(test.photos), got, err)
		}
	}
	b.req.Photo, b.req.More = b.photo, []*photo.Photo{b.photo, nil}
	if _, err := b.run(nil); err == nil || !strings.Contains(err.Error(), "Request.More[1]") {
		t.Errorf("Run with a nil photo = %v, want an error that names it", err)
	}
	if calls := b.Gemini.Calls(); len(calls) != 0 {
		t.Errorf("%d model calls for what was refused, want none", len(calls))
	}
}

// Of photos with too many bytes, the larger ones that can be decoded get what the others
// leave.
func TestShare(t *testing.T) {
	of := func(kind string, bytes ...int) (photos []*photo.Photo) {
		for i, n := range bytes {
			photos = append(photos, &photo.Photo{SHA256: fmt.Sprint(kind, i, n), Sent: append(make([]byte, n-1), byte(i)), SentType: kind})
		}
		return photos
	}
	const heic, jpeg = "image/heic", "image/jpeg"
	tests := []struct {
		photos []*photo.Photo
		want   int
	}{
		{of(jpeg, 7_000_000), 0},
		{of(jpeg, 7_000_000, 7_000_000), 0},
		{of(jpeg, 7_000_000, 7_000_000, 7_000_000), 4_666_666},
		{of(jpeg, 1_000_000, 7_000_000, 7_000_000), 6_500_000},
		{append(of(heic, 6_000_000), of(jpeg, 7_000_000, 7_000_000)...), 4_000_000},
		{append(of(heic, 7_000_000, 6_900_000), of(jpeg, 1_000_000)...), 300_000},
		{append(of(jpeg, 7_000_000, 6_000_000), of(jpeg, 7_000_000)[0]), 0}, // a copy
	}
	for _, test := range tests {
		if got := analyze.Share(test.photos); got != test.want {
			t.Errorf("Share of %d photos = %d, want %d", len(test.photos), got, test.want)
		}
	}
}

// The most that is accepted makes requests that the service accepts: 20 MB in all.
func TestMostPhotosFitIntoARequest(t *testing.T) {
	t.Parallel()
	const most, room = 20_000_000, 1_000_000
	b := newBench(t, nil)
	photos := weighing(analyze.MaxPhotos, analyze.MaxSent)
	b.req.Photo, b.req.More = photos[0], photos[1:]
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Gemini.Calls() {
		if len(c.Inline) > 0 && len(c.Inline) != len(photos) || c.RequestBytes > most-room {
			t.Errorf("%s was sent %d photos in %d bytes, want all %d in %d at most", c.Kind, len(c.Inline), c.RequestBytes, len(photos), most-room)
		}
	}
}

// The record of a product from the web names every photo it was found for.
func TestLearnsFromSeveral(t *testing.T) {
	t.Parallel()
	back := stripes(t, 5)
	for _, uri := range []string{"", "gs://photos/front.jpg"} {
		b := newBench(t, nil)
		b.req.Origins, b.req.More = []analyze.Origin{{URI: uri}}, []*photo.Photo{back}
		b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
		if _, err := b.run(nil); err != nil {
			t.Fatal(err)
		}
		want := []string{"sha256:" + b.photo.SHA256, "sha256:" + back.SHA256}
		if uri != "" {
			want[0] = uri
		}
		if saved := b.near(); len(saved) != 1 || !slices.Equal(saved[0].Provenance, want) {
			t.Errorf("saved %+v, want one product from %q", saved, want)
		}
	}
}
