package firestore

import (
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// invalid returns the answer InvalidArgument, in the service's own words.
func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

const maxNameLength = 1500 // bytes of one ID or field name

// parseDatabase checks projects/P/databases/D.
func parseDatabase(name string) error {
	s := nameScanner{kind: "Database", name: name}
	s.database()
	return s.end()
}

// parseDocument splits the resource name of a document into its database and
// the path below documents/. Errors call the name kind.
func parseDocument(kind, name string) (database, path string, err error) {
	s := nameScanner{kind: kind, name: name}
	s.database()
	s.literal("/documents")
	from := s.pos + 1
	s.pair()
	for s.more() {
		s.pair()
	}
	if err := s.end(); err != nil {
		return "", "", err
	}
	return name[:from-len("/documents/")], name[from:], nil
}

// parseParent is parseDocument for what may also be the root, with path "".
func parseParent(name string) (database, path string, err error) {
	if root, ok := strings.CutSuffix(name, "/documents"); ok && parseDatabase(root) == nil {
		return root, "", nil
	}
	return parseDocument("Document parent", name)
}

// A nameScanner reads a resource name from left to right and keeps the first
// error.
type nameScanner struct {
	kind, name string
	pos        int
	err        error
}

func (s *nameScanner) more() bool { return s.err == nil && s.pos < len(s.name) }

func (s *nameScanner) end() error {
	if s.more() {
		return invalid("%s name %q has trailing characters at index %d.", s.kind, s.name, s.pos)
	}
	return s.err
}

func (s *nameScanner) database() {
	s.literal("projects")
	s.id()
	s.literal("/databases")
	s.id()
}

// pair reads a collection ID and a document ID.
func (s *nameScanner) pair() {
	s.id()
	s.id()
}

func (s *nameScanner) literal(text string) {
	for part := range strings.SplitAfterSeq(text, "/") {
		if s.err != nil || part == "" {
			return
		}
		if !strings.HasPrefix(s.name[s.pos:], part) {
			s.err = invalid("%s name %q lacks %q at index %d.", s.kind, s.name, part, s.pos)
			return
		}
		s.pos += len(part)
	}
}

// id reads a slash and the ID behind it.
func (s *nameScanner) id() {
	s.literal("/")
	if s.err != nil {
		return
	}
	id, _, _ := strings.Cut(s.name[s.pos:], "/")
	switch {
	case id == "":
		s.err = invalid("%s name %q lacks a resource id at index %d.", s.kind, s.name, s.pos)
	case id == "." || id == "..":
		s.err = invalid("%s name %q contains a resource id %q at index %d.", s.kind, s.name, id, s.pos)
	case reserved(id):
		s.err = invalid("Resource id %q is invalid because it is reserved.", id)
	case len(id) > maxNameLength:
		s.err = invalid("The key path element name is longer than %d bytes.", maxNameLength)
	}
	s.pos += len(id)
}

// reserved reports names of the form __x__, numeric document IDs excepted.
func reserved(name string) bool {
	if _, numeric := numericID(name); numeric {
		return false
	}
	return len(name) >= 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// splitPath cuts the last ID off a path; parent is "" when there is one ID.
func splitPath(path string) (parent, id string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

func joinPath(parent, id string) string {
	if parent == "" {
		return id
	}
	return parent + "/" + id
}

// within reports that path lies below parent, "" being the root.
func within(path, parent string) bool {
	return parent == "" || strings.HasPrefix(path, parent+"/")
}
