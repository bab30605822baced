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
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

// What a photo costs of the function's own processor time, with the defaults and a
// model that answers at once and saw no code: image at the price of one call.
//
//	go test -run x -bench OwnCPU -benchtime 50x ./function/siege
func BenchmarkOwnCPU(b *testing.B) {
	third := photoOf(1280, 960)
	for _, test := range []struct {
		name string
		body func(n int) []byte
	}{
		{"0.3MB", func(n int) []byte { return append(numbered(n), third[2:]...) }},
		{"12MP/upright", func(n int) []byte { return whole(2 * n) }},
		{"12MP/turned", func(n int) []byte { return whole(2*n + 1) }},
		{"12MP/same bytes again", func(int) []byte { return whole(0) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			w := emulate.Start(b, emulate.Firestore, emulate.Gemini, emulate.Storage)
			answering(w, b.N+1, 0)
			p := start(b, w)
			p.mustServe(b, test.body(0))
			begin := p.processorTime(b)
			for n := range b.N {
				p.mustServe(b, test.body(n+1))
			}
			used := p.processorTime(b) - begin
			b.ReportMetric(float64(used)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
		})
	}
}

// photoOf returns a JPEG with the detail of a real photo.
func photoOf(width, height int) []byte {
	m := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	grain := rand.New(rand.NewPCG(2, 2))
	for i := range m.Y {
		m.Y[i] = uint8(60 + i%width/20 + grain.IntN(34))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 85}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// whole returns all bytes of a distinct photo.
func whole(n int) []byte {
	body, length := distinct(n)
	data := make([]byte, length)
	if _, err := io.ReadFull(body, data); err != nil {
		panic(err)
	}
	return data
}

func (p *instance) mustServe(b *testing.B, data []byte) {
	b.Helper()
	resp, err := http.Post(p.url(), "image/jpeg", bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s", resp.Status, answer)
	}
}

// processorTime returns the user and system time of the process so far, in ticks of
// 10 ms.
func (p *instance) processorTime(b *testing.B) time.Duration {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		b.Skipf("there is no /proc here to read processor time from: %v", err)
	}
	_, after, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(after)
	total := 0
	for _, f := range fields[11:13] { // utime and stime (proc_pid_stat(5))
		n, err := strconv.Atoi(f)
		if err != nil {
			b.Fatal(err)
		}
		total += n
	}
	return time.Duration(total) * 10 * time.Millisecond
}
