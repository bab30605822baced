package barcode
import ("testing";"image")
func TestDbg(t *testing.T) {
	for _, d := range drawings(t) {
		if d.name != "QR Code" { continue }
		var img image.Image = tilted(at(d.img, 4, 0), 0.1, 1)
		p := grey(img, scanned)
		s := newScanner(p)
		s.bars(t.Context(), p, slopes)
		f := patterns(s.hits)
		t.Logf("%q %dx%d (%d modules): %d hits %d patterns", d.text[:10], p.width, p.height, d.img.Rect.Dx()/8-8, len(s.hits), len(f))
		for _, x := range f { t.Logf("   %+v", x) }
		for _, k := range p.clearest(corners(f)) {
			t.Logf("  corner %+v versions %v", k, p.versions(k))
			for _, v := range p.versions(k) {
				k, c := p.centred(k, float64(10+4*v), float64(10+4*v))
				for _, w := range p.qrViews(k, v, c) {
					t.Logf("     v %d contrast %.0f alternates %.0f", v, c, p.alternates(w, 17+4*v))
				}
			}
		}
	}
}
