package barcode

import "math"

// A block is a square of pixels with the sums of its gradients, as in a structure tensor:
// angles are doubled, so that both edges of a bar add up.
type block struct {
	energy float32 // mean of the squared gradient's length
	cos    float32 // mean of its square times the cosine of twice its angle
	sin    float32 // and times the sine
}

// coherence is 1 if all gradients have the same direction, as those of bars have, and about
// 0 if they have all directions.
func (b block) coherence() float32 {
	if b.energy == 0 {
		return 0
	}
	return b.length() / b.energy
}

func (b block) length() float32 { return float32(math.Sqrt(float64(b.cos*b.cos + b.sin*b.sin))) }

// direction returns the direction across the bars as a unit vector of the doubled angle.
func (b block) direction() (cos, sin float32) {
	length := b.length()
	if length == 0 {
		return 0, 0
	}
	return b.cos / length, b.sin / length
}

// A grid is the blocks of a plane, row by row.
type grid struct {
	size          int // pixels of a block's side
	columns, rows int
	raw           []block // each by itself
	smooth        []block // each with its eight neighbours
}

// Sides of a block in pixels. The bars of small pictures have fewer pixels.
const (
	blockSize      = 16
	smallBlockSize = 8
	smallPicture   = 600_000 // pixels below which blocks are small
)

// gridOf returns the blocks of p. Pixels at the right and the bottom that fill no block are
// ignored.
func gridOf(p plane) *grid {
	size := blockSize
	if p.width*p.height < smallPicture {
		size = smallBlockSize
	}
	g := &grid{size: size, columns: (p.width - 1) / size, rows: (p.height - 1) / size}
	n := max(0, g.columns*g.rows)
	g.raw, g.smooth = make([]block, n), make([]block, n)
	for i := range g.raw {
		g.raw[i] = p.gradients(i%g.columns*size, i/g.columns*size, size)
	}
	for i := range g.smooth {
		g.smooth[i] = g.around(i%g.columns, i/g.columns)
	}
	return g
}

// gradients sums Roberts' cross over a quarter of the positions in a block: in odd and even
// rows and columns alike, because all edges of drawn bars may be at even ones.
func (p plane) gradients(x0, y0, size int) block {
	var ee, ff, ef int32
	for k := range size / 2 {
		y, odd := y0+2*k+k&1, (k>>1^k)&1
		for x := x0 + odd; x < x0+odd+size; x += 8 {
			above, below := (*[8]uint8)(p.pix[y*p.width+x:]), (*[8]uint8)(p.pix[(y+1)*p.width+x:])
			for i := 0; i < 8; i += 2 {
				e := int32(below[i+1]) - int32(above[i])
				f := int32(above[i+1]) - int32(below[i])
				ee, ff, ef = ee+e*e, ff+f*f, ef+e*f
			}
		}
	}
	n := float32(size * size / 4)
	return block{float32(ee+ff) / n, 2 * float32(ef) / n, float32(ee-ff) / n}
}

// around returns the mean of a block and its neighbours.
func (g *grid) around(x, y int) block {
	var sum block
	n := float32(0)
	for by := max(0, y-1); by <= min(g.rows-1, y+1); by++ {
		for _, b := range g.raw[by*g.columns+max(0, x-1) : by*g.columns+min(g.columns, x+2)] {
			sum.energy, sum.cos, sum.sin = sum.energy+b.energy, sum.cos+b.cos, sum.sin+b.sin
			n++
		}
	}
	return block{sum.energy / n, sum.cos / n, sum.sin / n}
}
