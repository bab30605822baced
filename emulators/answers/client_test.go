package answers

import (
	"testing"

	"example.com/whatis/emulators/gemini"
)

// start runs an emulator for the test, without tesseract unless o names one.
func start(t testing.TB, o Options) *gemini.Server {
	t.Helper()
	if o.Tesseract == "" {
		o.Tesseract = "off"
	}
	s, err := Start(gemini.Options{}, o)
	if err != nil {
		t.Fatalf("Start(%+v): %v", o, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
