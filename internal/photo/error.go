package photo

import (
	"errors"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// The codes of an Error. They are stable.
const (
	Empty             = "empty"              // no bytes
	NotAnImage        = "not_an_image"       // text, a document, a video, anything else
	UnsupportedFormat = "unsupported_format" // an image, but in an unsupported format
	Truncated         = "truncated"          // the file ends before the picture
	Corrupt           = "corrupt"            // complete, but inconsistent
	LyingHeader       = "lying_header"       // the declared size does not match the data
	TooManyBytes      = "too_many_bytes"     // over MaxBytes, or cannot be reduced to MaxSent
	TooManyPixels     = "too_many_pixels"    // over MaxPixels
)

// An Error says why a photo is refused. Sending the same bytes again fails again.
type Error struct {
	Code   string // one of the codes above
	Detail string // what is wrong with the file
}

// Error returns what is wrong and what to do about it.
func (e *Error) Error() string { return "photo: " + e.Public() }

// Public returns the text for the sender (package usererror).
func (e *Error) Public() string { return e.Detail + ": " + advice[e.Code] }

var advice = map[string]string{
	Empty:             "send the bytes of a photo",
	NotAnImage:        "send a photo as JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF",
	UnsupportedFormat: "convert it to JPEG, PNG or WebP",
	Truncated:         "upload the whole file again",
	Corrupt:           "open it, save it anew as JPEG or PNG and send that",
	LyingHeader:       "open it, save it anew as JPEG or PNG and send that",
	TooManyBytes:      "send a smaller file, as JPEG",
	TooManyPixels:     "scale it down and send that",
}

// decodeFault converts the error of a decoder to an *Error.
func decodeFault(mime string, err error) error {
	var own *Error
	var unsupportedJPEG jpeg.UnsupportedError
	var unsupportedPNG png.UnsupportedError
	var unsupportedTIFF tiff.UnsupportedError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault(Truncated, "the %s file ends inside the picture", mime)
	case errors.As(err, &unsupportedJPEG), errors.As(err, &unsupportedPNG),
		errors.As(err, &unsupportedTIFF), errors.Is(err, bmp.ErrUnsupported):
		return fault(UnsupportedFormat, "this variant of %s is not read here (%v)", mime, err)
	}
	return fault(Corrupt, "the %s file cannot be decoded (%v)", mime, err)
}
