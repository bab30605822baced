package siege

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
)

// Requests a second that the function does on one core, with a model that
// answers at once.
//
//	go test -run x -bench OneCore -benchtime 2000x ./function/siege
func BenchmarkOneCore(b *testing.B) {
	w := emulate.Start(b, emulate.Firestore, emulate.Gemini, emulate.Storage)
	answering(w, b.N, 0)
	p := start(b, w, "GOMAXPROCS=1")
	photo := small()
	turns := make(chan int, b.N)
	for n := range b.N {
		turns <- n
	}
	close(turns)
	b.ResetTimer()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for n := range turns {
				resp, err := http.Post(p.url()+"&fresh=true", "image/jpeg", bytes.NewReader(append(numbered(n), photo[2:]...)))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					b.Errorf("photo %d: %s, want 200", n, resp.Status)
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(p.memory(b, "VmHWM"), "peak-MB")
}
