package catalog

import (
	"encoding/binary"
	"math"
)

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
