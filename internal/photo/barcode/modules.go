package barcode

import "math"

// modules are the dark ones of a symbol, row by row.
type modules struct {
	columns, rows int
	dark          []bool
}

func (m modules) at(x, y int) bool { return m.dark[y*m.columns+x] }

// sample returns the grey of each module of p seen by v: the mean of five
// places in its middle.
func (p plane) sample(v view, columns, rows int) []float64 {
	const off = 0.2
	values := make([]float64, 0, columns*rows)
	for y := range rows {
		for x := range columns {
			mx, my := float64(x)+0.5, float64(y)+0.5
			sum := 2 * p.value(v.at(mx, my))
			sum += p.value(v.at(mx-off, my-off)) + p.value(v.at(mx+off, my-off))
			sum += p.value(v.at(mx-off, my+off)) + p.value(v.at(mx+off, my+off))
			values = append(values, sum/6)
		}
	}
	return values
}

// sharpened takes from each value what a blur gave it of its four neighbours.
func sharpened(values []float64, columns int) []float64 {
	out := make([]float64, len(values))
	at := func(i, other int) float64 {
		if other < 0 || other >= len(values) {
			return values[i]
		}
		return values[other]
	}
	for i, v := range values {
		left, right := i-1, i+1
		if i%columns == 0 {
			left = i
		}
		if right%columns == 0 {
			right = i
		}
		around := at(i, left) + at(i, right) + at(i, i-columns) + at(i, i+columns)
		out[i] = v + 1.2*(v-around/4)
	}
	return out
}

// Thresholds are found for squares of 3 by 3 modules, from those up to 3 away.
const (
	square = 3
	nearby = 3
)

// told tells dark modules from bright ones: a module is dark when it is nearer
// to the mean of the dark ones around it than to that of the bright ones.
func told(values []float64, columns int) modules {
	m := modules{columns, len(values) / columns, make([]bool, len(values))}
	for y0 := 0; y0 < m.rows; y0 += square {
		for x0 := 0; x0 < columns; x0 += square {
			limit := m.threshold(values, x0, y0)
			for y := y0; y < min(y0+square, m.rows); y++ {
				for x := x0; x < min(x0+square, columns); x++ {
					m.dark[y*columns+x] = values[y*columns+x] < limit
				}
			}
		}
	}
	return m
}

// threshold is that of the square whose first module is given.
func (m modules) threshold(values []float64, x, y int) float64 {
	x0, x1 := max(0, x-nearby), min(m.columns, x+square+nearby)
	y0, y1 := max(0, y-nearby), min(m.rows, y+square+nearby)
	sum := 0.0
	for y := y0; y < y1; y++ {
		for _, v := range values[y*m.columns+x0 : y*m.columns+x1] {
			sum += v
		}
	}
	mean, t := sum/float64((y1-y0)*(x1-x0)), contrasts{}
	for y := y0; y < y1; y++ {
		for _, v := range values[y*m.columns+x0 : y*m.columns+x1] {
			t.add(v, v < mean)
		}
	}
	return t.middle()
}

// contrasts sums what is dark and what is bright.
type contrasts struct{ dark, darks, bright, brights, squares float64 }

func (t *contrasts) add(v float64, dark bool) {
	t.squares += v * v
	if dark {
		t.dark, t.darks = t.dark+v, t.darks+1
	} else {
		t.bright, t.brights = t.bright+v, t.brights+1
	}
}

// contrast is by how much what is bright is brighter, on average.
func (t *contrasts) contrast() float64 {
	return t.bright/max(1, t.brights) - t.dark/max(1, t.darks)
}

// likeness is the correlation with what should be dark and what bright: 1 when
// each is of one grey, about 0 when it is anything else.
func (t *contrasts) likeness() float64 {
	n := max(1, t.brights+t.darks)
	mean := (t.bright + t.dark) / n
	spread := math.Sqrt(max(1, t.squares/n-mean*mean))
	return t.contrast() * math.Sqrt(t.brights*t.darks) / n / spread
}

// middle lies between the means.
func (t *contrasts) middle() float64 {
	return (t.bright/max(1, t.brights) + t.dark/max(1, t.darks)) / 2
}
