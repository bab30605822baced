package firestore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/encoding/protodelim"
)

// A snapshot file is a header line, the documents as size-delimited protobuf
// messages with packed vectors, an empty message and the CRC-32 of all that.
const (
	snapshotFile   = "firestore.snapshot"
	snapshotHeader = "firestore emulator snapshot 1\n"
)

// A packed vector is a map {__type__: …, value: bytes} with the components in
// little-endian order. Documents of clients cannot hold such maps.
const (
	packedNarrow = "__float32__"
	packedWide   = "__float64__"
)

var errDamaged = errors.New("the file is damaged: move it away to start empty, or put a good copy in its place")

// saveSnapshot replaces the snapshot in dir with docs; a reader finds the old
// or the new one, never a part.
func saveSnapshot(dir string, docs []*document) (err error) {
	f, err := os.CreateTemp(dir, snapshotFile+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := writeSnapshot(f, docs); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, snapshotFile))
}

func writeSnapshot(to io.Writer, docs []*document) error {
	sum := crc32.NewIEEE()
	w := bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<16)
	w.WriteString(snapshotHeader)
	for _, d := range append(docs, nil) {
		if _, err := protodelim.MarshalTo(w, packDocument(d)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return binary.Write(to, binary.LittleEndian, sum.Sum32())
}

// loadSnapshot fills the store from the snapshot in dir, if there is one.
func loadSnapshot(dir string, s *store) error {
	name := filepath.Join(dir, snapshotFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := readSnapshot(bufio.NewReaderSize(f, 1<<16), s); err != nil {
		return fmt.Errorf("%s: %w (%v)", name, errDamaged, err)
	}
	return nil
}

// A sumReader sums what is read through it.
type sumReader struct {
	r   *bufio.Reader
	sum hash.Hash32
}

func (s *sumReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

func (s *sumReader) ReadByte() (byte, error) {
	b, err := s.r.ReadByte()
	if err == nil {
		s.sum.Write([]byte{b})
	}
	return b, err
}

func readSnapshot(from *bufio.Reader, s *store) error {
	r := &sumReader{from, crc32.NewIEEE()}
	header := make([]byte, len(snapshotHeader))
	if _, err := io.ReadFull(r, header); err != nil || string(header) != snapshotHeader {
		return errors.New("no such header")
	}
	for {
		var d pb.Document
		if err := (protodelim.UnmarshalOptions{MaxSize: 16 * maxDocumentSize}).UnmarshalFrom(r, &d); err != nil {
			return err
		}
		if d.GetName() == "" {
			break
		}
		if err := s.restore(&d); err != nil {
			return err
		}
	}
	var want uint32
	if err := binary.Read(from, binary.LittleEndian, &want); err != nil {
		return err
	}
	if got := r.sum.Sum32(); got != want {
		return fmt.Errorf("checksum is %08x, want %08x", got, want)
	}
	return nil
}

// restore stores one document of a snapshot. Nobody else uses the store yet.
func (s *store) restore(d *pb.Document) error {
	database, path, err := parseDocument("Document", d.GetName())
	if err != nil {
		return err
	}
	stored := &document{
		name: d.GetName(), path: path, fields: object{},
		created: timestamp(d.GetCreateTime().AsTime().UnixMicro()),
		updated: timestamp(d.GetUpdateTime().AsTime().UnixMicro()),
	}
	for name, f := range d.GetFields() {
		if stored.fields[name], err = unpackValue(name, f); err != nil {
			return err
		}
	}
	s.clock.pass(stored.updated)
	s.database(database).tree.put(stored)
	return nil
}

// packDocument converts d, or makes the empty message that ends a snapshot.
func packDocument(d *document) *pb.Document {
	if d == nil {
		return &pb.Document{}
	}
	fields := make(map[string]*pb.Value, len(d.fields))
	for name, v := range d.fields {
		fields[name] = packValue(v)
	}
	return &pb.Document{Name: d.name, Fields: fields, CreateTime: d.created.proto(), UpdateTime: d.updated.proto()}
}

// packValue packs vectors that are fields of the document itself or of maps;
// arrays hold none.
func packValue(v value) *pb.Value {
	switch v := v.(type) {
	case object:
		fields := make(map[string]*pb.Value, len(v))
		for name, f := range v {
			fields[name] = packValue(f)
		}
		return mapToProto(fields)
	case *vector:
		kind, bytes := packedNarrow, []byte{}
		for _, c := range v.narrow {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(c))
		}
		for _, c := range v.wide {
			kind, bytes = packedWide, binary.LittleEndian.AppendUint64(bytes, math.Float64bits(c))
		}
		return mapToProto(map[string]*pb.Value{typeKey: toProto(kind), valueKey: toProto(bytes)})
	}
	return toProto(v)
}

// unpackValue returns the inverse of packValue; top is the field v is in.
func unpackValue(top string, v *pb.Value) (value, error) {
	fields := v.GetMapValue().GetFields()
	bytes := fields[valueKey].GetBytesValue()
	switch {
	case fields[typeKey].GetStringValue() == packedNarrow:
		return unpackVector(bytes, 4, func(b []byte) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		})
	case fields[typeKey].GetStringValue() == packedWide:
		return unpackVector(bytes, 8, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		})
	case v.GetMapValue() == nil:
		return fromProto(top, v, 1)
	}
	o := make(object, len(fields))
	for name, f := range fields {
		inner, err := unpackValue(top, f)
		if err != nil {
			return nil, err
		}
		o[name] = inner
	}
	return o, nil
}

func unpackVector(bytes []byte, width int, component func([]byte) float64) (value, error) {
	if len(bytes) == 0 || len(bytes)%width != 0 {
		return nil, fmt.Errorf("a vector has %d bytes", len(bytes))
	}
	components := make([]float64, 0, len(bytes)/width)
	for len(bytes) > 0 {
		components = append(components, component(bytes))
		bytes = bytes[width:]
	}
	return newVector(components), nil
}
