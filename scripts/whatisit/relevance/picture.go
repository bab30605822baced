package relevance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image/jpeg"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
)

// A Picture is a frame as a shopper photographs it: drawn and compressed when it is first
// asked for. No picture of the catalogue is so.
type Picture struct {
	SKU  string `json:"sku"`
	View string `json:"view"` // turned, small or shaded
}

// A photograph is how a picture is taken and compressed.
type photograph struct {
	samples.View
	quality int
}

var photographs = map[string]photograph{
	"turned": {samples.View{Width: 290, Turn: 8, Scale: 0.84, Background: 0xEADFC8}, 78},
	"small":  {samples.View{Width: 430, Turn: -10, Scale: 0.68, Background: 0xA3C6AA, Shade: 0.08}, 70},
	"shaded": {samples.View{Width: 620, Turn: 4, Scale: 0.79, Background: 0xBCA8CA, Shade: 0.16}, 85},
}

func (p Picture) check() error {
	if p.frame().SKU == "" {
		return fmt.Errorf("picture.sku %q is none of %s", p.SKU, samples.EyewearShop)
	}
	if _, ok := photographs[p.View]; !ok {
		return fmt.Errorf("picture.view %q: want %s", p.View, strings.Join(slices.Sorted(maps.Keys(photographs)), ", "))
	}
	return nil
}

// frame returns the one in the picture; a zero one if there is none.
func (p Picture) frame() samples.Frame {
	all := frames()
	if i := slices.IndexFunc(all, func(f samples.Frame) bool { return f.SKU == p.SKU }); i >= 0 {
		return all[i]
	}
	return samples.Frame{}
}

// KnownFrames returns the frames in the shop's pictures and in those of queries, by the SHA-256
// of a picture's bytes, in lower-case hexadecimal.
func KnownFrames(queries []Query) map[string]samples.Frame {
	known := map[string]samples.Frame{}
	add := func(picture []byte, f samples.Frame) { known[fmt.Sprintf("%x", sha256.Sum256(picture))] = f }
	for _, f := range frames() {
		add(f.PNG(), f)
	}
	for _, q := range queries {
		if q.Picture != nil {
			add(q.Picture.jpeg(), q.Picture.frame())
		}
	}
	return known
}

// jpeg returns the bytes of the picture, which is drawn once in a process.
func (p Picture) jpeg() []byte {
	taken, _ := drawn.LoadOrStore(p, sync.OnceValue(p.draw))
	return taken.(func() []byte)()
}

// drawn caches pictures.
var drawn sync.Map

func (p Picture) draw() []byte {
	how := photographs[p.View]
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p.frame().Picture(how.View), &jpeg.Options{Quality: how.quality}); err != nil {
		panic(fmt.Sprintf("relevance: %v", err)) // a picture in memory, of a size that JPEG has
	}
	return b.Bytes()
}
