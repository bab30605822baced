package analyze

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// An imageReading is what image_analyzer found in the photos, before rag_agent
// decides.
type imageReading struct {
	analysis Analysis // without the injected lines
	injected []Line   // the lines that detectInjection found
	req      Request  // with the photos for later calls: injected lines are painted over where possible
	// The stronger model must look at the photos, however sure image_analyzer is.
	unplaced bool             // some injected lines are not painted over, and may have steered image_analyzer
	nameless bool             // the product's name was read only with the injected lines in sight: one may have been the name
	scans    [][]barcode.Code // in the pixels of the photos, in order
}

// imageAnalyzer asks the model of image_analyzer about the photos, and reads the
// codes that the model saw. If the answer has injected lines, they are painted over
// and the model is asked once more; its first answer is discarded. Injected lines
// that cannot be painted over, or that are still in the second answer, are removed
// from it, and a second look is wanted.
func (p *Pipeline) imageAnalyzer(ctx context.Context, r *run) error {
	answer, err := p.analysis.Ask(ctx, callToRead("image_analyzer", r.req))
	if err != nil {
		return err
	}
	first := answer.Value
	plain, found := splitInjected(first, nil)
	masked, left, scans, err := p.usePixels(ctx, r.req, pixelUse{read: p.ReadCodes, analysis: first, injected: found, plain: plain.VisibleText})
	if err != nil {
		return err
	}
	reading := &r.reading
	*reading = imageReading{analysis: first, injected: found, req: r.req, scans: scans}
	if len(found) == 0 {
		return nil
	}
	if len(left) == len(found) || onlyNames(found, []string{first.NameAsPrinted, first.ProductName, first.BrandAsPrinted, first.Brand}) {
		reading.setUnplaced(plain)
		return nil
	}
	reading.req = masked
	answer, err = p.analysis.Ask(ctx, callToRead("image_analyzer_masked", masked))
	if modelRefused(err) {
		reading.setUnplaced(plain)
		return nil
	}
	if err != nil {
		return err
	}
	second := answer.Value
	plain, still := splitInjected(second, found)
	if len(left)+len(still) == 0 {
		reading.analysis, reading.nameless = second, first.ProductName != "" && second.ProductName == ""
		return nil
	}
	reading.req, _, _, err = p.usePixels(ctx, masked, pixelUse{read: barcode.Never, injected: still, plain: plain.VisibleText})
	for _, l := range still {
		if !slices.ContainsFunc(found, func(o Line) bool { return o.Text == l.Text && o.Photo == l.Photo }) {
			reading.injected = append(reading.injected, l)
		}
	}
	reading.setUnplaced(plain)
	return err
}

// callToRead is the call of image_analyzer about the photos of req.
func callToRead(key string, req Request) agent.Call {
	return agent.Call{Key: key, Values: req.values(), Parts: append(photoParts(req), contextPart(req)), RetryTruncated: true}
}

// setUnplaced sets the analysis to plain, which was made with injected lines in sight.
func (r *imageReading) setUnplaced(plain Analysis) {
	r.analysis, r.unplaced = withoutInjected(plain, r.injected), true
}

// A pixelUse says what to read and paint over after an answer of image_analyzer.
type pixelUse struct {
	read            barcode.When
	analysis        Analysis // with the places of codes
	injected, plain []Line   // to paint over, and to keep visible
}

