package firestore

import (
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A write is one checked change of one document.
type write struct {
	path       string
	delete     bool
	fields     object
	mask       mask // nil replaces the document
	transforms []transform
	condition  *pb.Precondition
}

// parseWrite checks w, which must be about a document of the database.
func parseWrite(database string, w *pb.Write) (*write, error) {
	parsed := &write{condition: w.GetCurrentDocument()}
	var name string
	var err error
	switch op := w.GetOperation().(type) {
	case *pb.Write_Delete:
		name, parsed.delete = op.Delete, true
	case *pb.Write_Transform:
		name, parsed.mask = op.Transform.GetDocument(), mask{}
		parsed.transforms, err = parseTransforms(op.Transform.GetFieldTransforms())
	case *pb.Write_Update:
		name = op.Update.GetName()
		err = parsed.parseUpdate(op.Update, w)
	default:
		return nil, invalid("empty write operation")
	}
	if err != nil {
		return nil, err
	}
	parsed.path, err = pathIn(database, name)
	return parsed, err
}

func (w *write) parseUpdate(d *pb.Document, from *pb.Write) (err error) {
	if w.fields, err = objectFromProto(d.GetFields()); err != nil {
		return err
	}
	if w.mask, err = maskFromProto(from.GetUpdateMask()); err != nil {
		return err
	}
	w.transforms, err = parseTransforms(from.GetUpdateTransforms())
	return err
}

// pathIn returns the path of the named document, which must be in the database.
func pathIn(database, name string) (string, error) {
	in, path, err := parseDocument("Document", name)
	if err == nil && in != database {
		err = invalid("Document name %q is not in database %q.", name, database)
	}
	return path, err
}

// check reports whether the write's precondition holds for current, nil when
// there is no such document.
func (w *write) check(name string, current *document) error {
	switch c := w.condition.GetConditionType().(type) {
	case *pb.Precondition_Exists:
		if c.Exists && current == nil {
			return status.Errorf(codes.NotFound, "No document to update: %s", name)
		}
		if !c.Exists && current != nil {
			return status.Errorf(codes.AlreadyExists, "Document already exists: %s", name)
		}
	case *pb.Precondition_UpdateTime:
		var stored timestamp
		if current != nil {
			stored = current.updated
		}
		if want := timestamp(c.UpdateTime.AsTime().UnixMicro()); stored != want {
			return status.Errorf(codes.FailedPrecondition, "the stored version (%d) does not match the required base version (%d)", stored, want)
		}
	}
	return nil
}

// apply returns the fields that the write makes of old, and what its
// transforms made.
func (w *write) apply(old object, at timestamp) (object, []*pb.Value) {
	fields := w.mask.merge(old, w.fields)
	var results []*pb.Value
	for _, t := range w.transforms {
		before, _ := fields.get(t.path)
		after := t.apply(before, at)
		fields = fields.with(t.path, after)
		results = append(results, t.result(after))
	}
	return fields, results
}
