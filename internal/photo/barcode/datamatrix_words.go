package barcode

// A dmSize is a Data Matrix symbol's size in modules, how many regions it has
// across and along, and its code words.
type dmSize struct {
	rows, columns int
	down, across  int // regions
	data, check   int // code words, all blocks together
	blocks        int
}

// dmSizes are ECC 200's (ISO/IEC 16022, table 7) but for 144 by 144, whose
// blocks printers interleave in two ways, and which no item has room for.
var dmSizes = []dmSize{
	{10, 10, 1, 1, 3, 5, 1}, {12, 12, 1, 1, 5, 7, 1}, {14, 14, 1, 1, 8, 10, 1}, {16, 16, 1, 1, 12, 12, 1},
	{18, 18, 1, 1, 18, 14, 1}, {20, 20, 1, 1, 22, 18, 1}, {22, 22, 1, 1, 30, 20, 1}, {24, 24, 1, 1, 36, 24, 1},
	{26, 26, 1, 1, 44, 28, 1}, {32, 32, 2, 2, 62, 36, 1}, {36, 36, 2, 2, 86, 42, 1}, {40, 40, 2, 2, 114, 48, 1},
	{44, 44, 2, 2, 144, 56, 1}, {48, 48, 2, 2, 174, 68, 1}, {52, 52, 2, 2, 204, 84, 2}, {64, 64, 4, 4, 280, 112, 2},
	{72, 72, 4, 4, 368, 144, 4}, {80, 80, 4, 4, 456, 192, 4}, {88, 88, 4, 4, 576, 224, 4}, {96, 96, 4, 4, 696, 272, 4},
	{104, 104, 4, 4, 816, 336, 6}, {120, 120, 6, 6, 1050, 408, 6}, {132, 132, 6, 6, 1304, 496, 8},
	{8, 18, 1, 1, 5, 7, 1}, {8, 32, 1, 2, 10, 11, 1}, {12, 26, 1, 1, 16, 14, 1},
	{12, 36, 1, 2, 22, 18, 1}, {16, 36, 1, 2, 32, 24, 1}, {16, 48, 1, 2, 49, 28, 1},
}

// dmRead returns what the modules of a Data Matrix symbol, upright and with no
// border, say.
func dmRead(m modules, size dmSize) (message, bool) {
	words := newPlacement(m, size).words(size.data + size.check)
	blocks := make([][]uint8, size.blocks)
	for i, w := range words {
		blocks[i%size.blocks] = append(blocks[i%size.blocks], w)
	}
	check := size.check / size.blocks
	for _, block := range blocks {
		if !dataMatrixField.correct(block, check, check/2) {
			return message{}, false
		}
	}
	for i := range size.data {
		words[i] = blocks[i%size.blocks][i/size.blocks]
	}
	return dmText(words[:size.data])
}

// A placement is the symbol without its finder patterns, and which of its
// modules were read (annex F).
type placement struct {
	rows, columns int
	dark, seen    []bool
}

func newPlacement(m modules, size dmSize) *placement {
	h, w := size.rows/size.down, size.columns/size.across // of a region with its pattern
	p := &placement{rows: size.rows - 2*size.down, columns: size.columns - 2*size.across}
	for y := range p.rows {
		for x := range p.columns {
			p.dark = append(p.dark, m.at(x+1+x/(w-2)*2, y+1+y/(h-2)*2))
		}
	}
	p.seen = make([]bool, len(p.dark))
	return p
}

// The shapes of a code word from its highest bit on, as row and column: the
// usual one from its last module, and the four that lie across corners, where
// below 0 is from the end.
var (
	usual   = [8][2]int{{-2, -2}, {-2, -1}, {-1, -2}, {-1, -1}, {-1, 0}, {0, -2}, {0, -1}, {0, 0}}
	corner1 = [8][2]int{{-1, 0}, {-1, 1}, {-1, 2}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}}
	corner2 = [8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -4}, {0, -3}, {0, -2}, {0, -1}, {1, -1}}
	corner3 = [8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}}
	corner4 = [8][2]int{{-1, 0}, {-1, -1}, {0, -3}, {0, -2}, {0, -1}, {1, -3}, {1, -2}, {1, -1}}
)

// words reads so many code words on slanting ways up and down in turns.
func (p *placement) words(many int) []uint8 {
	words := make([]uint8, 0, many)
	for row, column := 4, 0; row < p.rows || column < p.columns; row, column = row+3, column+1 {
		if shape := p.corner(row, column); shape != nil {
			words = append(words, p.across(shape))
		}
		for ; row >= 0 && column < p.columns; row, column = row-2, column+2 {
			words = p.word(row, column, words)
		}
		row, column = row+1, column+3
		for ; row < p.rows && column >= 0; row, column = row+2, column-2 {
			words = p.word(row, column, words)
		}
	}
	return words
}

func (p *placement) corner(row, column int) *[8][2]int {
	switch {
	case row == p.rows && column == 0:
		return &corner1
	case row == p.rows-2 && column == 0 && p.columns%8 == 4:
		return &corner3
	case row == p.rows-2 && column == 0 && p.columns%4 != 0:
		return &corner2
	case row == p.rows+4 && column == 2 && p.columns%8 == 0:
		return &corner4
	}
	return nil
}

func (p *placement) across(shape *[8][2]int) (word uint8) {
	for _, s := range shape {
		row, column := s[0], s[1]
		if row < 0 {
			row += p.rows
		}
		if column < 0 {
			column += p.columns
		}
		word = word<<1 | p.module(row, column)
	}
	return word
}

// word appends the code word whose last module is given, unless that is beyond
// the symbol or read. What lies beyond an edge is found at the other.
func (p *placement) word(row, column int, words []uint8) []uint8 {
	if row < 0 || row >= p.rows || column < 0 || column >= p.columns || p.seen[row*p.columns+column] {
		return words
	}
	word := uint8(0)
	for _, s := range usual {
		r, c := row+s[0], column+s[1]
		if r < 0 {
			r, c = r+p.rows, c+4-(p.rows+4)%8
		}
		if c < 0 {
			r, c = r+4-(p.columns+4)%8, c+p.columns
		}
		word = word<<1 | p.module(r, c)
	}
	return append(words, word)
}

func (p *placement) module(row, column int) uint8 {
	i := row*p.columns + column
	p.seen[i] = true
	if p.dark[i] {
		return 1
	}
	return 0
}
