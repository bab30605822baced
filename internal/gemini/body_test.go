package gemini

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// listening returns the address of a model that refuses the first calls with 503 and then
// answers text, and the bodies of all.
func listening(t *testing.T, refused int, text string) (url string, bodies *[][]byte) {
	t.Helper()
	bodies = &[][]byte{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.ContentLength != int64(len(body)) || len(r.TransferEncoding) > 0 {
			t.Errorf("the body has %d bytes, %v; Content-Length is %d, %q", len(body), err, r.ContentLength, r.TransferEncoding)
		}
		if *bodies = append(*bodies, body); len(*bodies) <= refused {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		quoted, _ := json.Marshal(text)
		_, _ = fmt.Fprintf(w, `{"modelVersion":"gemini-3.6-flash","candidates":[{"finishReason":"STOP","content":{"parts":[{"text":%s}]}}]}`, quoted)
	}))
	t.Cleanup(s.Close)
	return s.URL, bodies
}

// Photos are sent whole and in their place: by a second try, by a second model, and where a
// small part stays in the SDK's JSON.
func TestPhotosAreSentInTheirPlace(t *testing.T) {
	large, other, small := bytes.Repeat([]byte("0123456789\xff"), 1000), bytes.Repeat([]byte{7}, markFrom), []byte("tiny\x00")
	url, bodies := listening(t, 1, "{}")
	c := open(t, Config{BaseURL: url, Backoff: time.Millisecond})
	words := "between " + base64.StdEncoding.EncodeToString(large[:30]) + ` "data":"`
	r := Request{Model: judge, System: "Look.", Parts: []Part{Text("first"), Blob("image/jpeg", large), Text(words), Blob("image/png", small), Blob("image/jpeg", other), Blob("image/jpeg", large)}}
	ctx := WithAccount(t.Context(), &Account{Attempts: 2})
	for _, model := range []string{judge, "gemini-3.5-flash-lite"} {
		r.Model = model
		if _, err := c.Generate(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if len(*bodies) != 3 {
		t.Fatalf("%d requests, want 3", len(*bodies))
	}
	type part struct {
		Text       string
		InlineData *struct {
			MimeType string
			Data     []byte
		}
	}
	for i, body := range *bodies {
		var sent struct{ Contents []struct{ Parts []part } }
		if err := json.Unmarshal(body, &sent); err != nil || len(sent.Contents) != 1 {
			t.Fatalf("body %d: %v: %.300s", i, err, body)
		}
		var got [][]byte
		for _, p := range sent.Contents[0].Parts {
			if p.InlineData == nil {
				got = append(got, []byte(p.Text))
			} else {
				got = append(got, p.InlineData.Data)
			}
		}
		if want := [][]byte{[]byte("first"), large, []byte(words), small, other, large}; !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("body %d has the parts %.200q, want %.200q", i, got, want)
		}
	}
}

// A repair of an answer is asked without the photo.
func TestRepairHasNoPhoto(t *testing.T) {
	url, bodies := listening(t, 0, spoiltNumber)
	c := open(t, Config{BaseURL: url, Backoff: time.Millisecond})
	r := Request{Model: judge, Parts: []Part{Blob("image/jpeg", make([]byte, 2*markFrom)), Text("which verdict?")}}
	_, _, _ = Generate[verdict](WithAccount(t.Context(), &Account{Attempts: 3}), c, r, nil)
	if len(*bodies) < 2 {
		t.Fatalf("%d requests, want a repair", len(*bodies))
	}
	if repair := string((*bodies)[1]); strings.Contains(repair, "inlineData") || !strings.Contains(repair, "which verdict?") {
		t.Errorf("the repair is %.300s", repair)
	}
}

// An encoder gives what the whole encoding has, wherever a reader stops.
func TestEncoder(t *testing.T) {
	for size := range 20 {
		data := []byte("\xff\xfe0123456789abcdefgh")[:size]
		want := base64.StdEncoding.EncodeToString(data)
		for length := 1; length < 30; length++ {
			var got []byte
			r, p := &encoder{data: data}, make([]byte, length)
			for {
				n, err := r.Read(p)
				got = append(got, p[:n]...)
				if err == io.EOF {
					break
				}
			}
			if string(got) != want {
				t.Fatalf("%d bytes, read %d at a time: %q, want %q", size, length, got, want)
			}
		}
	}
}

// Long data have the encoding of the standard library, whatever their length and what they are
// read to.
func TestEncoderOfLongData(t *testing.T) {
	data := make([]byte, 3000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	for size := range len(data) {
		data, want := data[len(data)-size:], base64.StdEncoding.EncodeToString(data[len(data)-size:])
		const around = 40
		p := bytes.Repeat([]byte{'!'}, len(want)+2*around)
		to := p[around : around+len(want)]
		n, err := (&encoder{data: data}).Read(to)
		if got := string(to); got != want || n != len(want) || err != nil && (size > 0 || err != io.EOF) {
			t.Fatalf("Read of %d bytes = %d, %v, %.50q…, want %d, %.50q…", size, n, err, got, len(want), want)
		}
		if s := string(p[:around]) + string(p[around+len(want):]); s != strings.Repeat("!", 2*around) {
			t.Fatalf("%d bytes: Read writes beside what it is given: %q", size, s)
		}
		if got, err := io.ReadAll(iotest.HalfReader(&encoder{data: data})); string(got) != want || err != nil {
			t.Fatalf("%d bytes in halves: %.50q…, %v, want %.50q…", size, got, err, want)
		}
	}
}

// A call makes no copy of its photo.
func TestBytesOfCalls(t *testing.T) {
	const size = 1 << 20
	url := raw(t, http.StatusOK, nil, `{"modelVersion":"gemini-3.6-flash","candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"{}"}]}}]}`)
	c := open(t, Config{BaseURL: url})
	r := Request{Model: judge, Parts: []Part{Blob("image/jpeg", make([]byte, size)), Text("x")}}
	least := uint64(math.MaxUint64) // as others allocate too, and the first call connects
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.Generate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > size/4 {
		t.Errorf("a call with a photo of %d bytes allocates %d bytes, want %d at most", size, least, size/4)
	}
}
