package firestore

import (
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/proto"
)

// A wire keeps fields of a document in wire format, by name: each is converted when it is first
// read. A document never changes, and neither do they.
type wire struct {
	mu     sync.Mutex
	fields map[string][]byte
}

// proto returns what m selects, for a client to read. In this process nothing reads the fields of
// what it returns: they are bytes that are sent as they are.
func (d *document) proto(m mask) *pb.Document { return d.protoWith(m, nil) }

// protoWith is proto of the document with more fields, or with others in place of its own.
func (d *document) protoWith(m mask, more object) *pb.Document {
	answer := &pb.Document{Name: d.name, CreateTime: d.created.proto(), UpdateTime: d.updated.proto()}
	fields := d.selected(m)
	if len(more) > 0 {
		fields = append(fields, wireFields(m.project(more))...) // the last of a name counts
	}
	answer.ProtoReflect().SetUnknown(fields)
	return answer
}

// selected returns the fields that m selects, in wire format.
func (d *document) selected(m mask) []byte {
	d.wire.mu.Lock()
	defer d.wire.mu.Unlock()
	var fields []byte
	if m == nil {
		for name := range d.fields {
			fields = append(fields, d.wireField(name)...)
		}
	}
	parts := mask{} // fields of maps, which are not kept
	for _, path := range m {
		switch {
		case len(path) == 1:
			fields = append(fields, d.wireField(path[0])...)
		case !m.has(path[:1]):
			parts = append(parts, path)
		}
	}
	return append(fields, wireFields(parts.project(d.fields))...)
}

// wireField returns a field in wire format, nothing if the document has none of that name.
// d.wire.mu is held.
func (d *document) wireField(name string) []byte {
	v, ok := d.fields[name]
	if !ok {
		return nil
	}
	field := d.wire.fields[name]
	if field == nil {
		if d.wire.fields == nil {
			d.wire.fields = map[string][]byte{}
		}
		field = wireFields(object{name: v})
		d.wire.fields[name] = field
	}
	return field
}

// wireFields returns the fields of a document in wire format.
func wireFields(o object) []byte {
	if len(o) == 0 {
		return nil
	}
	fields, err := proto.Marshal(&pb.Document{Fields: objectToProto(o)})
	if err != nil {
		panic(err) // they came in this format
	}
	return fields
}
