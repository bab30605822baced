package barcode

import "testing"

// FuzzRead reads random pictures, whole and in boxes.
func FuzzRead(f *testing.F) {
	f.Add(uint16(40), uint16(50), []byte{0, 0, 0, 255, 255})
	f.Add(uint16(3), uint16(900), []byte{1, 200})
	f.Add(uint16(300), uint16(300), []byte("\x00\xff\x00\x00\x00\xff\x00"))
	f.Fuzz(func(t *testing.T, w, h uint16, data []byte) {
		img := white(1+int(w)%500, 1+int(h)%500)
		for i := range img.Pix {
			if len(data) > 0 {
				img.Pix[i] = data[(i/3+i/img.Stride/3*7)%len(data)]
			}
		}
		codes := readWhole(t.Context(), img)
		codes = append(codes, readBoxes(t.Context(), img, [][4]int{{int(w) % 1000, int(h) % 1000, len(data) * 10, 900}})...)
		for _, c := range codes {
			if c.GS1 != nil {
				t.Errorf("Read of a picture at random = %v", c)
			}
		}
	})
}
