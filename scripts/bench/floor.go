//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// A floor is a server that does for a photo what the function does besides thinking: the same
// calls of the model with as many photos, and if it stores, the same calls of Firestore by
// Google's client. It checks nothing, decides nothing and reads no pixel. It is written as
// carefully as that deserves: connections are kept, a photo is encoded once, questions are
// put together from bytes and answers are read into structs.
type floor struct {
	model  string // its address
	client *http.Client
	db     *firestore.Client // nil if it does not store
}

// work is what a floor does for a photo.
type work struct {
	Photos     int // calls that generate, with the photo
	Texts      int // and without it
	Embeddings int
	Writes     int // of documents
	Gets       int // of documents by name
	Queries    int // of equal values
	Nearest    int // of vectors
}

// modelWork are the function's calls of the model by the way that a photo's answer comes.
var modelWork = map[way]work{byImage: {Photos: 1}, byLocal: {Photos: 2, Embeddings: 1}, byGoogle: {Photos: 2, Texts: 1, Embeddings: 1}}

// workOf returns the work for a photo of that way where the function made those calls of
// Firestore for it; one query of vectors is made wherever something is embedded.
func workOf(w way, calls map[string]float64) work {
	todo := modelWork[w]
	todo.Writes, todo.Gets = int(calls["Commit"]+calls["BatchWrite"]), int(calls["BatchGetDocuments"])
	todo.Nearest = todo.Embeddings
	todo.Queries = max(0, int(calls["RunQuery"])-todo.Nearest)
	return todo
}

// serveFloor serves a floor that speaks to the model at that address, and stores if store is
// true, in the database that FIRESTORE_EMULATOR_HOST names.
func serveFloor(model string, store bool) error {
	app.Platform{MemoryMB: instanceMB}.LimitMemory() // as the function does
	f := &floor{model: model, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}}
	if store {
		var err error
		if f.db, err = firestore.NewClient(context.Background(), project); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		return err
	}
	return http.Serve(l, f)
}

