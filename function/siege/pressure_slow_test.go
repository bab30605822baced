package siege

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"net"
	"net/http"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
)

// small returns a photo that is analysed quickly.
func small() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 640, 480)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Clients that send their photos slowly hold the memory of an instance only until others
// need it. Sixteen of these fill it to the last byte, the others queue.
func TestTricklingClients(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	answering(w, 1, 0)
	p := start(t, w)
	for range 20 {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /analyze HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 3<<20)
		go func() {
			for _, err := c.Write([]byte{0xff}); err == nil; _, err = c.Write([]byte{0xd8}) {
				time.Sleep(100 * time.Millisecond)
			}
		}()
	}
	time.Sleep(time.Second) // all of them are in, or in the queue
	begin := time.Now()
	resp, err := http.Post(p.url(), "image/jpeg", bytes.NewReader(small()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	took := time.Since(begin)
	t.Logf("a photo among 20 that trickle: %s after %s", resp.Status, took.Round(10*time.Millisecond))
	if resp.StatusCode != http.StatusOK || took > 30*time.Second { // bodies have a minute
		t.Errorf("a photo among 20 that trickle: %s after %s, want 200 within seconds", resp.Status, took)
	}
}

// At SIGTERM what is under way is finished, or given up in time.
func TestSIGTERM(t *testing.T) {
	tests := []struct {
		name   string
		fault  emulated.Fault
		served bool
	}{
		{"finishes", emulated.Fault{Type: emulated.Latency, Delay: 2 * time.Second}, true},
		{"gives up", emulated.Fault{Type: emulated.Latency, Delay: time.Hour}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
			asked := make(chan bool, 1)
			w.Gemini.Script(emulated.Answer{Kind: answers.KindImage, Text: seen, Match: func(*emulated.Request) bool { asked <- true; return true }})
			w.Gemini.SetFaults(test.fault)
			p := start(t, w)
			served := make(chan bool, 1)
			go func() {
				resp, err := http.Post(p.url(), "image/jpeg", bytes.NewReader(small()))
				if err == nil {
					resp.Body.Close()
				}
				served <- err == nil && resp.StatusCode == http.StatusOK
			}()
			<-asked
			took, err := p.stop(t)
			most := 10*time.Second + 10*p.ready // what a start takes says how busy the machine is
			if got := <-served; err != nil || got != test.served || took > most {
				t.Errorf("SIGTERM: %v after %s, request served %v; want exit 0 within %s, served %v", err, took.Round(time.Millisecond), got, most, test.served)
			}
			t.Logf("ended after %s", took.Round(time.Millisecond))
		})
	}
}
