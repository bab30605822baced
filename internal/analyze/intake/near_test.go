package intake

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"testing"
	"testing/synctest"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
)

func pixels(t *testing.T, slope int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range m.Pix {
		m.Pix[i] = uint8(slope * i)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A photo is decoded for its perceptual hash only with Near set, and is analysed even
// if it cannot be decoded or has no hash.
func TestLooks(t *testing.T) {
	t.Parallel()
	asks := Delivery{Near: func(context.Context, phash.Hash) ([]catalog.Match, error) { return nil, nil }}
	tests := []struct {
		what string
		d    Delivery
		sent []byte
		want bool
	}{
		{"a photo", asks, pixels(t, 3), true},
		{"nobody asks", Delivery{}, pixels(t, 3), false},
		{"one colour", asks, pixels(t, 0), false},
		{"HEIC", asks, []byte("\x00\x00\x00\x18ftypheic"), false},
		{"no picture", asks, []byte("no picture"), false},
	}
	for _, test := range tests {
		p := &photo.Photo{Sent: test.sent}
		got, err := (&Intake{}).looks(t.Context(), p, test.d)
		if err != nil || (got != 0) != test.want {
			t.Errorf("the looks of %s are %s, %v, want some %v", test.what, got, err, test.want)
		}
		if test.want && (p.Decodes() != 1 || p.HeldBytes() == 0) {
			t.Errorf("%s was decoded %d times for its looks and %d bytes of it are held, want 1 and its brightness", test.what, p.Decodes(), p.HeldBytes())
		}
	}
}

// If the search for near duplicates fails or is slow, a photo only lacks candidates.
func TestNear(t *testing.T) {
	t.Parallel()
	twin := []catalog.Match{{Score: 0.9}}
	tests := []struct {
		what string
		near Near
		want int
	}{
		{"a candidate", func(context.Context, phash.Hash) ([]catalog.Match, error) { return twin, nil }, 1},
		{"an error", func(context.Context, phash.Hash) ([]catalog.Match, error) {
			return twin, errors.New("there is no index")
		}, 0},
		{"silence", func(ctx context.Context, _ phash.Hash) ([]catalog.Match, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 0},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if got := nearDuplicates(t.Context(), Delivery{Near: test.near}, 1); len(got) != test.want || time.Since(start) > nearPatience {
				t.Errorf("near after %s = %v in %s, want %d in %s at most", test.what, got, time.Since(start), test.want, nearPatience)
			}
		})
	}
}
