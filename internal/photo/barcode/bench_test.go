package barcode

import (
	"path/filepath"
	"testing"
)

func BenchmarkRead2MP(b *testing.B) {
	for _, s := range realPhotos(b) {
		if s.name != "photos/0100_42xrafPHyY.webp" && s.name != "photos/3256220787321_1.jpg" {
			continue
		}
		img := at2MP(s.img)
		b.Run(filepath.Base(s.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(b.Context(), img)
			}
		})
	}
}

// One box is around a code, one is not.
func BenchmarkReadIn(b *testing.B) {
	for _, s := range realPhotos(b) {
		if s.name != "ean13-1/13.png" && s.name != "photos/3256220787321_1.jpg" {
			continue
		}
		img := at2MP(s.img)
		box := [4]int{400, 400, 520, 600}
		if codes := Read(b.Context(), img); len(codes) > 0 && s.name == "ean13-1/13.png" {
			box = codes[0].Box
		}
		b.Run(filepath.Base(s.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ReadIn(b.Context(), img, [][4]int{box})
			}
		})
	}
}

func BenchmarkReadDrawn(b *testing.B) {
	img := on(at(ean13(b, "8801234567893"), 2, 7), at(qr(b, link, 0, 1, false), 3, 0), white(1200, 900))
	b.ReportAllocs()
	for b.Loop() {
		Read(b.Context(), img)
	}
}
