package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
)

// The results bucket holds two kinds of objects, which never meet:
//
//	<name>.json    the result of the upload <name>
//	batches/…      the files of batches
//
// so that an upload whose name begins with Reserved has no result there.

// Reserved begins the names of the batches' files in the results bucket. No upload
// whose name begins so is analysed.
const Reserved = "batches/"

// errName marks an upload that cannot have a result because of its name.
var errName = usererror.New("intake", "the name")

// resultName is the name of the result of an upload.
func resultName(name string) string { return name + ".json" }

// checkName refuses an upload whose result could not be written, before anything
// is paid for. Photos of a batch have no object of their own.
func checkName(d Delivery) error {
	n := len(resultName(d.Name))
	switch {
	case d.Batch != "":
		return nil
	case strings.HasPrefix(d.Name, Reserved):
		return fmt.Errorf("%w begins with %q, where the files of batches lie in the results bucket: upload it under another name", errName, Reserved)
	case n > blob.MaxName:
		return fmt.Errorf("%w of its result would have %d bytes, %d more than Cloud Storage takes: upload it under a shorter name", errName, n, n-blob.MaxName)
	}
	return nil
}

// Follow puts the result of an upload where it belongs. What somebody else put
// there stays, and so does the result in the listing.
func (w *delivered) Follow(ctx context.Context, o jobs.Outcome) error {
	if w.d.Batch != "" || checkName(w.d) != nil {
		return nil
	}
	wrote, err := w.in.Objects.PutNewer(ctx, w.in.Results, resultName(w.d.Name), o.Result, w.d.ObjectRef)
	if err == nil && wrote && w.upload.SHA256 == "" { // another delivery did the work, long ago perhaps
		err = w.in.dropIfForgotten(ctx, w.d)
	}
	if errors.Is(err, blob.ErrForeign) {
		slog.ErrorContext(ctx, "result not written", "object", w.d.URI(), "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("intake: %w", err)
	}
	return nil
}

// skip reports, and logs, that o is no work.
func (in *Intake) skip(ctx context.Context, o Object) bool {
	reason := ""
	switch {
	case o.Bucket == in.Results:
		reason = "it lies in the results bucket"
	case !slices.Contains(in.Readable, o.Bucket):
		slog.WarnContext(ctx, "object dropped: photos are taken from another bucket", "object", o.URI(), "want", in.Readable)
		return true
	case strings.HasSuffix(o.Name, "/"):
		reason = "it is a folder"
	case blob.IsResult(o.Metadata):
		reason = "it is a result itself"
	default:
		return false
	}
	slog.InfoContext(ctx, "object skipped", "object", o.URI(), "reason", reason)
	return true
}
