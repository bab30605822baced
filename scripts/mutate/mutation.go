package main

import (
	"fmt"
	"slices"
	"strings"
)

// A mutation is one breakage: in file, from becomes to. Then the run, named FILE/RUN
// without its ending, must fail with a text that holds says.
type mutation struct {
	file, from, to string
	run, says      string
}

// apply returns the text of its file, broken.
func (m mutation) apply(text string) (string, error) {
	if n := strings.Count(text, m.from); n != 1 {
		return "", fmt.Errorf("%s holds %q %d times, want once", m.file, m.from, n)
	}
	return strings.Replace(text, m.from, m.to, 1), nil
}

// noticed reports that its run failed as it must.
func (m mutation) noticed(found []diagnostic) bool {
	for _, d := range found {
		if d.run == m.run && strings.Contains(d.text, m.says) {
			return true
		}
	}
	return false
}

// batches parts mutations so that no two of a batch share a run, and whatever a run says
// is about one of them, or a place.
func batches(mutations []mutation) [][]mutation {
	var parted [][]mutation
	for _, m := range mutations {
		n := slices.IndexFunc(parted, func(batch []mutation) bool { return !slices.ContainsFunc(batch, m.collides) })
		if n < 0 {
			parted, n = append(parted, nil), len(parted)
		}
		parted[n] = append(parted[n], m)
	}
	return parted
}

func (m mutation) collides(other mutation) bool {
	return m.run == other.run || m.file == other.file && m.from == other.from
}