func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var todo work
	photo := make([]byte, max(0, r.ContentLength))
	_, err := io.ReadFull(r.Body, photo)
	if err == nil && len(photo) > 0 {
		err = json.Unmarshal([]byte(r.URL.Query().Get("work")), &todo)
	}
	var answer reading
	if err == nil {
		answer, err = f.answer(r.Context(), photo, todo)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// A reading is what the model says of a photo, and the document that is kept of it.
type reading struct {
	Name            string    `json:"product_name" firestore:"product_name"`
	Brand           string    `json:"brand" firestore:"brand"`
	NameConfidence  float64   `json:"product_name_confidence" firestore:"product_name_confidence"`
	BrandConfidence float64   `json:"brand_confidence" firestore:"brand_confidence"`
	NamePrinted     string    `json:"name_as_printed" firestore:"name_as_printed"`
	BrandPrinted    string    `json:"brand_as_printed" firestore:"brand_as_printed"`
	Category        string    `json:"category" firestore:"category"`
	ImageFeatures   string    `json:"image_features" firestore:"image_features"`
	KeyFeatures     []string  `json:"key_features" firestore:"key_features"`
	Known           string    `json:"known_product" firestore:"known_product"`
	Seen            int       `json:"products_seen" firestore:"products_seen"`
	Hash            string    `json:"hash" firestore:"hash"`
	At              time.Time `json:"at" firestore:"at"`
}

// answer does the work for a photo.
func (f *floor) answer(ctx context.Context, photo []byte, todo work) (answer reading, err error) {
	for n := range todo.Photos {
		if n == 0 {
			photo = question(photo)
		}
		if err := f.generate(ctx, photo, &answer); err != nil {
			return reading{}, err
		}
	}
	for range todo.Texts {
		if err := f.generate(ctx, question(nil), &reading{}); err != nil {
			return reading{}, err
		}
	}
	var vector []float32
	for range todo.Embeddings {
		if vector, err = f.embed(ctx, "barley tea 500 ml haetsal"); err != nil {
			return reading{}, err
		}
	}
	if f.db == nil || len(photo) == 0 {
		return answer, nil
	}
	sum := sha256.Sum256(photo)
	answer.Hash, answer.At = hex.EncodeToString(sum[:]), time.Now()
	return answer, f.store(ctx, answer, vector, todo)
}

// store makes the calls of Firestore.
func (f *floor) store(ctx context.Context, answer reading, vector []float32, todo work) error {
	for n := range todo.Writes {
		if _, err := f.db.Collection("floor").Doc(answer.Hash+strconv.Itoa(n)).Set(ctx, answer); err != nil {
			return err
		}
	}
	for range todo.Gets {
		if _, err := f.db.GetAll(ctx, []*firestore.DocumentRef{f.db.Collection("floor").Doc("none")}); err != nil {
			return err
		}
	}
	products := f.db.Collection("products").Where("shop", "==", defaultShop)
	for range todo.Queries {
		var found []catalog.Product
		if err := read(ctx, products.Where("product_name", "==", answer.Name).Where("brand", "==", answer.Brand).Limit(10), &found); err != nil {
			return err
		}
	}
	for range todo.Nearest {
		var found []catalog.Product
		nearest := products.Select("product_name", "brand", "category", "key_features").FindNearest("embedding", firestore.Vector32(vector), 10, firestore.DistanceMeasureCosine, nil)
		if err := read(ctx, nearest, &found); err != nil {
			return err
		}
	}
	return nil
}

// read reads all documents of a query.
func read(ctx context.Context, query interface {
	Documents(context.Context) *firestore.DocumentIterator
}, to *[]catalog.Product) error {
	documents, err := query.Documents(ctx).GetAll()
	if err != nil {
		return err
	}
	for _, d := range documents {
		var p catalog.Product
		if err := d.DataTo(&p); err != nil {
			return err
		}
		*to = append(*to, p)
	}
	return nil
}

const (
	questionHead = `{"contents":[{"role":"user","parts":[{"text":"What is this?"}`
	photoHead    = `,{"inlineData":{"mimeType":"image/jpeg","data":"`
	questionTail = `]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"visible_text":{"type":"array"}}}}}`
)

// question returns a request to generate, with the photo in base64 unless that is empty.
func question(photo []byte) []byte {
	body := make([]byte, 0, len(questionHead)+len(photoHead)+base64.StdEncoding.EncodedLen(len(photo))+len(questionTail)+3)
	body = append(body, questionHead...)
	if len(photo) > 0 {
		body = base64.StdEncoding.AppendEncode(append(body, photoHead...), photo)
		body = append(body, `"}}`...)
	}
	return append(body, questionTail...)
}

// generate asks the model, and reads its answer.
func (f *floor) generate(ctx context.Context, body []byte, to *reading) error {
	var answer struct {
		Candidates []struct {
			Content struct{ Parts []struct{ Text string } }
		}
	}
	if err := f.post(ctx, "generateContent", body, &answer); err != nil {
		return err
	}
	if len(answer.Candidates) == 0 || len(answer.Candidates[0].Content.Parts) == 0 {
		return fmt.Errorf("the model has no answer")
	}
	return json.Unmarshal([]byte(answer.Candidates[0].Content.Parts[0].Text), to)
}

func (f *floor) embed(ctx context.Context, text string) ([]float32, error) {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	body := fmt.Appendf(nil, `{"content":{"parts":[{"text":%s}]}}`, quoted)
	var answer struct{ Embedding struct{ Values []float32 } }
	err = f.post(ctx, "embedContent", body, &answer)
	return answer.Embedding.Values, err
}

func (f *floor) post(ctx context.Context, method string, body []byte, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.model+"/v1beta/models/floor:"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := f.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", r.URL, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(to)
}
