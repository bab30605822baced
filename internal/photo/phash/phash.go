// Package phash computes hashes that are similar for versions of the same picture.
//
//	picture → grey, 32 × 32 block means → DCT → 8 × 8 lowest frequencies → 64 bits
//
// The hashes of one picture in two sizes, brightnesses or qualities differ by at most 10
// bits, those of different photos by 12 or more. Crops, rotations and mirror images have
// unrelated hashes.
package phash

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// A Hash contains the signs of the lowest frequencies of a picture's brightness.
type Hash uint64

// String returns h as 16 hexadecimal digits.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// Distance returns the number of bits in which h and other differ, 0 to 64.
func (h Hash) Distance(other Hash) int { return bits.OnesCount64(uint64(h ^ other)) }

// Parse parses the output of String.
func Parse(s string) (Hash, error) {
	v, err := strconv.ParseUint(s, 16, 64)
	if err != nil || len(s) != 16 {
		return 0, fmt.Errorf("phash: parse %.20q: give 16 hexadecimal digits", s)
	}
	return Hash(v), nil
}

// side is the number of blocks in each direction, low the number of frequencies that are
// kept in each direction.
const (
	side = 32
	low  = 8
)

// Of returns the hash of img; that of an empty or uniform picture is 0. A bit is set if its
// frequency is above the median of all. The mean brightness says nothing about shapes, so
// its bit is always 0.
func Of(img image.Image) Hash {
	if img.Bounds().Empty() {
		return 0
	}
	freq := frequencies(blocks(img))
	order := slices.Clone(freq[1:])
	slices.Sort(order)
	if order[len(order)-1]-order[0] < faint {
		return 0
	}
	median, h := order[len(order)/2], Hash(0)
	for i, v := range freq[1:] {
		if v > median {
			h |= 1 << (62 - i)
		}
	}
	return h
}

// faint is the spread of frequencies below which a picture counts as uniform, about a tenth
// of a grey value.
const faint = 1.0

// frequencies returns the lowest frequencies of the discrete cosine transform of the
// blocks, the mean first.
func frequencies(means [side * side]float64) []float64 {
	var across [side * low]float64
	for y := range side {
		for u := range low {
			for x := range side {
				across[y*low+u] += means[y*side+x] * cosines[u][x]
			}
		}
	}
	out := make([]float64, low*low)
	for v := range low {
		for u := range low {
			for y := range side {
				out[v*low+u] += across[y*low+u] * cosines[v][y]
			}
		}
	}
	return out
}

var cosines = func() (c [low][side]float64) {
	for u := range c {
		for x := range c[u] {
			c[u][x] = math.Cos(math.Pi * float64(u) * (2*float64(x) + 1) / (2 * side))
		}
	}
	return c
}()
