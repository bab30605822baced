package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/whatis/internal/catalog"
)

// Vectors are those of words and of a picture, nil if there is none.
type Vectors [2][]float32

// Scores are cosines to Vectors, NaN for a product that lacks that vector.
type Scores [2]float64

// A packed vector has the factor of its components, and these as a byte each. By 768 of them a score is
// about 0.0005 wrong, and a vector is a quarter as long as with all digits.
func packed(v []float32) []byte {
	var most, length float64
	for _, x := range v {
		most, length = max(most, math.Abs(float64(x))), length+float64(x)*float64(x)
	}
	if most == 0 {
		return nil
	}
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(v)), math.Float32bits(float32(most/127/math.Sqrt(length))))
	for _, x := range v {
		data = append(data, byte(int8(math.Round(float64(x)/most*127))))
	}
	return data
}

func unpacked(data []byte) (v []float32) {
	if len(data) == 0 {
		return nil
	}
	factor := math.Float32frombits(binary.LittleEndian.Uint32(data))
	for _, x := range data[4:] {
		v = append(v, factor*float32(int8(x)))
	}
	return v
}

// score returns the cosine of a vector of length 1 to a packed one, NaN if either is missing.
func score(v []float32, data []byte) float64 {
	if len(v) == 0 || len(data) != 4+len(v) {
		return math.NaN()
	}
	factor, data := math.Float32frombits(binary.LittleEndian.Uint32(data)), data[4:]
	var a, b, c, d float32 // sums of their own need not wait for each other
	for len(v) >= 4 && len(data) >= 4 {
		a += v[0] * float32(int8(data[0]))
		b += v[1] * float32(int8(data[1]))
		c += v[2] * float32(int8(data[2]))
		d += v[3] * float32(int8(data[3]))
		v, data = v[4:], data[4:]
	}
	for i, x := range v {
		a += x * float32(int8(data[i]))
	}
	return min(1, float64(factor*(a+b+c+d)))
}

// scores compares the vectors of a product.
func (to Vectors) scores(of [2][]byte) Scores {
	return Scores{score(to[0], of[0]), score(to[1], of[1])}
}

// A compared is a product as it is compared: its ID, and its packed vectors.
type compared struct {
	doc     string
	vectors [2][]byte
}

// A memory has the products by their numbers in the file, from the first comparison on: to read them takes
// five times as long as to compare them.
type memory struct {
	mu       sync.RWMutex
	products []compared
	read     bool
}

// load reads all products, unless that was done.
func (m *memory) load(ctx context.Context, x *Index) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read {
		return nil
	}
	m.products = nil
	err := x.each(ctx, func(scan func(...any) error) error {
		var id int
		var one compared
		var text, picture sql.RawBytes // which the next row overwrites
		err := scan(&id, &one.doc, &text, &picture)
		both := slices.Concat(text, picture)
		one.vectors = [2][]byte{both[:len(text):len(text)], both[len(text):]}
		m.set(id, one)
		return err
	}, "select p.id, p.doc, v.text, v.picture from vectors v cross join products p on p.id = v.product")
	m.read = err == nil
	return err
}

// set sets the product with a number; one without an ID is none.
func (m *memory) set(id int, one compared) {
	for len(m.products) <= id {
		m.products = append(m.products, compared{})
	}
	m.products[id] = one
}

// update sets what a change has written.
func (m *memory) update(written map[int64]compared) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.read {
		return
	}
	for id, one := range written {
		m.set(int(id), one)
	}
}

// Compare returns the products that a filter selects, with their scores, in no order; nil if these are more than most.
func (x *Index) Compare(ctx context.Context, f Filter, to Vectors, most int) (iter.Seq2[string, Scores], error) {
	if err := x.memory.load(ctx, x); err != nil {
		return nil, err
	}
	numbers, err := x.numbers(ctx, f)
	if err != nil || len(numbers) > most {
		return nil, err
	}
	return func(yield func(string, Scores) bool) {
		x.memory.mu.RLock()
		defer x.memory.mu.RUnlock()
		for _, id := range numbers {
			if id >= len(x.memory.products) {
				continue
			}
			if of := x.memory.products[id]; of.doc != "" && !yield(of.doc, to.scores(of.vectors)) {
				return
			}
		}
	}, nil
}

// numbers returns those of the products that a filter selects: as one text, which is read in a tenth of the
// time of as many rows.
func (x *Index) numbers(ctx context.Context, f Filter) (all []int, err error) {
	b, text := &builder{}, ""
	b.add("select ifnull(group_concat(p.id), '') from products p where ")
	b.filter(f)
	err = x.each(ctx, func(scan func(...any) error) error { return scan(&text) }, b.sql.String(), b.args...)
	if err != nil || text == "" {
		return nil, err
	}
	for number := range strings.SplitSeq(text, ",") {
		id, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("index: query: %w", err)
		}
		all = append(all, id)
	}
	return all, nil
}

// Scores returns those of products by their IDs. Ones without vectors are left out.
func (x *Index) Scores(ctx context.Context, to Vectors, ids ...string) (map[string]Scores, error) {
	all := map[string]Scores{}
	err := x.vectors(ctx, func(doc string, of [2][]byte) { all[doc] = to.scores(of) }, ids...)
	return all, err
}

// VectorsOf returns those of a product.
func (x *Index) VectorsOf(ctx context.Context, id string) (all Vectors, err error) {
	err = x.vectors(ctx, func(_ string, of [2][]byte) { all = Vectors{unpacked(of[0]), unpacked(of[1])} }, id)
	return all, err
}

func (x *Index) vectors(ctx context.Context, read func(doc string, of [2][]byte), ids ...string) error {
	return x.each(ctx, func(scan func(...any) error) error {
		var doc string
		var of [2][]byte
		err := scan(&doc, &of[0], &of[1])
		read(doc, of)
		return err
	}, "select p.doc, v.text, v.picture from products p join vectors v on v.product = p.id where p.doc in (select value from json_each(?))", jsonOf(ids))
}

// packedOf returns the vectors of a product in a space.
func packedOf(p catalog.Product, space string) [2][]byte {
	text, picture := p.In(space).Compared()
	return [2][]byte{packed(text), packed(picture)}
}
