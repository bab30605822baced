package firestore

import (
	"maps"
	"slices"
	"strings"
)

// A document is one stored version. It never changes: a write stores another.
type document struct {
	name    string // full resource name
	path    string // the part of name below documents/
	fields  object
	created timestamp
	updated timestamp
	wire    wire
}

// missing is true of a document made for a listing, that stands for what is
// not stored but has documents below it.
func (d *document) missing() bool { return d.updated == 0 }

// id returns the last element of the path.
func (d *document) id() string {
	_, id := splitPath(d.path)
	return id
}

// get returns the field at path, or the name.
func (d *document) get(path fieldPath) (value, bool) {
	if path.isName() {
		return reference(d.name), true
	}
	return d.fields.get(path)
}

// A collection holds its documents by ID, in order. One that is shared with a
// view must not change.
type collection struct {
	docs    []*document
	shared  bool
	lookups lookups
}

func (c *collection) find(id string) (int, bool) {
	return slices.BinarySearchFunc(c.docs, id, func(d *document, id string) int {
		return compareIDs(d.id(), id)
	})
}

// A tree holds collections by path; empty ones are left out.
type tree map[string]*collection

// doc returns the document at path, or nil.
func (t tree) doc(path string) *document {
	parent, id := splitPath(path)
	c := t[parent]
	if c == nil {
		return nil
	}
	if i, ok := c.find(id); ok {
		return c.docs[i]
	}
	return nil
}

// put stores d over what is at its path.
func (t tree) put(d *document) {
	parent, id := splitPath(d.path)
	c := t.writable(parent)
	i, ok := c.find(id)
	if !ok {
		c.docs = slices.Insert(c.docs, i, nil)
	}
	c.lookups.replace(c.docs[i], d)
	c.docs[i] = d
}

// remove forgets the document at path, if there is one.
func (t tree) remove(path string) {
	if t.doc(path) == nil {
		return
	}
	parent, id := splitPath(path)
	c := t.writable(parent)
	i, _ := c.find(id)
	c.lookups.replace(c.docs[i], nil)
	c.docs = slices.Delete(c.docs, i, i+1)
	if len(c.docs) == 0 {
		delete(t, parent)
	}
}

// writable returns the collection at path, copied when a view shares it.
func (t tree) writable(path string) *collection {
	c := t[path]
	switch {
	case c == nil:
		c = &collection{}
	case c.shared:
		seen := c
		c = &collection{docs: slices.Clone(seen.docs)}
		c.lookups.move(&seen.lookups)
	}
	t[path] = c
	return c
}

// view returns a tree that stays as t is now.
func (t tree) view() tree {
	for _, c := range t {
		c.shared = true
	}
	return maps.Clone(t)
}

// scan returns in name order the documents of the collections with the given
// ID ("" any) right under parent, or anywhere below it. The caller must not
// change the slice.
func (t tree) scan(parent, id string, descendants bool) []*document {
	if id != "" && !descendants {
		if c := t[joinPath(parent, id)]; c != nil {
			return c.docs
		}
		return nil
	}
	var docs []*document
	for path, c := range t {
		above, last := splitPath(path)
		if (id == "" || last == id) && (above == parent || descendants && within(above, parent)) {
			docs = append(docs, c.docs...)
		}
	}
	slices.SortFunc(docs, func(a, b *document) int { return comparePaths(a.path, b.path) })
	return docs
}

// having returns in name order the documents of a collection that meet one of each list of
// equalities. The caller must not change the slice.
func (t tree) having(path string, wanted [][]equality) []*document {
	c := t[path]
	if c == nil {
		return nil
	}
	return c.lookups.find(c.docs, wanted)
}

// collectionIDs returns the IDs of the collections right under parent, sorted,
// also of those that only hold documents further down.
func (t tree) collectionIDs(parent string) []string {
	ids := map[string]bool{}
	for path := range t {
		if below, ok := cutParent(path, parent); ok {
			id, _, _ := strings.Cut(below, "/")
			ids[id] = true
		}
	}
	return slices.SortedFunc(maps.Keys(ids), compareIDs)
}

// missing returns the paths of the documents of a collection that do not exist
// and have documents below them.
func (t tree) missing(coll string) []string {
	paths := map[string]bool{}
	for path := range t {
		if below, ok := cutParent(path, coll); ok {
			id, _, _ := strings.Cut(below, "/")
			if doc := joinPath(coll, id); t.doc(doc) == nil {
				paths[doc] = true
			}
		}
	}
	return slices.Collect(maps.Keys(paths))
}

// cutParent returns what of path lies below parent.
func cutParent(path, parent string) (string, bool) {
	if parent == "" {
		return path, true
	}
	return strings.CutPrefix(path, parent+"/")
}
