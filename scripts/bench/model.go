//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"example.com/whatis/internal/catalog"
)

// A way is one through the decision table.
type way string

const (
	byImage  way = "image"
	byLocal  way = "local_db"
	byGoogle way = "google_search"
	bySearch way = "search" // of the catalogue
)

// A model answers every request at once, from memory, the way that is set. It
// counts the bytes that it is sent.
type model struct {
	server *http.Server
	url    string
	way    atomic.Value // way
	boxes  atomic.Value // string: the JSON of the codes that it sees
	calls  atomic.Int64
	asked  atomic.Int64 // of these, to generate
	bytes  atomic.Int64
}

func newModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: m}
	m.answer(byImage, "[]")
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

// answer sets how the model answers from now on.
func (m *model) answer(w way, boxes string) {
	m.way.Store(w)
	m.boxes.Store(boxes)
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.calls.Add(1)
	m.bytes.Add(int64(len(body)))
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(r.URL.Path, "mbed") {
		_, _ = w.Write(m.embeddings(body))
		return
	}
	m.asked.Add(1)
	_, _ = w.Write(m.generated(body))
}

// The schemas of whatis' questions, by a field that no other has.
var (
	asksToRead      = []byte(`"visible_text"`)
	asksToJudge     = []byte(`"confirmed"`)
	asksToStructure = []byte(`"supported"`)
	asksForIntent   = []byte(`"unwanted"`)
)

// generated returns the answer to a question, as the service sends it.
func (m *model) generated(body []byte) []byte {
	schema := body[max(0, bytes.LastIndex(body, []byte(`"responseJsonSchema"`))):] // photo and texts stand before it
	switch {
	case bytes.Contains(schema, asksToJudge):
		return candidate(`{"seen":"HAETSAL","name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"category":"Beverage",`+
			`"product_name":"Barley Tea","brand":"Haetsal","product_name_confidence":0.5,"brand_confidence":0.5,"confirmed":true,"pick":1,"reason":"same"}`, "")
	case bytes.Contains(schema, asksToStructure):
		return candidate(`{"evidence":"tea","supported":["barley tea"],"product_name":"Barley Tea","brand":"Haetsal","category":"Beverage","found":true,"probability":0.8}`, "")
	case bytes.Contains(schema, asksForIntent):
		return candidate(`{"lang":"en","wanted":[],"unwanted":[],"preferred":[],"ranges":[],"products":[],"shown":[],"reference":"none","compared":[],"about":[],"face":"none","skin":"none","meant":"","in_stock":false,"sort":"relevance","counted":"none","intent":"search_product"}`, "")
	case bytes.Contains(schema, asksToRead):
		return candidate(m.reading(), "")
	}
	return candidate("It is Haetsal Barley Tea.", `,"groundingMetadata":{"webSearchQueries":["haetsal"],`+
		`"groundingChunks":[{"web":{"uri":"https://shop.example","title":"shop"}}],`+
		`"groundingSupports":[{"segment":{"endIndex":25,"text":"It is Haetsal Barley Tea."},"groundingChunkIndices":[0]}]}`)
}

// reading returns what the model says of every photo: sure of it or not, as the way
// wants.
func (m *model) reading() string {
	sure := "0.95"
	if m.way.Load() != byImage {
		sure = "0.5"
	}
	return `{"visible_text":[{"text":"HAETSAL","clear":true},{"text":"Barley Tea 500 ml","clear":true}],"codes":` + m.boxes.Load().(string) +
		`,"name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"dates":[],"category":"Beverage","image_features":"green bottle",` +
		`"key_features":["barley tea","500 ml","haetsal","green bottle","plastic bottle","no sugar","tea","label"],"product_name":"Barley Tea","brand":"Haetsal",` +
		`"product_name_confidence":` + sure + `,"brand_confidence":` + sure + `,"known_product":"yes","products_seen":1,"side":"front","not_product":false,"description":""}`
}

// candidate returns an answer of the service, with more behind its content.
func candidate(text, more string) []byte {
	quoted, _ := json.Marshal(text)
	return []byte(`{"candidates":[{"content":{"role":"model","parts":[{"text":` + string(quoted) + `}]},"finishReason":"STOP"` + more + `}],` +
		`"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":200,"totalTokenCount":1200},"modelVersion":"gemini-3.5-flash-lite"}`)
}

// axis returns a vector near one axis: products lie on the first, and photos that the catalogue
// does not know on the second. Its other components are small, but have as many digits as those
// of real embeddings, which take most of the time to read one.
func axis(n int) []float32 {
	v := make([]float32, catalog.Dimensions)
	for i := range v {
		v[i] = float32(math.Sin(float64(i+1)) / 1000)
	}
	v[n] = 1
	return v
}

// embeddings returns the vectors of all that a request has.
func (m *model) embeddings(body []byte) []byte {
	var asked struct{ Requests []json.RawMessage }
	if json.Unmarshal(body, &asked) != nil || len(asked.Requests) == 0 {
		asked.Requests = []json.RawMessage{body}
	}
	type embedding struct {
		Values []float32 `json:"values"`
	}
	var answer struct {
		One embedding   `json:"embedding"`
		All []embedding `json:"embeddings"`
	}
	for _, one := range asked.Requests {
		answer.All = append(answer.All, embedding{m.vector(one)})
	}
	answer.One = answer.All[0]
	data, _ := json.Marshal(answer)
	return data
}

// vector is that of one content. In a search a picture is near what is called eyewear.
func (m *model) vector(content []byte) []float32 {
	picture, eyewear := bytes.Contains(content, []byte(`"inlineData"`)), bytes.Contains(content, []byte("eyewear"))
	if w := m.way.Load(); w == byGoogle || w == bySearch && !picture && !eyewear {
		return axis(1)
	}
	return axis(0)
}
