package answers

import (
	"bytes"
	"cmp"
	"image"
	"math"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// eyewear has the measures of glasses in a picture, independent of their rotation.
type eyewear struct {
	profile [rays]float64 // distance of the lens' outline from its middle, outwards first
	rim     [rays]float64 // thickness of the rim there
	colours [][3]int      // of the rim and of the bridge
	dark    bool          // the lenses are darker than their surroundings
	around  [3]int        // the background colour
}

// rays are the directions in which a lens is measured.
const rays = 48

// thickest is the maximum thickness of a rim, relative to the root of the lens' area.
const thickest = 0.25

// glasses caches the glasses measured in this process.
var glasses memory[*eyewear]

// eyewearIn returns the glasses in a photo, if it shows any.
func eyewearIn(photo gemini.Inline) (*eyewear, bool) {
	e, err := glasses.of(photo.SHA256, func() (*eyewear, error) { return look(photo.Data) })
	return e, err == nil && e != nil
}

// look measures the glasses in a photo; nil if it shows none, as the project's own packs.
func look(photo []byte) (*eyewear, error) {
	if err := bounded(photo); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(photo))
	if err != nil {
		return nil, err
	}
	if _, pack := samples.Recognise(img); pack {
		return nil, nil
	}
	e, ok := measured(img)
	if !ok {
		return nil, nil
	}
	if _, distance := nearestShape(e); distance >= maxShapeDistance {
		return nil, nil
	}
	return e, nil
}

// measured finds two lenses and measures them, as one: the left is mirrored.
func measured(img image.Image) (*eyewear, bool) {
	s := segmentsOf(img)
	left, right, ok := s.lenses()
	if !ok {
		return nil, false
	}
	a, b := s.parts[left], s.parts[right]
	turn := math.Atan2(b.y-a.y, b.x-a.x)
	e := &eyewear{}
	scale := math.Sqrt(float64(a.area+b.area) / 2)
	for _, l := range []struct {
		part int
		side float64
	}{{left, -1}, {right, 1}} {
		s.measure(e, l.part, l.side, turn, scale)
	}
	s.bridge(e, a, b, turn, scale)
	_, inside := s.at(b.x, b.y)
	e.dark = luma(s.colour(inside)) < luma(e.around)-30
	return e, len(e.colours) > 0
}

func luma(c [3]int) int { return (299*c[0] + 587*c[1] + 114*c[2]) / 1000 }

// measure adds half of the measures of one lens to e.
func (s *segments) measure(e *eyewear, part int, side, turn, scale float64) {
	p := s.parts[part]
	for i := range rays {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rays)
		dx, dy := side*cos*math.Cos(turn)-sin*math.Sin(turn), side*cos*math.Sin(turn)+sin*math.Cos(turn)
		edge := 0.0
		for r := 0.0; r < 2*scale; r += 0.5 {
			if at, _ := s.at(p.x+dx*r, p.y+dy*r); at == part {
				edge = r
			}
		}
		thick := 0.0
		for ; thick < thickest*scale; thick += 0.5 {
			at, pixel := s.at(p.x+dx*(edge+thick+0.5), p.y+dy*(edge+thick+0.5))
			if at < 0 || s.parts[at].border || 2*s.parts[at].area > 3*s.parts[part].area {
				if at >= 0 && s.parts[at].area > s.parts[part].area {
					e.around = s.colour(pixel)
				}
				break
			}
		}
		e.profile[i] += edge / scale / 2
		if i*8 < 3*rays || i*8 > 5*rays { // not where the bridge is
			e.rim[i] += thick / scale / 2
		}
		for r := 0.35 * thick; thick > 5 && r < 0.65*thick; r++ {
			_, pixel := s.at(p.x+dx*(edge+r), p.y+dy*(edge+r))
			e.colours = append(e.colours, s.colour(pixel))
		}
	}
}

// bridge adds the colours between two lenses, the only ones of rimless glasses.
func (s *segments) bridge(e *eyewear, a, b segment, turn, scale float64) {
	for up := -0.6; up < 0.2; up += 0.02 {
		x, y := (a.x+b.x)/2+up*scale*-math.Sin(turn), (a.y+b.y)/2+up*scale*math.Cos(turn)
		at, pixel := s.at(x, y)
		if at >= 0 && !s.parts[at].border && s.parts[at].area > 12 {
			e.colours = append(e.colours, s.colour(pixel))
		}
	}
}

