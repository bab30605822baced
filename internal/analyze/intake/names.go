package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
)

// The results bucket holds objects of these kinds, whose names never collide:
//
//	<name>.json                    the result of the upload <name>
//	<folder>.folder.json           that of the photos of a folder
//	<folder>/<GTIN>.barcode.json   that of the photos of a folder with a GTIN
//	batches/…, forecasts/…         what blob.FolderOf lists
//
// so an upload whose name lies in one of those folders, or is that of a group, is not analysed.

// errName marks an upload that cannot have a result because of its name.
var errName = usererror.New("intake", "the name")

// resultName returns the object name of the result of an upload.
func resultName(name string) string { return name + ".json" }

// checkName refuses an upload whose result could not be written, before anything
// is paid for. Photos of a batch have no result object of their own.
func checkName(d Delivery) error {
	name := d.subject().Name
	n, folder, ending := len(resultName(name)), blob.FolderOf(name), path.Ext(name)
	switch {
	case d.Batch != "":
		return nil
	case folder != "":
		return fmt.Errorf("%w begins with %q, a folder of other files in the results bucket: upload it under another name", errName, folder)
	case d.As.Name == "" && (ending == groupName("", ByFolder) || ending == groupName("", ByBarcode)):
		return fmt.Errorf("%w ends in %q, as those of groups of photos do: upload it under another name", errName, ending)
	case n > blob.MaxName:
		return fmt.Errorf("%w of its result would have %d bytes, %d more than Cloud Storage takes: upload it under a shorter name", errName, n, n-blob.MaxName)
	}
	return nil
}

// Follow writes the result of an upload into the results bucket. An object there
// that is not this upload's result stays; the result is then only in the listing.
func (w *delivered) Follow(ctx context.Context, o jobs.Outcome) error {
	if w.d.Batch != "" || checkName(w.d) != nil {
		return nil
	}
	wrote, err := w.in.putResult(ctx, w.d.subject(), o.Result)
	if err != nil {
		return err
	}
	if wrote && w.upload.SHA256 == "" && w.group == nil { // another delivery did the work, maybe long ago
		err = w.in.dropIfForgotten(ctx, w.d)
	}
	if err != nil {
		return fmt.Errorf("intake: %w", err)
	}
	return nil
}

// putResult writes a result of an upload into the results bucket. A correction of it is a
// later revision, which an earlier one does not replace. An object there that is no result of
// the upload stays.
func (in *Intake) putResult(ctx context.Context, origin blob.ObjectRef, result json.RawMessage) (wrote bool, err error) {
	r, err := jobs.Decode[analyze.Result](result)
	if err != nil { // of another version, which has written it
		slog.WarnContext(ctx, "result not written", "object", Object{ObjectRef: origin}.URI(), "error", err)
		return false, nil
	}
	revision := int64(0)
	if r.Reviewed != nil {
		revision = r.Reviewed.Revision
	}
	wrote, err = in.Objects.PutNewer(ctx, in.Results, resultName(origin.Name), result, origin, revision)
	if errors.Is(err, blob.ErrForeign) {
		slog.ErrorContext(ctx, "result not written", "object", Object{ObjectRef: origin}.URI(), "error", err)
		return false, nil
	}
	if err != nil {
		err = fmt.Errorf("intake: %w", err)
	}
	return wrote, err
}

// skip reports whether o is not to be analysed, and logs the reason.
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
