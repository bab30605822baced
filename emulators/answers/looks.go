package answers

import (
	"cmp"
	"fmt"
	"image"
	"slices"
)

// looksOf lists the measured looks of a picture: colours, shape, size and light.
func looksOf(img image.Image) []string {
	s := sampleGrid(img)
	b := img.Bounds()
	looks := []string{s.background() + " background"}
	for _, name := range s.dominant() {
		looks = append(looks, name+" colour")
	}
	return append(looks,
		shape(b.Dx(), b.Dy()),
		fmt.Sprintf("%d × %d pixels", b.Dx(), b.Dy()),
		s.light(),
		s.contrast(),
		s.colourfulness(),
		s.detail(),
	)
}

// gridSide is the number of points a side at which colours are sampled.
const gridSide = 64

// colourGrid holds the colour names and brightnesses of a picture's points.
type colourGrid struct {
	names [gridSide][gridSide]string
	luma  []int // sorted, 0–255
}

func sampleGrid(img image.Image) *colourGrid {
	g := &colourGrid{}
	bounds := img.Bounds()
	for y := range gridSide {
		for x := range gridSide {
			r, gr, b, _ := img.At(
				bounds.Min.X+(2*x+1)*bounds.Dx()/(2*gridSide),
				bounds.Min.Y+(2*y+1)*bounds.Dy()/(2*gridSide)).RGBA()
			red, green, blue := int(r>>8), int(gr>>8), int(b>>8)
			g.names[y][x] = colourName(red, green, blue)
			g.luma = append(g.luma, (299*red+587*green+114*blue)/1000)
		}
	}
	slices.Sort(g.luma)
	return g
}

// background returns the most common colour along the edges.
func (g *colourGrid) background() string {
	count := map[string]int{}
	for i := range gridSide {
		for _, name := range []string{g.names[0][i], g.names[gridSide-1][i], g.names[i][0], g.names[i][gridSide-1]} {
			count[name]++
		}
	}
	return commonest(count)[0]
}

// dominant lists up to three colours that each cover a twelfth or more.
func (g *colourGrid) dominant() []string {
	count := map[string]int{}
	for _, row := range g.names {
		for _, name := range row {
			count[name]++
		}
	}
	names := commonest(count)
	n := 0
	for n < min(3, len(names)) && (n == 0 || count[names[n]] >= gridSide*gridSide/12) {
		n++
	}
	return names[:n]
}

// commonest orders by count, then by name.
func commonest(count map[string]int) []string {
	names := make([]string, 0, len(count))
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return names
}

func (g *colourGrid) light() string {
	switch median := g.luma[len(g.luma)/2]; {
	case median < 64:
		return "dark picture"
	case median > 190:
		return "bright picture"
	}
	return "medium light"
}

func (g *colourGrid) contrast() string {
	if g.luma[len(g.luma)*19/20]-g.luma[len(g.luma)/20] < 60 {
		return "low contrast"
	}
	return "strong contrast"
}

func (g *colourGrid) colourfulness() string {
	for _, name := range g.dominant() {
		if name != "black" && name != "white" && name != "grey" {
			return "in colour"
		}
	}
	return "without colour"
}

// detail distinguishes even pictures from busy ones by how often the colour changes from
// one point to the next.
func (g *colourGrid) detail() string {
	changes := 0
	for _, row := range g.names {
		for x := 1; x < gridSide; x++ {
			if row[x] != row[x-1] {
				changes++
			}
		}
	}
	if changes < gridSide*gridSide/10 {
		return "few details"
	}
	return "many details"
}

func shape(w, h int) string {
	switch {
	case w*10 > h*11:
		return "landscape format"
	case h*10 > w*11:
		return "portrait format"
	}
	return "square format"
}

// colourName names a colour of 0–255 channels.
func colourName(r, g, b int) string {
	high, low := max(r, g, b), min(r, g, b)
	chroma := high - low
	switch {
	case high < 48:
		return "black"
	case chroma < 28 && low > 200:
		return "white"
	case chroma < 28:
		return "grey"
	}
	return hueName(hue(r, g, b, high, chroma), high, chroma)
}

// hue returns an angle in degrees, 0–359, red at 0 and green at 120.
func hue(r, g, b, high, chroma int) int {
	switch high {
	case r:
		return (60*(g-b)/chroma + 360) % 360
	case g:
		return 60*(b-r)/chroma + 120
	}
	return 60*(r-g)/chroma + 240
}

func hueName(hue, high, chroma int) string {
	switch {
	case hue < 50 && high > 180 && chroma < 80 && hue >= 20:
		return "beige"
	case hue >= 15 && hue < 45 && high < 170:
		return "brown"
	case (hue < 15 || hue >= 335) && high > 200 && chroma < 120:
		return "pink"
	}
	for _, band := range []struct {
		below int
		name  string
	}{{15, "red"}, {42, "orange"}, {68, "yellow"}, {165, "green"}, {195, "turquoise"}, {255, "blue"}, {295, "purple"}, {335, "pink"}} {
		if hue < band.below {
			return band.name
		}
	}
	return "red"
}
