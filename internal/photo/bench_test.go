package photo

import (
	"encoding/binary"
	"fmt"
	"image"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/realdata"
	"example.com/whatis/internal/photo/turn"
)

// BenchmarkPrepare measures JPEG files that are sent unchanged, and JPEG files that are
// decoded, scaled, rotated and encoded. cpu-ms/op is processor time, which does not depend
// on other processes.
//
//	go test -run x -bench . ./internal/photo
func BenchmarkPrepare(b *testing.B) {
	for _, photo := range []struct {
		name          string
		width, height int
	}{{"2MP", 1632, 1224}, {"12MP", 4032, 3024}} {
		data := asJPEG(b, textured(photo.width, photo.height))
		for _, way := range []struct {
			name string
			data []byte
		}{
			{"upright", data},
			{"upright, metadata cut out", jpegWithExif(data, exif(binary.LittleEndian, 1))},
			{"turned", jpegWithExif(data, exif(binary.LittleEndian, 6))},
		} {
			b.Run(fmt.Sprintf("%s/%s", photo.name, way.name), func(b *testing.B) {
				measure(b, way.data, func() error {
					_, err := Prepare(way.data, Limits{})
					return err
				})
			})
		}
	}
}

// BenchmarkInspect measures the checks of a photo that is sent unchanged, without its hash:
// of a phone's upright 12 megapixels, and of PNG.
func BenchmarkInspect(b *testing.B) {
	for name, data := range map[string][]byte{
		"12MP JPEG": asJPEG(b, textured(4032, 3024)),
		"2MP PNG":   asPNG(b, textured(1632, 1224)),
	} {
		b.Run(name, func(b *testing.B) {
			measure(b, data, func() error {
				_, err := Upload{Data: data}.Inspect(Limits{})
				return err
			})
		})
	}
}

// BenchmarkTurn measures the turning of 12 megapixels without decoding them; BenchmarkPixels
// says what decoding takes.
func BenchmarkTurn(b *testing.B) {
	data := asJPEG(b, textured(4032, 3024))
	measure(b, data, func() error {
		_, err := turn.JPEG(data, 6)
		return err
	})
}

// BenchmarkPixels measures the decoding of 12 megapixels, for codes and masking.
func BenchmarkPixels(b *testing.B) {
	data := asJPEG(b, textured(4032, 3024))
	measure(b, data, func() error {
		_, err := (&Photo{Sent: data}).Pixels(Limits{})
		return err
	})
}

// BenchmarkHash measures a repeated upload of the same 12 megapixels, which is only hashed.
func BenchmarkHash(b *testing.B) {
	data := asJPEG(b, textured(4032, 3024))
	measure(b, data, func() error {
		NewUpload(data)
		return nil
	})
}

// measure runs f and reports its processor time.
func measure(b *testing.B, data []byte, f func() error) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	begin := processorTime()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime()-begin)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// processorTime returns the processor time of this process, including garbage collection.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// textured returns a gradient with enough noise to give a JPEG the size of a camera's,
// about 3 bits per pixel.
func textured(width, height int) image.Image {
	m, n := gradient(width, height), noise(width, height)
	for i := range m.Pix {
		m.Pix[i] = byte((7*int(m.Pix[i]) + int(n.Pix[i])) / 8)
	}
	return m
}

// BenchmarkReal measures a shop's photo of 290 kB.
func BenchmarkReal(b *testing.B) {
	data := realdata.Read(b, "photos/0074306802576_1.jpg")
	measure(b, data, func() error {
		_, err := Prepare(data, Limits{})
		return err
	})
}
