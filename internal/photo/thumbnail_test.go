package photo

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"testing"
)

func thumbnail(data []byte, width int, l Limits) ([]byte, error) {
	f, err := NewUpload(data).Inspect(l)
	if err != nil {
		return nil, err
	}
	return f.Thumbnail(width)
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	turned := tiffWithOrientation(corners(60, 40), 6)
	tests := []struct {
		name  string
		data  []byte
		width int
		want  image.Point
	}{
		{"landscape", asJPEG(t, corners(60, 40)), 30, image.Pt(30, 20)},
		{"portrait", asPNG(t, corners(40, 60)), 20, image.Pt(20, 30)},
		{"not larger than it is", asWebP(t, corners(60, 40)), 100, image.Pt(60, 40)},
		{"on its side", turned, 20, image.Pt(20, 30)},
		{"a strip", asPNG(t, corners(2, 3000)), 1, image.Pt(1, 1500)},
		{"flat", asPNG(t, corners(3000, 2)), 16, image.Pt(16, 1)},
		{"gif", asGIF(t, corners(60, 40)), 30, image.Pt(30, 20)},
	}
	for _, test := range tests {
		data, err := thumbnail(test.data, test.width, Limits{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		m, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil || m.Bounds().Size() != test.want {
			t.Errorf("%s: %v, %v; want a JPEG of %v", test.name, m.Bounds(), err, test.want)
		}
	}
	upright, err := thumbnail(turned, 40, Limits{})
	must(t, err)
	m, err := jpeg.Decode(bytes.NewReader(upright))
	must(t, err)
	p, err := Prepare(turned, Limits{})
	must(t, err)
	if got, want := cornerColours(m), cornerColours(checkSent(t, p, 40, 60)); got != want {
		t.Errorf("the corners are %s, want %s", got, want)
	}
}

func TestThumbnailRefuses(t *testing.T) {
	t.Parallel()
	whole := asJPEG(t, corners(60, 40))
	tests := []struct {
		name string
		data []byte
		l    Limits
		want string
	}{
		{"nothing", nil, Limits{}, Empty},
		{"text", []byte("this is not a photo"), Limits{}, NotAnImage},
		{"heic", heifRecipe{}.file(), Limits{}, UnsupportedFormat},
		{"cut", whole[:len(whole)/2], Limits{}, Truncated},
		{"many pixels", whole, Limits{MaxPixels: 100}, TooManyPixels},
	}
	for _, test := range tests {
		if _, err := thumbnail(test.data, 20, test.l); codeOf(err) != test.want {
			t.Errorf("%s: Thumbnail = %v, want %s", test.name, err, test.want)
		}
	}
}

// A thumbnail that was made elsewhere is kept without its metadata, and not at all if it is no
// whole JPEG of its size.
func TestCleanThumbnail(t *testing.T) {
	t.Parallel()
	plain := asJPEG(t, corners(60, 40))
	tests := []struct {
		name string
		data []byte
		want string // the code of its error
	}{
		{"plain", plain, ""},
		{"with Exif", jpegWithExif(plain, []byte("52.5 N 13.4 E")), ""},
		{"with something behind it", append(bytes.Clone(plain), "<script>"...), ""},
		{"PNG", asPNG(t, corners(60, 40)), UnsupportedFormat},
		{"nothing", nil, UnsupportedFormat},
		{"cut", plain[:len(plain)/2], Truncated},
		{"too wide", asJPEG(t, corners(maxThumbnailSide+1, 4)), TooManyPixels},
		{"too large", append(bytes.Clone(plain), make([]byte, MaxThumbnail)...), TooManyBytes},
	}
	for _, test := range tests {
		clean, err := CleanThumbnail(test.data)
		var refused *Error
		if errors.As(err, &refused); (refused != nil) != (test.want != "") || refused != nil && refused.Code != test.want {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if test.want == "" && !bytes.Equal(clean, plain) {
			t.Errorf("%s: %d bytes, want the %d of the plain one", test.name, len(clean), len(plain))
		}
	}
}
