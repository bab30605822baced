package catalog

import (
	"slices"

	"cloud.google.com/go/firestore"
)

// Vectors are those of a product in one space. All vectors of a record are of its present texts and
// picture: whoever changes these embeds them in a space of theirs, and drops the vectors of the other.
type Vectors struct {
	Embedder        string             `firestore:"embedder,omitempty"`         // ID of the space
	Embedding       firestore.Vector32 `firestore:"embedding,omitempty"`        // of its key features
	SearchEmbedding firestore.Vector32 `firestore:"search_embedding,omitempty"` // of its text, embedded as a document
	ImageEmbedding  firestore.Vector32 `firestore:"image_embedding,omitempty"`  // of its picture
	ImageHash       string             `firestore:"image_hash,omitempty"`       // the SHA-256 of that picture

	// SearchBytes and ImageBytes are the same vectors as bytes (packed): the index of a shop is made of
	// them, as they are a third as long, and decoded in a tenth of the time.
	SearchBytes []byte `firestore:"search_bytes,omitempty"`
	ImageBytes  []byte `firestore:"image_bytes,omitempty"`
}

// SecondVectors are Vectors in other fields: a record has those of two spaces while the catalogue moves
// from one to the other, so that services find it in either.
type SecondVectors struct {
	Embedder        string             `firestore:"embedder_b,omitempty"`
	Embedding       firestore.Vector32 `firestore:"embedding_b,omitempty"`
	SearchEmbedding firestore.Vector32 `firestore:"search_embedding_b,omitempty"`
	ImageEmbedding  firestore.Vector32 `firestore:"image_embedding_b,omitempty"`
	ImageHash       string             `firestore:"image_hash_b,omitempty"`
	SearchBytes     []byte             `firestore:"search_bytes_b,omitempty"`
	ImageBytes      []byte             `firestore:"image_bytes_b,omitempty"`
}

// fieldIn returns the name under which records have a field of Vectors in a space.
func fieldIn(space, field string) string { return field + suffixOf(space) }

// in returns the vectors of p in a space, as they are stored.
func (p *Product) in(space string) *Vectors {
	if suffixOf(space) != "" {
		return (*Vectors)(&p.SecondVectors)
	}
	return &p.Vectors
}

// In returns the vectors of p in a space; none if it was not read with them.
func (p Product) In(space string) Vectors {
	if v := p.in(space); v.Embedder == space {
		return *v
	}
	return Vectors{}
}

func (p *Product) bothVectors() []*Vectors {
	return []*Vectors{&p.Vectors, (*Vectors)(&p.SecondVectors)}
}

// Embedders returns the IDs of the spaces in which p has vectors.
func (p Product) Embedders() []string {
	return slices.DeleteFunc([]string{p.Vectors.Embedder, p.SecondVectors.Embedder}, func(space string) bool { return space == "" })
}

// setEmbedding gives p another vector of its key features. Those of its text and picture stay in this
// space, until its next import.
func (p *Product) setEmbedding(space string, v []float32) {
	own := *p.in(space)
	p.Vectors, p.SecondVectors = Vectors{}, SecondVectors{}
	own.Embedder, own.Embedding = space, v
	*p.in(space) = own
}

// Compared returns the vectors of text and picture that a search compares, of a product that Changes
// has read or one that was not stored yet.
func (v Vectors) Compared() (text, picture []float32) {
	if len(v.SearchBytes)+len(v.ImageBytes) == 0 {
		return v.SearchEmbedding, v.ImageEmbedding
	}
	return unpacked(v.SearchBytes), unpacked(v.ImageBytes)
}

// WithoutVectors returns p with no more of its vectors than their spaces.
func (p Product) WithoutVectors() Product {
	for _, v := range p.bothVectors() {
		*v = Vectors{Embedder: v.Embedder}
	}
	return p
}
