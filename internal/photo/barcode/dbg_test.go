package barcode

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDbg(t *testing.T) {
	for _, smp := range realPhotos(t) {
		got := Read(t.Context(), smp.img)
		if len(got) > 0 || smp.wants == nil {
			continue
		}
		p := grey(smp.img, scanned)
		g := gridOf(p)
		s := newScanner(p)
		fmt.Printf("%s %dx%d want %v\n", smp.name, p.width, p.height, smp.wants)
		s.bars(t.Context(), g)
		for _, r := range g.regions() {
			a := &attempt{region: &r, rows: g.across(&r, 0)}
			s.try(a, g, first)
			s.try(a, g, second)
			fmt.Printf("  %d blocks weight %.1f angle %.0f edges %d hot %d votes %d pixels %d\n", len(r.blocks), r.weight, r.angle()*180/math.Pi, a.edges, len(a.hot), len(a.votes), a.pixels)
			if r.weight < 20 {
				break
			}
		}
		for _, c := range count(s.votes) {
			fmt.Println("     ", c.name, c.text, len(c.lines), c.mids)
		}
	}
}

func TestSpoilQuick(t *testing.T) {
	var n tally
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(spoil))
	by := map[string]*tally{}
	for i, s := range realPhotos(t) {
		for j, name := range names {
			if (i+j)%4 != 0 {
				continue
			}
			if by[name] == nil {
				by[name] = &tally{}
			}
			img := spoil[name](s.img, r)
			n.add(t, s, img, " "+name)
			by[name].add(t, s, img, " "+name)
		}
	}
	for _, name := range names {
		t.Log(name, by[name])
	}
	t.Log(n)
}

func TestTimes(t *testing.T) {
	var a, b []float64
	for i, s := range realPhotos(t) {
		ph := s.name[:5] == "photo"
		if ph && s.img.Bounds().Dx() < 360 || !ph && i%3 != 0 {
			continue
		}
		img := at2MP(s.img)
		best := 1e9
		for range 3 {
			st := processorTime()
			Read(t.Context(), img)
			best = min(best, float64((processorTime()-st).Microseconds())/1000)
		}
		if ph {
			a = append(a, best)
			t.Log(s.name, best)
		} else {
			b = append(b, best)
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	t.Log("photos", a[len(a)/2], a[len(a)-1], "barcodes", b[len(b)/2], b[len(b)*95/100], b[len(b)-1])
}