// knownShapes returns the measures of the known shapes of glasses.
var knownShapes = sync.OnceValue(func() map[string][]*eyewear {
	known := map[string][]*eyewear{}
	for _, shape := range samples.FrameShapes() {
		for _, material := range []string{"metal", "acetate"} {
			if e, ok := measured(samples.Frame{Shape: shape, Color: "black", Material: material}.Picture(samples.View{})); ok {
				known[shape] = append(known[shape], e)
			}
		}
	}
	return known
})

// maxShapeDistance is the distance from every known shape at which two parts of a picture
// are not glasses.
const maxShapeDistance = 0.12

// distance returns the distance between the outlines of two glasses.
func (e *eyewear) distance(f *eyewear) float64 {
	sum := 0.0
	for i := range rays {
		p, r := e.profile[i]-f.profile[i], e.rim[i]-f.rim[i]
		sum += p*p + r*r/2
	}
	return math.Sqrt(sum / rays)
}

func nearestShape(e *eyewear) (string, float64) {
	shapes := e.shapes()
	return shapes[0].name, shapes[0].distance
}

// A likely is a candidate name with its distance from the measures.
type likely struct {
	name     string
	distance float64
}

func (e *eyewear) shapes() []likely {
	var all []likely
	for shape, known := range knownShapes() {
		nearest := math.Inf(1)
		for _, k := range known {
			nearest = min(nearest, e.distance(k))
		}
		all = append(all, likely{shape, nearest})
	}
	return byDistance(all)
}

func byDistance(all []likely) []likely {
	slices.SortFunc(all, func(a, b likely) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	return all
}

// inks returns the names of the rim's colour, the nearest first.
func (e *eyewear) inks() []likely {
	dark, light := e.tones()
	middle := e.tone(0.5)
	var all []likely
	for name, ink := range samples.FrameInks() {
		ink := [3]int{int(ink >> 16), int(ink >> 8 & 255), int(ink & 255)}
		if name == "clear" {
			ink = [3]int{}
			for i := range ink {
				ink[i] = e.around[i] + (255-e.around[i])*45/100
			}
		}
		all = append(all, likely{name, labDistance(ink, middle)})
	}
	for i := range all {
		if all[i].name == "tortoise" && luma(light)-luma(dark) > 45 && light[0] > light[2]+40 {
			all[i].distance = 0
		} else if all[i].name == "tortoise" {
			all[i].distance += 40
		}
	}
	return byDistance(all)
}

// tones returns a dark and a light colour of the rim.
func (e *eyewear) tones() (dark, light [3]int) { return e.tone(0.25), e.tone(0.75) }

// tone returns the colour than which that share of the rim's pixels is darker.
func (e *eyewear) tone(share float64) [3]int {
	sorted := slices.SortedFunc(slices.Values(e.colours), func(a, b [3]int) int { return cmp.Compare(luma(a), luma(b)) })
	return sorted[int(share*float64(len(sorted)-1))]
}

// labDistance returns the perceived difference of two colours (CIE 1976).
func labDistance(a, b [3]int) float64 {
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

func lab(c [3]int) [3]float64 {
	linear := func(v int) float64 { return math.Pow(float64(v)/255, 2.2) }
	r, g, b := linear(c[0]), linear(c[1]), linear(c[2])
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.9505), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// embedding returns the vector of the words for the measures, in English and Vietnamese,
// weighted by how well they fit, in the vector space of texts.
func (e *eyewear) embedding(dimensions int) []float32 {
	sums := make([]float64, dimensions)
	addLikely(sums, e.shapes(), 0.01)
	addLikely(sums, e.inks(), 4)
	category := "frames"
	if e.dark {
		category = "sunglasses"
	}
	addWords(sums, samples.FrameWords(category), 0.5)
	addWords(sums, "eyewear glasses kính", 0.3)
	return unit(sums)
}

// frameEmbedding returns the vector of the words for the glasses of a label; the shape has
// the highest weight, then the colour.
func frameEmbedding(f samples.Frame, dimensions int) []float32 {
	sums := make([]float64, dimensions)
	addWords(sums, samples.FrameWords(f.Shape), 2)
	addWords(sums, samples.FrameWords(f.Color), 1)
	addWords(sums, samples.FrameWords(f.Category), 0.5)
	addWords(sums, "eyewear glasses kính", 0.3)
	return unit(sums)
}

// addLikely adds the words of the nearest names, with less weight for further ones.
func addLikely(sums []float64, all []likely, width float64) {
	for _, l := range all {
		if weight := math.Exp((all[0].distance - l.distance) / width); weight > 0.05 {
			addWords(sums, samples.FrameWords(l.name), weight)
		}
	}
}

func addWords(sums []float64, text string, weight float64) {
	words := splitWords(text)
	for _, word := range words {
		addWord(sums, word, weight/math.Sqrt(float64(len(words))))
	}
}
