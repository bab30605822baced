package barcode

import "testing"

func FuzzQRText(f *testing.F) {
	f.Add([]byte{0x10, 0x20, 0x0c, 0x56, 0x61, 0x80}, 1)
	f.Add([]byte{0x51, 0x10, 0xff, 0xff, 0xff}, 27)
	f.Add([]byte{0x40, 0xff, 0xff}, 9)
	f.Fuzz(func(t *testing.T, data []byte, version int) {
		m, ok := qrText(data, version)
		if len(m.text) > 2*len(data)*4 || !ok && m.text != "" {
			t.Errorf("qrText(%x, %d) = %q, %v", data, version, m.text, ok)
		}
	})
}

func FuzzDMText(f *testing.F) {
	for _, seed := range [][]byte{{230, 1, 2}, {231, 0, 9}, {231, 250}, {238, 0, 0}, {239, 255, 255, 254}, {240, 255}, {240, 0x7c, 1, 2, 3}, {241, 200}, {232, 130, 129, 7}, {235}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, ok := dmText(data)
		if len(m.text) > 2*len(data)*3 || !ok && m.text != "" {
			t.Errorf("dmText(%x) = %q, %v", data, m.text, ok)
		}
	})
}

// FuzzModules reads symbols of modules at random, as well as of their data.
func FuzzModules(f *testing.F) {
	f.Add([]byte("some modules"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		fill := func(columns, rows int) modules {
			m := modules{columns, rows, make([]bool, columns*rows)}
			for i := range m.dark {
				m.dark[i] = len(data) > 0 && data[i/8%len(data)]>>(i%8)&1 == 1
			}
			return m
		}
		size := 17 + 4*(1+int(n)%40)
		qrRead(fill(size, size))
		dm := dmSizes[int(n)%len(dmSizes)]
		dmRead(fill(dm.columns, dm.rows), dm)
	})
}

// FuzzRead reads pictures at random.
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
		for _, c := range Read(t.Context(), img) {
			if c.GS1 != nil {
				t.Errorf("Read of a picture at random = %v", c)
			}
		}
	})
}
