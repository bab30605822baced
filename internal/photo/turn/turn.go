// Package turn turns JPEGs upright without decoding their pixels, and so without loss.
//
//	codes → frequencies of a block, with other places and signs → codes → blocks in another order
//
// A JPEG stores blocks of 8 × 8 pixels as frequencies. Mirroring a picture reverses the order
// of its blocks and changes the sign of each block's odd frequencies across the mirror;
// exchanging rows and columns does the same with blocks, frequencies and quantization tables.
// The codes of all frequencies but a block's first (DC) are independent of other blocks, so
// each block is written once, in the order that it is read, and copied to its new place. This
// takes memory of three times the file, and no pixels.
package turn

import "errors"

// ErrUnsupported says that a JPEG cannot be turned like this: it is progressive, has several
// scans, four components or damaged data, its edge would lose more than a hundredth of a side,
// or the result has over a quarter more bytes.
var ErrUnsupported = errors.New("turn: the JPEG cannot be turned without decoding it")

// JPEG returns data, a JPEG, turned upright from orientation, 1 to 8 as in Exif. Application
// segments and comments are kept as they are. A side that is mirrored loses the incomplete
// blocks at its end, up to 15 pixels: they cannot come first. The only error is
// ErrUnsupported.
func JPEG(data []byte, orientation int) ([]byte, error) {
	if orientation < 1 || orientation > 8 {
		return nil, ErrUnsupported
	}
	p := &picture{data: data, move: movement(orientation)}
	if !p.headers() || !p.trim() {
		return nil, ErrUnsupported
	}
	b := newBlocks(p)
	if b == nil || !b.read() {
		return nil, ErrUnsupported
	}
	return b.write()
}

// Memory returns the most bytes that turning a JPEG of n bytes and so many pixels takes: its
// codes twice, and 6 bytes for each block, of which a component has one for 64 pixels.
func Memory(n, width, height int) int64 {
	return 2*int64(most(n)) + 3*6*int64(width+32)*int64(height+32)/64
}

// most returns the largest number of bytes of the turned JPEG: codes of tables made for the
// picture become those of annex K.3, a little longer.
func most(n int) int { return n*5/4 + 1000 }

// A move is how a picture is turned: it is mirrored, and then its rows become its columns.
type move struct {
	mirrorX, mirrorY, transpose bool

	to      [64]uint8  // new places of a block's frequencies, both in zigzag order
	negates [64]uint64 // ones where the sign changes, by the place before
}

func movement(orientation int) (m move) {
	switch orientation {
	case 2, 3, 7, 8:
		m.mirrorX = true
	}
	switch orientation {
	case 3, 4, 6, 7:
		m.mirrorY = true
	}
	m.transpose = orientation >= 5
	var at [8][8]uint8 // the zigzag order by vertical and horizontal frequency
	k := uint8(0)
	eachZigzag(func(x, y int) { at[y][x], k = k, k+1 })
	eachZigzag(func(x, y int) {
		from := at[y][x]
		m.to[from] = from
		if m.transpose {
			m.to[from] = at[x][y]
		}
		if (m.mirrorX && x%2 == 1) != (m.mirrorY && y%2 == 1) {
			m.negates[from] = ^uint64(0)
		}
	})
	return m
}

// eachZigzag yields the horizontal and vertical frequencies in the order of T.81, figure 5.
func eachZigzag(yield func(x, y int)) {
	for sum := range 15 {
		for i := range sum + 1 {
			x, y := i, sum-i
			if sum%2 == 1 {
				x, y = y, x
			}
			if x < 8 && y < 8 {
				yield(x, y)
			}
		}
	}
}
