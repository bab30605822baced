package firestore

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rank orders values of different types as Firestore does; values of one rank
// compare with each other.
func rank(v value) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case int64, float64:
		return 2
	case timestamp:
		return 3
	case string:
		return 4
	case []byte:
		return 5
	case reference:
		return 6
	case geoPoint:
		return 7
	case array:
		return 8
	case *vector:
		return 9
	}
	return 10
}

// compareValues gives the order of results: negative, 0 or positive. Equal
// numbers of different types are equal, NaN is the least number.
func compareValues(a, b value) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case bool:
		return compareBools(a, b.(bool))
	case int64, float64:
		return compareNumbers(a, b)
	case timestamp:
		return cmp.Compare(a, b.(timestamp))
	case string:
		return cmp.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case reference:
		return comparePaths(string(a), string(b.(reference)))
	case geoPoint:
		g := b.(geoPoint)
		return cmp.Or(cmp.Compare(a.lat, g.lat), cmp.Compare(a.lng, g.lng))
	case array:
		return slices.CompareFunc(a, b.(array), compareValues)
	case *vector:
		return compareVectors(a, b.(*vector))
	case object:
		return compareObjects(a, b.(object))
	}
	return 0
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareNumbers(a, b value) int {
	i, aInt := a.(int64)
	j, bInt := b.(int64)
	switch {
	case aInt && bInt:
		return cmp.Compare(i, j)
	case aInt:
		return compareIntFloat(i, b.(float64))
	case bInt:
		return -compareIntFloat(j, a.(float64))
	}
	return cmp.Compare(a.(float64), b.(float64))
}

// compareIntFloat is exact where converting i to float64 would round.
func compareIntFloat(i int64, f float64) int {
	switch {
	case math.IsNaN(f) || f < -1<<63:
		return 1
	case f >= 1<<63:
		return -1
	}
	whole := math.Trunc(f)
	return cmp.Or(cmp.Compare(i, int64(whole)), cmp.Compare(whole, f))
}

// compareVectors puts fewer dimensions first.
func compareVectors(a, b *vector) int {
	if c := cmp.Compare(a.len(), b.len()); c != 0 {
		return c
	}
	for i := range a.len() {
		if c := cmp.Compare(a.at(i), b.at(i)); c != 0 {
			return c
		}
	}
	return 0
}

// compareObjects goes through the fields by name: first name, then value.
func compareObjects(a, b object) int {
	names, others := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	for i := range min(len(names), len(others)) {
		if c := cmp.Compare(names[i], others[i]); c != 0 {
			return c
		}
		if c := compareValues(a[names[i]], b[others[i]]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(names), len(others))
}

// identical reports that writing b over a would change nothing: unlike
// compareValues it tells 1 from 1.0 and 0.0 from -0.0.
func identical(a, b value) bool {
	switch a := a.(type) {
	case int64:
		return a == b
	case float64:
		f, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(f)
	case array:
		other, ok := b.(array)
		return ok && slices.EqualFunc(a, other, identical)
	case object:
		other, ok := b.(object)
		return ok && maps.EqualFunc(a, other, identical)
	case *vector:
		other, ok := b.(*vector)
		return ok && identicalVectors(a, other)
	}
	return compareValues(a, b) == 0
}

func identicalVectors(a, b *vector) bool {
	if a.len() != b.len() {
		return false
	}
	for i := range a.len() {
		if math.Float64bits(a.at(i)) != math.Float64bits(b.at(i)) {
			return false
		}
	}
	return true
}

// comparePaths orders resource names segment by segment, so that "a/x" comes
// before "a-b".
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, "/")
		y, b, _ = strings.Cut(b, "/")
		if c := compareIDs(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareIDs orders numeric IDs (__id7__) by number and before all others.
func compareIDs(a, b string) int {
	m, aNum := numericID(a)
	n, bNum := numericID(b)
	switch {
	case aNum && bNum:
		return cmp.Compare(m, n)
	case aNum:
		return -1
	case bNum:
		return 1
	}
	return cmp.Compare(a, b)
}

func numericID(id string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, "__id")
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, "__")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil
}
