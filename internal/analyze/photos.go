package analyze

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
)

// Limits of one question. Vertex AI refuses requests of more than 20 MB, in which
// photos are base64, four bytes for three: 14 MB of photos, two of the largest,
// take 18.7 MB and leave space for the text.
const (
	MaxPhotos = 8
	MaxSent   = 14_000_000 // bytes of photo.Photo.Sent, all photos together
)

// ErrTooMany says that the photos of one product do not fit into one question:
// there are too many, or too many bytes. Do not retry with the same photos.
var ErrTooMany = usererror.New("analyze", "too many photos in one question")

// CheckPhotos returns ErrTooMany for more than MaxPhotos photos, or for several of
// which more than MaxSent bytes would be sent. Copies of a photo count once. Only
// photo.Limits bounds the size of a single photo.
func CheckPhotos(photos []*photo.Photo) error {
	photos = distinctOf(photos)
	if len(photos) > MaxPhotos {
		return fmt.Errorf("%w: there are %d different ones, and %d at most are looked at together: leave some out", ErrTooMany, len(photos), MaxPhotos)
	}
	bytes := 0
	for _, p := range photos {
		bytes += len(p.Sent)
	}
	if len(photos) > 1 && bytes > MaxSent {
		return fmt.Errorf("%w: they have %d bytes, and %d at most are sent together: send fewer, or smaller ones", ErrTooMany, bytes, MaxSent)
	}
	return nil
}

// Share returns the most bytes that each of several photos may have, so that all together
// fit into MaxSent when the larger ones that are Scalable are made smaller; 0 if they fit
// as they are.
func Share(photos []*photo.Photo) int {
	var sizes []int
	left, all := MaxSent, 0
	photos = distinctOf(photos)
	for _, p := range photos {
		all += len(p.Sent)
		if Scalable(p) {
			sizes = append(sizes, len(p.Sent))
		} else {
			left -= len(p.Sent)
		}
	}
	if len(photos) < 2 || all <= MaxSent {
		return 0
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		share := left / (len(sizes) - i)
		if size > share {
			return max(share, leastShare)
		}
		left -= size
	}
	return 0
}

// leastShare is the fewest bytes that a photo is made smaller to: of less, print is lost.
const leastShare = 300_000

// Scalable reports whether p can be made smaller here: HEIC and HEIF cannot be decoded.
func Scalable(p *photo.Photo) bool { return p.SentType != "image/heic" && p.SentType != "image/heif" }

//go:embed several.md
var severalText string

// severalPlace ends the prompt of each step that gets photos. It is filled with
// severalText when there are several, else empty.
const severalPlace = "{several?}"

// values returns the values of the prompts' placeholders for r.
func (r Request) values() agent.Values {
	v := agent.Values{"country": r.Country, "lang": r.Lang, "confusable": strings.Join(strings.Split(confusable, ""), " ")}
	if len(r.distinctPhotos()) > 1 {
		v["several"] = severalText
	}
	return v
}

// Photos returns all photos of r, in order.
func (r Request) Photos() []*photo.Photo {
	return append([]*photo.Photo{r.Photo}, r.More...)
}

// check refuses an incomplete request, or one with too many photos.
func (r Request) check() error {
	if r.Photo == nil || r.Policy.Name == "" {
		return errors.New("analyze: Request.Photo or Request.Policy is not set")
	}
	if i := slices.Index(r.More, nil); i >= 0 {
		return fmt.Errorf("analyze: Request.More[%d] is not set", i)
	}
	return CheckPhotos(r.Photos())
}

// distinctPhotos returns the photos as the models get them: a repeated photo is sent once,
// and so are copies that differ in their metadata only.
func (r Request) distinctPhotos() []*photo.Photo { return distinctOf(r.Photos()) }

func distinctOf(all []*photo.Photo) []*photo.Photo {
	var photos []*photo.Photo
	for _, p := range all {
		if !slices.ContainsFunc(photos, func(o *photo.Photo) bool { return copies(o, p) }) {
			photos = append(photos, p)
		}
	}
	return photos
}

// copies reports whether two photos are the same file, or the same picture once their
// metadata is removed.
func copies(a, b *photo.Photo) bool {
	return a.SHA256 == b.SHA256 || len(a.Sent) > 0 && bytes.Equal(a.Sent, b.Sent)
}

// Hashes returns the different SHA-256 of the photos in order, and of those that were left out.
// The work of a request and the review of its photos are found by them.
func (r Request) Hashes() (all []string) {
	for _, p := range r.Photos() {
		all = append(all, p.SHA256)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(append(all, r.LeftOut...), func(sha256 string) bool {
		again := seen[sha256]
		seen[sha256] = true
		return again
	})
}

// key returns the key of a checkpoint about the photos of r.
func (r Request) key(what string, decides ...any) string {
	return jobs.Key(what, r.Hashes(), r.Country, r.Lang, decides)
}

// photoParts returns r's photos as parts of a model call.
func photoParts(r Request) []gemini.Part {
	var parts []gemini.Part
	for _, p := range r.distinctPhotos() {
		parts = append(parts, gemini.Blob(p.SentType, p.Sent))
	}
	return parts
}

// noteRequest records the request in r and keeps what is known of the same photos.
func (r *Result) noteRequest(req Request) {
	r.Country, r.Lang = req.Country, req.Lang
	r.renumber(req)
	known := map[string]Image{}
	for _, i := range r.MoreImages {
		known[i.SHA256] = i
	}
	if r.Image != nil {
		known[r.Image.SHA256] = *r.Image
	}
	var images []Image
	for i, p := range req.Photos() {
		image, from := known[p.SHA256], req.Origin(i)
		image.SHA256 = p.SHA256
		if p.MIMEType != "" { // inspected; else what is known of it stays
			image.Width, image.Height, image.MIMEType, image.Error = p.Width, p.Height, p.MIMEType, ""
		}
		image.URI, image.Generation, image.File, image.Thumbnail = from.URI, from.Generation, from.File, from.Thumbnail
		images = append(images, image)
	}
	r.Image, r.MoreImages = &images[0], images[1:]
}

// Origin returns where the photo with that index comes from.
func (r Request) Origin(i int) Origin {
	if i >= len(r.Origins) {
		return Origin{}
	}
	return r.Origins[i]
}

// renumber changes the numbers of photos in r, which are those of the photos as the models
// got them or of an earlier request for them, to those of req, where a photo may be repeated.
func (r *Result) renumber(req Request) {
	var before []string
	for _, p := range req.distinctPhotos() {
		before = append(before, p.SHA256)
	}
	if r.Image != nil {
		before = []string{r.Image.SHA256}
		for _, i := range r.MoreImages {
			before = append(before, i.SHA256)
		}
	}
	to := func(n *int) {
		if *n > 0 && *n <= len(before) {
			*n = 1 + slices.IndexFunc(req.Photos(), func(p *photo.Photo) bool { return p.SHA256 == before[*n-1] })
		}
	}
	r.VisibleText = slices.Clone(r.VisibleText)
	for i := range r.VisibleText {
		to(&r.VisibleText[i].Photo)
	}
	if r.Evidence == nil {
		return
	}
	e := *r.Evidence
	for _, q := range []**Quote{&e.ProductName, &e.Brand, &e.ExpirationDate, &e.GTIN} {
		if *q != nil {
			own := **q
			to(&own.Photo)
			*q = &own
		}
	}
	r.Evidence = &e
}
