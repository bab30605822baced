package catalog

import (
	"context"
	"encoding/binary"
	"math"
)

// bytesOf has the fields of the vectors as bytes, by those of the vectors.
var bytesOf = map[string]string{SearchVector: "search_bytes", ImageVector: "image_bytes"}

// packed returns the components of v, four bytes each, the least significant first; nil for none.
func packed(v []float32) (data []byte) {
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

func unpacked(data []byte) []float32 {
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}

// Scores returns the cosine of products' vectors in a space to v, by ID. Products without a vector in
// that field are left out.
func (c *Catalog) Scores(ctx context.Context, ids []string, space, field string, v []float32) (map[string]float64, error) {
	found, err := c.fetch(ctx, ids, []string{fieldIn(space, bytesOf[field])})
	scores := map[string]float64{}
	for id, p := range found {
		for _, vectors := range p.bothVectors() {
			if of := map[string][]byte{SearchVector: vectors.SearchBytes, ImageVector: vectors.ImageBytes}[field]; len(of) > 0 {
				scores[id] = cosine(v, unpacked(of))
			}
		}
	}
	return scores, err
}