// usePixels reads the codes of req's photos and paints over injected lines. It
// returns in left the lines that are not painted over: they have no box, their box
// covers a plain line, or their photo cannot be painted on. The error is an
// *admission.Busy, or ctx's.
func (p *Pipeline) usePixels(ctx context.Context, req Request, u pixelUse) (masked Request, left []Line, scans [][]barcode.Code, err error) {
	photos := req.distinctPhotos()
	painted := slices.Clone(photos)
	var unpainted []int
	for i, ph := range photos {
		var t pixelTask
		t.codes, t.boxes = wantedCodes(u.read, u.analysis, i+1, len(photos))
		for _, l := range u.injected {
			if l.Box != nil && on(l.Photo, i+1, len(photos)) && !l.hides(u.plain) {
				t.paint = append(t.paint, l.Box.thousandths())
			}
		}
		codes, m, err := p.scanAndPaint(ctx, ph, t)
		if err != nil {
			return req, nil, nil, err
		}
		scans = append(scans, codes)
		if m != nil {
			painted[i] = m
		} else if len(t.paint) > 0 {
			unpainted = append(unpainted, i+1)
		}
	}
	for _, l := range u.injected {
		if l.Box == nil || l.hides(u.plain) || slices.ContainsFunc(unpainted, func(n int) bool { return on(l.Photo, n, len(photos)) }) {
			left = append(left, l)
		}
	}
	all := req.Photos()
	for i, p := range all {
		all[i] = painted[slices.IndexFunc(photos, func(o *photo.Photo) bool { return copies(o, p) })]
	}
	req.Photo, req.More = all[0], all[1:]
	return req, left, scans, nil
}

// hides reports whether l's box covers more than half of a plain line. Only plain
// lines of the name, the brand and the dates have boxes.
func (l Line) hides(plain []Line) bool {
	return slices.ContainsFunc(plain, func(o Line) bool {
		return (l.Photo == o.Photo || l.Photo == 0 || o.Photo == 0) && l.Box.hides(o.Box)
	})
}

// on reports whether a line or code of the given photo is, or may be, on photo n of so many:
// one whose photo is unknown may be on all.
func on(given, n, of int) bool { return given == n || given < 1 || given > of }

// painted reports whether b, on photo n, overlaps an injected line.
func (r imageReading) painted(b Box, n int) bool {
	return slices.ContainsFunc(r.injected, func(o Line) bool { return on(o.Photo, n, len(r.scans)) && o.Box.meets(b) })
}

// A pixelTask says what to do with the pixels of one photo. They are decoded for it
// and released before the next model call.
type pixelTask struct {
	codes bool     // read codes,
	boxes []Box    // in these boxes; without any, on the whole photo
	paint [][4]int // boxes to paint over, in thousandths
}

// scanAndPaint does t with the pixels of ph once there is memory for them. A photo
// that cannot be decoded has no codes and is not painted on: masked is nil. The
// error is an *admission.Busy, or ctx's.
func (p *Pipeline) scanAndPaint(ctx context.Context, ph *photo.Photo, t pixelTask) (codes []barcode.Code, masked *photo.Photo, err error) {
	if !t.codes && len(t.paint) == 0 {
		return nil, nil, nil
	}
	defer ph.Release()
	limits := photo.Limits{MaxMemory: p.Memory.MaxWork()}
	release, err := ph.Reserve(ctx, p.Memory, limits, len(t.paint) > 0)
	var fault *photo.Error
	if err != nil && !errors.As(err, &fault) {
		return nil, nil, err
	}
	if err == nil {
		defer release()
		codes, masked, err = t.do(ctx, ph, limits)
	}
	if err != nil {
		slog.InfoContext(ctx, "pixels not looked at", "photo", ph.SHA256, "reason", err)
	}
	return codes, masked, ctx.Err()
}

// do does t. After a panic of a decoder the photo has no codes.
func (t pixelTask) do(ctx context.Context, ph *photo.Photo, limits photo.Limits) (codes []barcode.Code, masked *photo.Photo, err error) {
	defer func() {
		if v := recover(); v != nil {
			slog.ErrorContext(ctx, "pixels panicked", "photo", ph.SHA256, "panic", v, "stack", string(debug.Stack()))
			codes, masked, err = nil, nil, nil
		}
	}()
	if t.codes {
		img, err := ph.ForCodes(limits)
		if err != nil {
			return nil, nil, err
		}
		codes = readCodes(ctx, img, t.boxes)
	}
	if len(t.paint) > 0 { // on the pixels that were decoded for the codes, if they were
		masked, err = ph.Mask(t.paint, limits)
	}
	return codes, masked, err
}
