package barcode

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

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

func TestMatrixTimes(t *testing.T) {
	for _, s := range realPhotos(t) {
		if s.name[:5] != "photo" || s.img.Bounds().Dx() < 360 {
			continue
		}
		img := at2MP(s.img)
		p := grey(img, img.Bounds(), scanned)
		st := processorTime()
		v := view{img: img, from: img.Bounds(), plane: p, grid: gridOf(p)}
		a := processorTime()
		v.bars(t.Context(), true)
		b := processorTime()
		sc := newScanner(v.plane)
		pt := sc.patterns(v.grid)
		c := processorTime()
		tr := triples(pt)
		sq := v.grid.squares()
		d := processorTime()
		v.matrixCodes(t.Context())
		e := processorTime()
		t.Log(s.name, "grid", a-st, "bars", b-a, "patterns", c-b, len(pt), "squares", d-c, len(tr), len(sq), "matrix", e-d-(c-b)-(d-c))
		for _, x := range sq {
			t.Log(x)
		}
	}
}

func TestBoth(t *testing.T) {
	code := qr(t, link, 0, 1, false)
	img := on(at(code, 3, 0), at(dm(t, "\x1d"+element, 20, 20), 4, 0))
	p := grey(img, img.Bounds(), scanned)
	g := gridOf(p)
	t.Log(img.Bounds(), g.size, g.densest(), g.squares())
	for y := range g.rows {
		var l []int
		for x := range g.columns {
			l = append(l, int(g.raw[y*g.columns+x].energy/100))
		}
		t.Log(l)
	}
}
