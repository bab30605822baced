package samples

import "testing"

// Each leaflet is a picture with a label of all its print, its brand and its name first.
func TestLeaflets(t *testing.T) {
	if len(Leaflets()) < 5 {
		t.Errorf("%d leaflets, want 5 at least", len(Leaflets()))
	}
	for _, s := range Leaflets() {
		if size := s.Image().Bounds().Size(); size.X < 600 || len(s.Truth.Lines) < 5 || s.Truth.Lines[0].Text != s.Truth.Brand || s.Truth.Lines[1].Text != s.Truth.Name {
			t.Errorf("%s, %v: %v; want its brand and its name first", s.File, size, s.Truth.Lines)
		}
	}
}
