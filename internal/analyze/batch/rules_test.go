package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
)

// The item of a photo, and the first columns of its CSV row. The result itself is
// unchanged.
func TestOutcomes(t *testing.T) {
	tests := []struct{ result, want, line string }{
		{`{"product_name":"Tea","brand":"B","source":"image"}`, "image Tea", "image,image,Tea"},
		{`{"product_name":"Tea","source":"google_search"}`, "google_search Tea", "google_search,google_search,Tea"},
		{`{"product_name":"Tea","source":"google_search","warnings":["emulated_model","unidentified"]}`, "unidentified Tea", "unidentified,unidentified,Tea"},
		{`{"product_name":"","source":"google_search","warnings":["unidentified"]}`, "unidentified ", "unidentified,unidentified,"},
		{`{"error":"Unable to identify product image","description":"x"}`, "no_product ", "no_product,,"},
		{`{"error":"analysis_failed","message":"x","warnings":["unidentified"]}`, "failed ", "failed,,"},
		{`{"product_name":"Tea","cost_usd":"0.1","source":"image"}`, "failed ", "failed,,"}, // another version's
	}
	for _, test := range tests {
		var s stored
		s.setResult(jobs.Outcome{Result: []byte(test.result)}, false)
		line := s.csvRow()
		if got := s.Outcome + " " + s.ProductName; got != test.want || s.Result != test.result {
			t.Errorf("take(%s) = %q, want %q", test.result, got, test.want)
		}
		if strings.Join(line[1:4], ",") != test.line {
			t.Errorf("line(%s) = %q, want %s from its second column on", test.result, line, test.line)
		}
	}
}

func TestTenth(t *testing.T) {
	tests := []struct {
		number int
		want   string
	}{
		{1, "[]"}, {2, "[0]"}, {3, "[0 1]"}, {10, "[0 1 2 3 4 5 6 7 8]"}, {20, "[1 3 5 7 9 11 13 15 17]"}, {25, "[2 4 7 9 12 14 17 19 22]"},
	}
	for _, test := range tests {
		at := []int{}
		for i := range test.number {
			if (document{Number: test.number}).tenth(i) {
				at = append(at, i)
			}
		}
		if got := fmt.Sprint(at); got != test.want {
			t.Errorf("the tenths of %d photos end at %s, want %s", test.number, got, test.want)
		}
	}
}

// numbered returns a listing of n photos with other objects between them.
func numbered(n int) iter.Seq2[blob.Listed, error] {
	return func(yield func(blob.Listed, error) bool) {
		for i := range n {
			for _, name := range []string{fmt.Sprintf("%06d.jpg", i), fmt.Sprintf("%06d.txt", i)} {
				if !yield(blob.Listed{ObjectRef: blob.ObjectRef{Name: name}}, nil) {
					return
				}
			}
		}
	}
}

func TestSample(t *testing.T) {
	tests := []struct {
		d    document
		of   int
		want int
		err  error
	}{
		{document{}, 0, 0, nil},
		{document{}, 100_000, 100_000, nil},
		{document{}, 100_001, 0, ErrRequest},
		{document{Sample: 3}, 2, 2, nil},
		{document{Sample: 3}, 200_000, 3, nil},
		{document{Sample: 3, Random: true, Seed: "1"}, 2, 2, nil},
		{document{Sample: 500, Random: true, Seed: "18446744073709551615"}, 200_000, 500, nil},
	}
	for _, test := range tests {
		photos, err := test.d.sampleOf(photosIn(numbered(test.of)))
		sorted := slices.IsSortedFunc(photos, func(a, b photo) int { return strings.Compare(a.Name, b.Name) })
		if !errors.Is(err, test.err) || len(photos) != test.want || !sorted || len(photos) > 0 && photos[len(photos)-1].Index != len(photos)-1 {
			t.Errorf("%+v of %d photos: %d, %v, sorted %v; want %d, %v", test.d, test.of, len(photos), err, sorted, test.want, test.err)
		}
	}
}

// Every photo is as likely to be drawn as any other.
func TestSampleIsFair(t *testing.T) {
	const draws, of, size = 3000, 20, 5
	var drawn [of]int
	for seed := range draws {
		photos, err := (document{Sample: size, Random: true, Seed: Seed(fmt.Sprint(seed))}).sampleOf(photosIn(numbered(of)))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range photos {
			var i int
			fmt.Sscanf(p.Name, "%06d", &i)
			drawn[i]++
		}
	}
	for i, n := range drawn {
		if mean := draws * size / of; n < mean*8/10 || n > mean*12/10 {
			t.Errorf("photo %d was drawn %d times of %d, want about %d", i, n, draws, mean)
		}
	}
}

func TestReadList(t *testing.T) {
	tests := []struct {
		text string
		want string
		ok   bool
	}{
		{"[]\n", "", true}, {`[{"name":"a"},{"name":"b"}]`, "ab", true}, {`[{"name":"a"}`, "a", false}, {`[{"name":"a"},`, "a", false}, {"", "", false}, {"[1]", "", false},
	}
	for _, test := range tests {
		var got string
		var failed error
		for p, err := range readList[photo](strings.NewReader(test.text)) {
			got, failed = got+p.Name, err
		}
		if got != test.want || (failed == nil) != test.ok {
			t.Errorf("readList(%q) = %q, %v; want %q, whole %v", test.text, got, failed, test.want, test.ok)
		}
	}
}

func TestPlace(t *testing.T) {
	p := place{time.UnixMicro(1_700_000_000_123_456), 42}
	if got, err := parsePlace(p.String()); err != nil || got != p {
		t.Errorf("parsePlace(%s) = %v, %v", p, got, err)
	}
	for _, bad := range []string{"x", "1", "1.", ".1", "1.x", "-1.1", "1.-2", "1.100000", "999999999999999999.1", strings.Repeat("9", 300)} {
		if got, err := parsePlace(bad); !errors.Is(err, ErrPlace) {
			t.Errorf("parsePlace(%q) = %v, %v; want ErrPlace", bad, got, err)
		}
	}
}

func TestSeedInJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"seed":"18446744073709551615"}`: "18446744073709551615", `{"seed":18446744073709551615}`: "18446744073709551615", `{"seed":"7"}`: "7", `{"seed":7}`: "7",
		`{"seed":""}`: "", `{"seed":null}`: "", `{}`: "",
	} {
		var r Request
		if err := json.Unmarshal([]byte(text), &r); err != nil || string(r.Seed) != want {
			t.Errorf("%s: seed %q, %v; want %q", text, r.Seed, err, want)
		}
	}
	for _, text := range []string{`{"seed":"seven"}`, `{"seed":true}`, `{"seed":[]}`} {
		if err := json.Unmarshal([]byte(text), &Request{}); err == nil {
			t.Errorf("%s was understood", text)
		}
	}
	if data, err := json.Marshal(Status{Seed: "18446744073709551615"}); err != nil || !strings.Contains(string(data), `"seed":"18446744073709551615"`) {
		t.Errorf("a status says %s, %v; want the seed as text", data, err)
	}
}
