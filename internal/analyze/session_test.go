package analyze_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

// noise returns a photo that JPEG cannot compress well.
func noise(t *testing.T, width, height int) *photo.Photo {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.UintN(256))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	p, err := photo.Prepare(b.Bytes(), photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// paidFor returns a journal with the paid calls of a run of b, so that runs with it
// do only the agents' own work.
func paidFor(t *testing.T, b *bench) jobs.Checkpoints {
	t.Helper()
	kept := map[string]json.RawMessage{}
	b.journal = jobs.Checkpoints{Keep: func(_ context.Context, key string, value json.RawMessage) error {
		kept[key] = value
		return nil
	}}
	b.Gemini.Script(analysis(nil))
	if r, err := b.run(nil); err != nil || r.Source != analyze.FromImage {
		t.Fatalf("Run = %q, %v; want it from the image", r.Source, err)
	}
	return jobs.Checkpoints{Kept: kept}
}

// A photo never enters a session: the session of a run is small, its JSON has no part
// of the photo, and a photo of 1.2 MB allocates no more than one of 4 kB.
func TestPhotoStaysOutOfTheSession(t *testing.T) {
	b := newBench(t, nil)
	small, large := noise(t, 64, 48), noise(t, 1440, 860)
	if len(large.Sent) < 1_200_000 {
		t.Fatalf("the photo has %d bytes, too few to tell", len(large.Sent))
	}
	var bytesOf [2]uint64
	for i, p := range []*photo.Photo{small, large} {
		b.req.Photo = p
		kept, allocated := sessionOf(t, b, paidFor(t, b))
		if len(kept) > 20_000 || bytes.Contains(kept, []byte(base64.StdEncoding.EncodeToString(p.Sent[:300]))) {
			t.Errorf("the session holds %d bytes of a run with a photo of %d bytes, want 20,000 at most and none of the photo", len(kept), len(p.Sent))
		}
		bytesOf[i] = allocated
	}
	if most := bytesOf[0] + uint64(len(large.Sent))/8; bytesOf[1] > most {
		t.Errorf("a run allocates %d bytes with a photo of %d bytes, and %d with one of %d: want it to copy none of it",
			bytesOf[1], len(large.Sent), bytesOf[0], len(small.Sent))
	}
	t.Logf("a run allocates %d bytes with a photo of %d bytes, %d with one of %d", bytesOf[1], len(large.Sent), bytesOf[0], len(small.Sent))
}

// sessionOf returns the session of a run of b as JSON, and how many bytes a run
// allocates, including writing the session: the least of twenty runs, as other goroutines
// allocate too, and the race detector has pools lose what they hold.
func sessionOf(t *testing.T, b *bench, paid jobs.Checkpoints) (kept []byte, allocated uint64) {
	t.Helper()
	allocated = math.MaxUint64
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		service := session.InMemoryService()
		a, err := b.pipeline.Begun(b.req)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runner.New(runner.Config{AppName: "test", Agent: a, SessionService: service, AutoCreateSession: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Run(jobs.WithCheckpoints(t.Context(), paid), "u", "s", nil, adk.RunConfig{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		kept = written(t, service)
		runtime.ReadMemStats(&after)
		allocated = min(allocated, after.TotalAlloc-before.TotalAlloc)
	}
	return kept, allocated
}

// written returns the content of a service's session, as JSON.
func written(t *testing.T, service session.Service) []byte {
	t.Helper()
	got, err := service.Get(t.Context(), &session.GetRequest{AppName: "test", UserID: "u", SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for e := range got.Session.Events().All() {
		all = append(all, e)
	}
	state, err := got.Session.State().Get("image_analysis")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(append(all, state))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
