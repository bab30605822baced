package webdoc

// A Piece is a part of a long text; Number counts from 1 in the order of the text.
type Piece struct {
	Number int
	Text   string
}

// Cut splits a text into pieces of `size` runes, each of which begins with the last
// `overlap` runes of the piece before. An empty text gives one empty piece.
func Cut(text string, size, overlap int) (all []Piece) {
	runes := []rune(text)
	for from := 0; from == 0 || from+overlap < len(runes); from += size - overlap {
		all = append(all, Piece{len(all) + 1, string(runes[from:min(from+size, len(runes))])})
	}
	return all
}
