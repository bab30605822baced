package batch

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"path"
	"slices"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	pictures "example.com/whatis/internal/photo"
)

// maxPhotos is how many photos a batch has at most.
const maxPhotos = 100_000

// A photo is an entry of the manifest and of tasks.
type photo struct {
	Index      int    `json:"index"` // in listing order, from 0
	Name       string `json:"name"`
	Generation int64  `json:"generation,string"`
	Size       int64  `json:"size"`

	More []photo `json:"more,omitempty"` // the further photos of a group, of which this is the first
}

// bytes returns the size of a photo, or of all photos of a group.
func (p photo) bytes() int64 {
	all := p.Size
	for _, m := range p.More {
		all += m.Size
	}
	return all
}

// photosIn returns the photos in a listing.
func photosIn(all iter.Seq2[blob.Listed, error]) iter.Seq2[photo, error] {
	return func(yield func(photo, error) bool) {
		for o, err := range all {
			if err == nil && !isPhoto(o) {
				continue
			}
			if !yield(photo{Name: o.Name, Generation: o.Generation, Size: o.Size}, err) || err != nil {
				return
			}
		}
	}
}

// byFolder returns the photos of each folder as one group, in the order of their first
// photos. Photos of one folder need not follow each other in a listing.
func (d document) byFolder(all iter.Seq2[photo, error]) iter.Seq2[photo, error] {
	return func(yield func(photo, error) bool) {
		var groups []photo
		at := map[string]int{}
		n := 0
		for p, err := range all {
			folder := path.Dir(p.Name)
			i, had := at[folder]
			switch n++; {
			case err != nil:
			case n > maxPhotos:
				err = fmt.Errorf("%w: there are more than %d photos under %s: send a longer prefix", ErrRequest, maxPhotos, d.uri(d.Prefix))
			case had && len(groups[i].More) == intake.MaxGroup-1:
				err = fmt.Errorf("%w: %s has more than %d photos, and with group=folder a folder has those of one product: give each product a folder of its own, or leave group out", ErrRequest, d.uri(folder+"/"), intake.MaxGroup)
			case had:
				groups[i].More = append(groups[i].More, p)
			default:
				at[folder] = len(groups)
				groups = append(groups, p)
			}
			if err != nil {
				yield(photo{}, err)
				return
			}
		}
		for _, g := range groups {
			if !yield(g, nil) {
				return
			}
		}
	}
}

// isPhoto reports whether o has the name of a photo and is not a result.
func isPhoto(o blob.Listed) bool {
	return pictures.Named(o.Name) && !blob.IsResult(o.Metadata)
}

// sampleOf returns the photos, or groups of them, of a listing that d wants, in listing order. A random
// sample is drawn in one pass that holds only the sample in memory (Vitter's
// algorithm R): photo i, counted from 0, is added until the sample is full; later
// ones replace the photo at IntN(i+1) of PCG(seed, 0), if that is inside the sample.
// So the same seed and listing draw the same photos.
func (d document) sampleOf(all iter.Seq2[photo, error]) ([]photo, error) {
	seed, _ := d.Seed.number() // 0 unless random
	random := rand.New(rand.NewPCG(seed, 0))
	size := cmp.Or(d.Sample, maxPhotos)
	var chosen []photo
	seen := 0
	for p, err := range all {
		if err != nil {
			return nil, err
		}
		p.Index = seen
		seen++
		if len(chosen) < size {
			chosen = append(chosen, p)
			continue
		}
		if d.Sample == 0 {
			return nil, fmt.Errorf("%w: there are more than %d photos under %s: send a longer prefix, or sample", ErrRequest, maxPhotos, d.uri(d.Prefix))
		}
		if !d.Random {
			break
		}
		if i := random.IntN(seen); i < size {
			chosen[i] = p
		}
	}
	slices.SortFunc(chosen, func(a, b photo) int { return a.Index - b.Index })
	for i := range chosen {
		chosen[i].Index = i
	}
	return chosen, nil
}

// A list writes a JSON array, one element a line.
type list struct {
	w     *bufio.Writer
	some  bool
	lines *json.Encoder
}

func newList(w io.Writer) *list {
	l := &list{w: bufio.NewWriterSize(w, 64<<10)}
	l.lines = json.NewEncoder(l.w)
	l.lines.SetEscapeHTML(false)
	return l
}

func (l *list) add(v any) error {
	before := "["
	if l.some {
		before = ","
	}
	l.some = true
	if _, err := l.w.WriteString(before); err != nil {
		return err
	}
	return l.lines.Encode(v)
}

func (l *list) end() error {
	after := "]\n"
	if !l.some {
		after = "[]\n"
	}
	if _, err := l.w.WriteString(after); err != nil {
		return err
	}
	return l.w.Flush()
}

// readList iterates over the elements of a list, until its end or an error.
func readList[T any](r io.Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		d := json.NewDecoder(r)
		_, err := d.Token() // [
		for err == nil && d.More() {
			var v T
			if err = d.Decode(&v); err == nil && !yield(v, nil) {
				return
			}
		}
		if err == nil {
			_, err = d.Token() // ], missing in a truncated list
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}
