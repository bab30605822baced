//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/whatis/emulators/samples"
)

// A searchLoad is a kind of search of one of the two shops.
type searchLoad struct {
	name    string
	shop    string // "" is the large one
	words   string // %s is another colour each time
	picture int    // its width in pixels; 0 is no picture
	turned  bool   // its Exif has it turned

	calls, reads float64 // of Firestore, at most in the mean
	cpu          float64 // own processor time that is aimed for, ms, and not reached yet; 0 is none
	plain        bool    // code reads the words alone: no model is asked what they mean
}

// searchLoads are the searches of the table: without filters the nearest few do; filters
// that few products meet want these products alone, once more for each filter that is given
// up. What is read is held, and no time: the emulator, which compares every vector, has its
// part in that.
var searchLoads = []searchLoad{
	{name: "search, plain words, 374 products", shop: smallShop, words: "%s sunglasses", calls: 3, reads: 200, cpu: 3, plain: true},
	{name: "search, plain words", words: "%s sunglasses", calls: 4, reads: 600, cpu: 8, plain: true},
	{name: "search, five filters", words: "round %s titanium sunglasses for men", calls: 5, reads: 550, cpu: 15, plain: true},
	{name: "search, words, 374 products", shop: smallShop, words: "something nice in %s", calls: 5, reads: 900, cpu: 4},
	{name: "search, words", words: "something nice in %s", calls: 5, reads: 900, cpu: 5},
	{name: "search, words with filters", words: "round %s titanium sunglasses for men under 2m", calls: 5, reads: 550},
	{name: "search, a picture, 374 products", shop: smallShop, picture: 640, calls: 1, reads: 130},
	{name: "search, a picture", picture: 640, calls: 1, reads: 130},
	{name: "search, a picture of 12 MP", picture: 4000, calls: 1, reads: 130, cpu: 20},
	{name: "search, a picture of 12 MP to be turned", picture: 4000, turned: true, calls: 1, reads: 130, cpu: 160},
	{name: "search, both with filters, 374 products", shop: smallShop, words: "kính râm nam tròn màu %s, không phải nhựa, dưới 2 triệu", picture: 640, calls: 9, reads: 2500},
	{name: "search, both with filters", words: "kính râm nam tròn màu %s, không phải nhựa, dưới 2 triệu", picture: 640, calls: 9, reads: 2500},
}

// searches measures the searches.
func (w *world) searches(ctx context.Context, program string, o options, f *figures) error {
	filled := false
	for _, load := range searchLoads {
		if !strings.Contains(load.name, o.only) || o.counts && load.cpu > 15 { // large pictures: time alone
			continue
		}
		if !filled {
			large := largeProducts
			if o.counts { // more calls and reads than this are no matter of size
				large /= 5
			}
			if err := w.fill(ctx, large); err != nil {
				return err
			}
			filled = true
		}
		w.model.answer(bySearch, "[]")
		p, err := w.server(ctx, program, function, profileFile(o.profile, load.name))
		if err != nil {
			return err
		}
		one, err := w.searched(p, load, o.requests)
		p.stop()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", load.name, err, lastLines(p.log.String()))
		}
		f.Searches[load.name], f.SearchOrder = one, append(f.SearchOrder, load.name)
	}
	return nil
}

// searched searches n times, one at a time, after a few times that do not count.
func (w *world) searched(p *process, load searchLoad, n int) (figure, error) {
	for i := range 1 + n/10 {
		if err := load.ask(p, i); err != nil {
			return figure{}, err
		}
	}
	return w.counted(p, n, func() ([]time.Duration, error) {
		took := make([]time.Duration, n)
		for i := range n {
			begin := time.Now()
			if err := load.ask(p, i); err != nil {
				return nil, err
			}
			took[i] = time.Since(begin)
		}
		return took, nil
	})
}

// ask searches once, and wants products.
func (l searchLoad) ask(p *process, i int) error {
	frame := samples.Frames()[i*37%len(samples.Frames())]
	question := map[string]any{"shop": cmp.Or(l.shop, largeShop), "limit": 10}
	if l.words != "" {
		question["query"] = fmt.Sprintf(l.words, strings.ReplaceAll(frame.Color, "_", " "))
	}
	if l.picture > 0 {
		picture := shown(frame, l.picture)
		if l.turned {
			picture = turned(picture)
		}
		question["image"] = picture
	}
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	resp, err := client.Post(p.url+"/search", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var found struct {
		Count int `json:"count"`
	}
	if json.Unmarshal(answer, &found) != nil || found.Count == 0 || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST /search %q = %s: %.500s; want products", question["query"], resp.Status, answer)
	}
	return nil
}

// pictures are those that were drawn, by frame and width: a large one takes a second.
var pictures = map[string][]byte{}

// shown returns a picture of a frame, of so many pixels of width.
func shown(f samples.Frame, width int) []byte {
	if width > 1000 {
		f = samples.Frames()[0]
	}
	key := fmt.Sprint(f.SKU, width)
	if pictures[key] == nil {
		pictures[key] = encoded(f.Picture(samples.View{Width: width, Turn: 5, Scale: 0.8}), 80)
	}
	return pictures[key]
}

// loadOf returns the load with that name.
func loadOf(name string) searchLoad {
	return searchLoads[slices.IndexFunc(searchLoads, func(l searchLoad) bool { return l.name == name })]
}
