package answers

import (
	"image"
	"slices"
	"testing"
)

func TestTesseractLines(t *testing.T) {
	const tsv = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
		"4\t1\t1\t1\t1\t0\t10\t10\t200\t40\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t10\t10\t90\t40\t96.1\tOat\n" +
		"5\t1\t1\t1\t1\t2\t110\t10\t90\t44\t91.0\tLatte\n" +
		"5\t1\t1\t1\t2\t1\t10\t60\t90\t20\t70.5\t240\n" +
		"5\t1\t1\t1\t2\t2\t110\t60\t90\t20\t95\tml\n" +
		"5\t1\t1\t1\t3\t1\t10\t90\t90\t20\t41\tgarbled\n" +
		"5\t1\t1\t1\t3\t2\t10\t90\t90\t20\t95\t|~\n" +
		"5\t1\t1\t1\t4\t1\t10\t120\t90\t20\t40\tN0\n" +
		"5\t1\t1\t1\t4\t2\t10\t120\t90\t20\t95\tsugar\n" +
		"5\t1\t2\t1\t1\t1\t10\t150\t90\t20\t99\tㆍ\n"
	want := []seenLine{
		{text: "Oat Latte", clear: true, height: 44, box: [4]int{10, 10, 55, 201}},
		{text: "240 ml", clear: false, height: 20, box: [4]int{60, 10, 81, 201}},
		{text: "sugar", clear: false, height: 20, box: [4]int{120, 10, 141, 101}},
	}
	if got := linesOf(tsv, image.Pt(1000, 1000)); !slices.Equal(got, want) {
		t.Errorf("linesOf = %+v, want %+v", got, want)
	}
}
