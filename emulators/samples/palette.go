package samples

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// levels is how many steps of a channel the palette tells apart.
const levels = 32

// A tint is a colour in levels, and how many pixels have it.
type tint struct {
	rgb   [3]int
	count int
}

// paletted reduces m to 256 colours: the median cut of its own colours, after
// an ordered dither that hides the steps in its gradients.
func paletted(m *image.RGBA) *image.Paletted {
	p := image.NewPaletted(m.Rect, nil)
	at := make([]uint16, len(p.Pix))
	var count [levels * levels * levels]int
	for i := range at {
		x, y := i%p.Stride, i/p.Stride
		d := bayer[y&3][x&3] * 255 / 16
		px := m.Pix[4*i:]
		at[i] = uint16((dither(px[0], d)*levels+dither(px[1], d))*levels + dither(px[2], d))
		count[at[i]]++
	}
	groups := medianCut(tints(count[:]), 256)
	var index [levels * levels * levels]uint8
	for i, g := range groups {
		p.Palette = append(p.Palette, average(g))
		for _, t := range g {
			index[(t.rgb[0]*levels+t.rgb[1])*levels+t.rgb[2]] = uint8(i)
		}
	}
	for i, t := range at {
		p.Pix[i] = index[t]
	}
	return p
}

var bayer = [4][4]int{{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}

// dither takes a channel to a level; the threshold is in 0–254.
func dither(v uint8, threshold int) int { return (int(v)*(levels-1) + threshold) / 255 }

func tints(count []int) []tint {
	var list []tint
	for i, n := range count {
		if n > 0 {
			list = append(list, tint{[3]int{i / levels / levels, i / levels % levels, i % levels}, n})
		}
	}
	return list
}

// medianCut splits the list into at most n groups, always the group with the
// most pixels times its longest side, at its median.
func medianCut(list []tint, n int) [][]tint {
	groups := [][]tint{list}
	for len(groups) < n {
		best, score, channel := -1, 0, 0
		for i, g := range groups {
			if ch, s := extent(g); s > score {
				best, score, channel = i, s, ch
			}
		}
		if best < 0 {
			break
		}
		g := groups[best]
		slices.SortFunc(g, func(a, b tint) int { return cmp.Compare(a.rgb[channel], b.rgb[channel]) })
		k := median(g)
		groups[best] = g[:k]
		groups = append(groups, g[k:])
	}
	return groups
}

// extent returns the channel in which g is widest, and how much a split of g
// is worth; it is 0 for a single tint.
func extent(g []tint) (channel, score int) {
	low, high, pixels := [3]int{levels, levels, levels}, [3]int{}, 0
	for _, t := range g {
		pixels += t.count
		for ch, v := range t.rgb {
			low[ch], high[ch] = min(low[ch], v), max(high[ch], v)
		}
	}
	side := 0
	for ch := range 3 {
		if s := high[ch] - low[ch]; s > side {
			channel, side = ch, s
		}
	}
	return channel, side * pixels
}

// median returns where the sorted g splits into halves of pixels, neither of
// them empty.
func median(g []tint) int {
	half, sum := 0, 0
	for _, t := range g {
		half += t.count
	}
	for i, t := range g {
		if sum += t.count; 2*sum >= half {
			return min(max(i, 1), len(g)-1)
		}
	}
	return len(g) - 1
}

// average is the mean colour of the pixels of g.
func average(g []tint) color.RGBA {
	var sum [3]int
	n := 0
	for _, t := range g {
		n += t.count
		for ch, v := range t.rgb {
			sum[ch] += v * t.count
		}
	}
	level := func(ch int) uint8 { return uint8((sum[ch]*255/(levels-1) + n/2) / n) }
	return color.RGBA{level(0), level(1), level(2), 255}
}
