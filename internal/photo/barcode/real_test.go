package barcode

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"example.com/whatis/emulators/realdata"
	"example.com/whatis/internal/gs1"
)

var every = flag.Bool("every", false, "spoil each real photo and each drawn symbol in every way, not a few")

// A sample is a real photo and the GTINs it shows, as far as is known.
type sample struct {
	name  string
	img   image.Image
	wants []string // nil means no code
	shy   bool     // the photo may not show the code in its name
}

// A tally counts what was read of real photos.
type tally struct{ right, wrong, foreign, missed, of int }

func (n *tally) add(t *testing.T, s sample, img image.Image, how string) {
	t.Helper()
	got := gtins(Read(t.Context(), img))
	var bad []string
	for _, g := range got {
		if !slices.Contains(s.wants, g) {
			bad = append(bad, g)
		}
	}
	switch {
	case len(bad) > 0 && s.wants == nil:
		n.foreign++
		t.Errorf("%s%s reads %v, and holds no code", s.name, how, bad)
	case len(bad) > 0:
		n.wrong++
		t.Errorf("%s%s reads %v, want %v", s.name, how, bad, s.wants)
	}
	if s.wants == nil || s.shy && len(got) == 0 {
		return
	}
	n.of++
	if slices.Contains(got, s.wants[0]) {
		n.right++
	} else {
		n.missed++
	}
}

func (n tally) String() string {
	return fmt.Sprintf("right %d, wrong %d, false %d, missed %d of %d", n.right, n.wrong, n.foreign, n.missed, n.of)
}

func gtins(codes []Code) []string {
	seen := map[string]bool{}
	for _, c := range codes {
		if c.GTIN != "" {
			seen[c.GTIN] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// The code of a photo is read or missed but never misread, and nothing is read where there
// is none; most codes are read.
func TestReal(t *testing.T) {
	var n tally
	byFolder := map[string]*tally{}
	for _, s := range realPhotos(t) {
		folder := filepath.Dir(s.name)
		if byFolder[folder] == nil {
			byFolder[folder] = &tally{}
		}
		one := tally{}
		one.add(t, s, s.img, "")
		for _, to := range []*tally{&n, byFolder[folder]} {
			*to = tally{to.right + one.right, to.wrong + one.wrong, to.foreign + one.foreign, to.missed + one.missed, to.of + one.of}
		}
		if one.missed > 0 {
			t.Logf("missed: %s", s.name)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		t.Logf("%s: %s", folder, byFolder[folder])
	}
	t.Log(n)
	bars, all := timesAt2MP(t)
	t.Logf("processor time at 2 MP: bars p50 %.1f, p95 %.1f ms; with QR Code and Data Matrix p50 %.1f, p95 %.1f ms", middle(bars), high(bars), middle(all), high(all))
	for _, limit := range []struct {
		name      string
		got, want float64
	}{
		{"bars, p50", middle(bars), 12}, {"bars, p95", high(bars), 20}, {"all, p50", middle(all), 16}, {"all, p95", high(all), 26},
	} {
		if limit.got > noise*limit.want {
			t.Errorf("%s: %.1f ms of processor time at 2 MP, want %.0f, or on a busy machine %.0f", limit.name, limit.got, limit.want, noise*limit.want)
		}
	}
	if n.right < n.of*9/10 {
		t.Errorf("right %d of %d, want 90 %%", n.right, n.of)
	}
}

// Damage to a photo never changes its code to another.
func TestRealSpoilt(t *testing.T) {
	var n tally
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(spoil))
	for i, s := range realPhotos(t) {
		for j, name := range names {
			if !*every && (i%3 != 0 || i/3%len(names) != j) {
				continue
			}
			n.add(t, s, spoil[name](s.img, r), " "+name)
		}
	}
	t.Log(n)
}

// noise is how many times longer reading may take on a busy machine.
const noise = 2.5

// timesAt2MP returns the processor times, in milliseconds, to read a phone's photos at 2
// MP, for bars alone and for all symbologies, the best of three. Processor time does not
// depend on the machine's other work.
func timesAt2MP(t testing.TB) (bars, all []float64) {
	for _, s := range realPhotos(t) {
		if !strings.HasPrefix(s.name, "photos") {
			continue
		}
		img := at2MP(s.img)
		all = append(all, best(func() { Read(t.Context(), img) }))
		bars = append(bars, best(func() {
			p := grey(img, img.Bounds(), scanned)
			v := view{img: img, from: img.Bounds(), plane: p, grid: gridOf(p)}
			v.bars(t.Context(), true)
			p.release()
		}))
	}
	slices.Sort(bars)
	slices.Sort(all)
	return bars, all
}

func best(f func()) float64 {
	least := time.Hour
	for range 3 {
		start := processorTime()
		f()
		least = min(least, processorTime()-start)
	}
	return float64(least.Microseconds()) / 1000
}

func middle(sorted []float64) float64 { return sorted[len(sorted)/2] }
func high(sorted []float64) float64   { return sorted[(len(sorted)*95-1)/100] }

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// at2MP scales img to 2 MP, as a JPEG would be decoded.
func at2MP(from image.Image) image.Image {
	p := grey(from, from.Bounds(), 1<<30)
	scale := math.Sqrt(2e6 / float64(p.width*p.height))
	img := image.NewYCbCr(image.Rect(0, 0, int(float64(p.width)*scale), int(float64(p.height)*scale)), image.YCbCrSubsampleRatio420)
	to := &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
	luma := &image.Gray{Pix: p.pix, Stride: p.width, Rect: image.Rect(0, 0, p.width, p.height)}
	draw.ApproxBiLinear.Scale(to, to.Rect, luma, luma.Rect, draw.Src, nil)
	return img
}

// realPhotos reads the real barcodes and photos.
func realPhotos(t testing.TB) []sample {
	if raceDetector {
		t.Skip("the race detector has nothing to find here, and takes minutes")
	}
	if decodedPhotos != nil {
		return decodedPhotos
	}
	var all []sample
	for _, file := range append(realdata.Need(t, "barcodes/*/*.png"), realdata.Files("photos/*.*")...) {
		s := sample{name: filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)), img: pictureOf(t, file)}
		s.wants, s.shy = wanted(t, file)
		all = append(all, s)
	}
	decodedPhotos = all
	return all
}

// decodedPhotos are what realPhotos returns, decoded once.
var decodedPhotos []sample

func pictureOf(t testing.TB, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return img
}

// seen are the numbers read by eye in photos whose names do not contain them.
var seen = map[string]string{"upc1.jpg": "7610352054205", "small_upc1.jpg": "3482410503307"}

var inName = regexp.MustCompile(`^\d{13}`)

// wanted returns the GTIN in the text file beside the photo, or in its name.
func wanted(t testing.TB, file string) ([]string, bool) {
	t.Helper()
	if strings.Contains(file, "falsepositives") {
		return nil, false
	}
	if filepath.Base(filepath.Dir(file)) == "photos" {
		number := cmp.Or(seen[filepath.Base(file)], inName.FindString(filepath.Base(file)))
		g, _ := gs1.GTIN(number)
		return []string{g}, true
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".png") + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	number := strings.TrimSpace(string(text))
	if strings.Contains(file, "upce") && len(number) == 8 {
		if number, err = gs1.ExpandUPCE(number); err != nil {
			t.Fatal(err)
		}
	}
	g, ok := gs1.GTIN(number)
	if !ok {
		t.Fatalf("%s: %q is no GTIN", file, text)
	}
	return []string{g}, false
}
