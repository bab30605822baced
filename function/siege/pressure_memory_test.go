package siege

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

// What an instance takes for itself with its defaults, and so with the collector's setting
// (app.Platform.LimitMemory): when nobody has asked yet, and at most with photos of 0.3 MB by
// so many clients. The pages of its file, which the kernel shares and drops, do not count.
func TestMemory(t *testing.T) {
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it takes half a minute of both cores: set WHATIS_SIEGE=1")
	}
	for _, test := range []struct {
		clients, photos int
		most            float64 // MB
	}{{0, 0, 15}, {1, 300, 36}, {32, 600, 85}, {128, 600, 230}} {
		t.Run(fmt.Sprintf("%d clients", test.clients), func(t *testing.T) {
			w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
			answering(w, test.photos, 20*time.Millisecond)
			p := start(t, w)
			time.Sleep(time.Second) // until its clients are warm
			p.crowdOf(t, test.clients, test.photos)
			got := p.memory(t, "VmHWM") - p.memory(t, "RssFile")
			t.Logf("%d photos of %d kB: %.0f MB", test.photos, len(grainy())/1000, got)
			if got > test.most {
				t.Errorf("%d photos take %.0f MB, want %.0f at most", test.photos, got, test.most)
			}
		})
	}
}

// crowdOf posts n photos of 0.3 MB by so many clients at once. Each must be served.
func (p *instance) crowdOf(t *testing.T, clients, n int) {
	photo, turns := grainy(), make(chan int, n)
	for i := range n {
		turns <- i
	}
	close(turns)
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for i := range turns {
				resp, err := http.Post(p.url(), "image/jpeg", bytes.NewReader(append(numbered(i), photo[2:]...)))
				if err != nil {
					t.Errorf("photo %d: %v", i, err)
					return
				}
				answer, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("photo %d: %s, %s; want 200", i, resp.Status, answer)
				}
			}
		})
	}
	group.Wait()
}

// grainy is a picture of 1280 × 960 with sensor noise: some 0.3 MB.
var grainy = sync.OnceValue(func() []byte {
	m := image.NewYCbCr(image.Rect(0, 0, 1280, 960), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Y {
		m.Y[i] = byte(60 + i%m.YStride/10 + r.IntN(44))
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(i>>11), byte(i>>12)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 80}); err != nil {
		panic(err) // to memory
	}
	return b.Bytes()
})
