package siege

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
)

// seen is the model's answer for every photo here: enough that one call suffices.
const seen = `{"visible_text":[{"text":"HAETSAL","clear":true},{"text":"Barley Tea 500 ml","clear":true}],
"codes":[],"name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"dates":[],"category":"Beverage","image_features":"green bottle",
"key_features":["barley tea","500 ml","haetsal","green bottle","plastic bottle","no sugar","tea","label"],
"product_name":"Barley Tea","brand":"Haetsal","product_name_confidence":0.95,"brand_confidence":0.95,
"known_product":"yes","products_seen":1,"side":"front","not_product":false,"description":""}`

// answering makes the model give n such answers, each after latency.
func answering(w *emulate.World, n int, latency time.Duration) { answeringWith(w, seen, n, latency) }

// answeringWith makes the model give this answer n times.
func answeringWith(w *emulate.World, text string, n int, latency time.Duration) {
	w.Gemini.Script(slices.Repeat([]emulated.Answer{{Kind: answers.KindImage, Text: text}}, n)...)
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: latency})
}

// A tally counts the answers to a crowd.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int
	took     []time.Duration // of the answers 200, from the first try on
	wrong    []string
}

func (c *tally) add(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.statuses == nil {
		c.statuses = map[int]int{}
	}
	c.statuses[status]++
}

func (c *tally) served(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
}

func (c *tally) blame(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// percentile returns the time within which n percent were served.
func (c *tally) percentile(n int) time.Duration {
	if len(c.took) == 0 {
		return 0
	}
	slices.Sort(c.took)
	return c.took[(len(c.took)-1)*n/100].Round(10 * time.Millisecond)
}

// ask posts photo n until it is served, if patient, as a client does that obeys
// Retry-After, and once otherwise.
func (c *tally) ask(p *instance, n int, patient bool) {
	for begin := time.Now(); ; {
		wait, again := c.post(p, n)
		if !again {
			c.served(time.Since(begin))
			return
		}
		if !patient {
			return
		}
		time.Sleep(wait)
	}
}

// post posts photo n once, and says when to try again.
func (c *tally) post(p *instance, n int) (wait time.Duration, again bool) {
	body, length := distinct(n)
	req, err := http.NewRequest(http.MethodPost, p.url(), body)
	if err != nil {
		panic(err)
	}
	req.ContentLength = length
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.blame("photo %d: %v", n, err)
		return 0, false
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	var result struct {
		Name string `json:"product_name"`
		Code string `json:"code"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &result)
	}
	if err != nil {
		c.blame("photo %d: %s, %q: %v", n, resp.Status, answer, err)
		return 0, false
	}
	c.add(resp.StatusCode)
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	switch {
	case resp.StatusCode == http.StatusOK && result.Name == "Barley Tea":
		return 0, false
	case (resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests) && seconds > 0:
		return time.Duration(seconds) * time.Second, true
	}
	c.blame("photo %d: %s, Retry-After %q, %s", n, resp.Status, resp.Header.Get("Retry-After"), answer)
	return 0, false
}

// A hundred clients come at once with a photo of 12 megapixels each, every other one
// to be turned, which takes a tenth of a second of a core and some 15 MB. Every
// tenth client obeys Retry-After and is served in the end, and what the instance has
// in memory is enough. Where garbage is collected early, what is measured is what is
// held: that shows that no more photos are decoded at a time than there is room for.
func TestCrowdOfClients(t *testing.T) {
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it takes half a minute of both cores: set WHATIS_SIEGE=1")
	}
	for _, test := range []struct {
		name string
		env  []string
		most float64 // MB
	}{
		{"as deployed", nil, 512},
		{"what is held", []string{"GOGC=20"}, 300},
	} {
		t.Run(test.name, func(t *testing.T) { crowd(t, test.most, test.env...) })
	}
}

// crowd sends the requests of a hundred clients to a process with env, whose memory must
// stay below most MB.
func crowd(t *testing.T, most float64, env ...string) {
	const clients, patient = 100, 10
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	answering(w, 10*clients, 300*time.Millisecond)
	p := start(t, w, env...)
	idle := p.memory(t, "VmRSS")
	var c tally
	var group sync.WaitGroup
	begin := time.Now()
	for n := range clients {
		group.Go(func() { c.ask(p, n, n%(clients/patient) == 0) })
	}
	group.Wait()
	peak := p.memory(t, "VmHWM")
	t.Logf("%d clients: %d × 200, %d × 503, %d × 429 in %s; p50 %s, p95 %s; idle %.0f MB, peak %.0f MB", clients,
		c.statuses[200], c.statuses[503], c.statuses[429], time.Since(begin).Round(100*time.Millisecond), c.percentile(50), c.percentile(95), idle, peak)
	if len(c.wrong) > 0 {
		t.Errorf("%d answers are wrong, such as: %s", len(c.wrong), c.wrong[0])
	}
	if c.statuses[200] < patient {
		t.Errorf("%d clients were served, want the %d patient ones at least", c.statuses[200], patient)
	}
	if peak >= most {
		t.Errorf("the process took %.0f MB, want under %.0f", peak, most)
	}
}
