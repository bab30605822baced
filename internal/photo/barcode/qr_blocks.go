package barcode

// qrChecks are the code words of error correction of each block, by level and
// version, and qrBlocks how many blocks there are (ISO/IEC 18004, table 9).
var qrChecks = [4][41]uint8{
	{0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
	{0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28},
	{0, 13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
	{0, 17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
}

var qrBlocks = [4][41]uint8{
	{0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25},
	{0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49},
	{0, 1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68},
	{0, 1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81},
}

// qrKept are the code words of check that the smallest symbols keep to see
// misreadings with, by version and level (table 9, note b).
var qrKept = map[[2]int]int{{1, 0}: 3, {1, 1}: 2, {1, 2}: 1, {1, 3}: 1, {2, 0}: 2, {3, 0}: 1}

// qrData puts the blocks together that are interleaved in words, corrects them
// and returns their data; ok is false when a block has too many errors.
func qrData(words []uint8, version, level int) (data []uint8, ok bool) {
	check, many := int(qrChecks[level][version]), int(qrBlocks[level][version])
	short := len(words)/many - check // data of the short blocks; the last ones have one more
	blocks := make([][]uint8, many)
	longs := len(words) % many
	for i, w := range words {
		b := i % many
		if i >= short*many { // each long block's last, then the checks
			if i -= short * many; i < longs {
				b = many - longs + i
			} else {
				b = (i - longs) % many
			}
		}
		blocks[b] = append(blocks[b], w)
	}
	for _, block := range blocks {
		if !qrField.correct(block, check, (check-qrKept[[2]int{version, level}])/2) {
			return nil, false
		}
		data = append(data, block[:len(block)-check]...)
	}
	return data, true
}
