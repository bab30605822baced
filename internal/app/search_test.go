package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// searching returns an app whose catalogue has a few frames, with their pictures.
func searching(t *testing.T, lines ...string) (*app.App, *emulate.World) {
	t.Helper()
	w := emulate.Start(t)
	point(t, w, append([]string{"SEARCH_SHOP=eyewear"}, lines...)...)
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	folder := t.TempDir()
	for _, f := range samples.Frames()[:10] {
		if err := os.WriteFile(filepath.Join(folder, f.SKU+".png"), f.PNG(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := bytes.Join(bytes.SplitAfter(samples.EyewearFile(""), []byte("\n"))[:10], nil)
	_, err = a.ImportFile(t.Context(), app.CatalogFile{Reader: bytes.NewReader(file), Shop: "eyewear", Folder: folder,
		Fault: func(f catalog.Fault) { t.Errorf("import: %+v", f) }})
	if err != nil {
		t.Fatal(err)
	}
	return a, w
}

// A search with a picture and the analysis of a face leaves every store as it was, and
// nothing of either in the log.
func TestSearchKeepsNothing(t *testing.T) {
	a, w := searching(t, "LOG_LEVEL=debug", "TASKS_TOPIC=tasks")
	stores := &stores{t: t, w: w}
	for _, topic := range []string{"tasks", "results", "failures"} {
		if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/" + topic); err != nil {
			t.Fatal(err)
		}
		defer w.PubSub.Subscribe("projects/"+w.Project+"/topics/"+topic, stores.told)()
	}
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(before)

	picture := samples.Frames()[3].Picture(samples.View{Width: 300, Turn: 5})
	photo := encoded(t, picture)
	asked, err := json.Marshal(map[string]any{
		"query": "kính râm", "image": photo,
		"analysis_result": map[string]any{"face_detected": true, "face_shape": "heartmarker", "recommended_frame_shapes": []string{"round", "shapemarker"},
			"skin_tone": "tonemarker", "glasses_observed": "glassesmarker", "summary": "summarymarker"},
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := stores.all()
	for _, accept := range []string{"application/json", "text/event-stream"} {
		got := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/skills/search", bytes.NewReader(asked))
		r.Header.Set("Accept", accept)
		a.API().ServeHTTP(got, r)
		if body := dense(got); got.Code != 200 || !strings.Contains(body, `"search_type":"combined"`) || !strings.Contains(body, `"recommended_shapes":["round"]`) {
			t.Fatalf("POST /skills/search = %d, %s", got.Code, got.Body)
		}
	}
	slog.Debug("the log is read")
	if now := stores.all(); now != kept || !strings.Contains(kept, "Aria 100") {
		t.Errorf("a search has changed the stores from %d bytes to %d", len(kept), len(now))
	}
	all := stores.all() + log.String()
	if !strings.Contains(all, "the log is read") {
		t.Fatal("the log was not read")
	}
	for _, private := range []string{"heartmarker", "shapemarker", "tonemarker", "glassesmarker", "summarymarker",
		string(photo[40:80]), base64.StdEncoding.EncodeToString(photo[:60]), hex.EncodeToString(photo[:30]), fmt.Sprint(photo[:20])} {
		if strings.Contains(all, private) {
			t.Errorf("%.60q is kept", private)
		}
	}
}

// stores are the contents of the emulated services.
type stores struct {
	t        *testing.T
	w        *emulate.World
	mu       sync.Mutex
	messages []string
}

func (s *stores) told(m pubsub.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, fmt.Sprintf("%s %v", m.Data, m.Attributes))
}

// all returns every document, object and message.
func (s *stores) all() string {
	s.t.Helper()
	var all strings.Builder
	s.collections(&all, s.w.FirestoreClient(s.t).Collections(s.t.Context()))
	client := emulate.StorageClient(s.t, s.w)
	for buckets := client.Buckets(s.t.Context(), s.w.Project); ; {
		b, err := buckets.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.check(err)
		for objects := client.Bucket(b.Name).Objects(s.t.Context(), nil); ; {
			o, err := objects.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			s.check(err)
			r, err := client.Bucket(b.Name).Object(o.Name).NewReader(s.t.Context())
			s.check(err)
			data, err := io.ReadAll(r)
			s.check(err)
			fmt.Fprintln(&all, o.Name, o.Metadata, string(data))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return all.String() + strings.Join(s.messages, "\n")
}

func (s *stores) collections(all *strings.Builder, found *firestore.CollectionIterator) {
	s.t.Helper()
	refs, err := found.GetAll()
	s.check(err)
	for _, c := range refs {
		docs, err := c.Documents(s.t.Context()).GetAll()
		s.check(err)
		for _, d := range docs {
			fmt.Fprintln(all, d.Ref.Path, d.UpdateTime, d.Data())
			s.collections(all, d.Ref.Collections(s.t.Context()))
		}
	}
}

func (s *stores) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// Another shop brings its own vocabulary, as a file or an object; what is wrong with it
// is told with the variable's name.
func TestVocabularies(t *testing.T) {
	shoes := `{"domain":"shoes","facets":[{"name":"size","en":"size","vi":"cỡ","sentence":"cỡ","values":[{"code":"large","en":"large","vi":"lớn"},{"code":"small","en":"small","vi":"nhỏ"}]}]}`
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("vocabularies"); err != nil {
		t.Fatal(err)
	}
	w.Put(t, "vocabularies", "shoes.json", []byte(shoes))
	path := filepath.Join(t.TempDir(), "shoes.json")
	if err := os.WriteFile(path, []byte(shoes), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "gs://vocabularies/shoes.json"} {
		point(t, w, "SEARCH_VOCABULARY="+name)
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, faults := app.New(c), 0
		file := `{"product_name":"Boot","key_features":["leather"],"sku":"B1","facets":{"size":"large","heel":"flat"}}`
		if _, err := a.Import(t.Context(), strings.NewReader(file), func(catalog.Fault) { faults++ }, nil); err != nil || faults != 1 {
			t.Errorf("%s: import with %d faults, %v; want one, of the facet that the vocabulary has not", name, faults, err)
		}
		got := httptest.NewRecorder()
		a.API().ServeHTTP(got, httptest.NewRequest("POST", "/skills/search", strings.NewReader(`{"query":"giày cỡ lớn"}`)))
		if body := dense(got); got.Code != 200 || !strings.Contains(body, `"more":{"size":"large"}`) || !strings.Contains(body, `"name":"Boot"`) {
			t.Errorf("%s: search = %d, %s", name, got.Code, got.Body)
		}
	}
	for _, name := range []string{"/nowhere/shoes.json", "gs://vocabularies/none", "search_test.go"} {
		point(t, w, "SEARCH_VOCABULARY="+name)
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.New(c).Agents(t.Context()); err == nil || !strings.Contains(err.Error(), "SEARCH_VOCABULARY") {
			t.Errorf("%s: %v, want an error that names SEARCH_VOCABULARY", name, err)
		}
	}
}

// encoded returns a picture as JPEG.
func encoded(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dense returns a body without spaces.
func dense(r *httptest.ResponseRecorder) string {
	return strings.Join(strings.Fields(r.Body.String()), "")
}

// A picture may be named by its address, if it lies in the bucket of uploads; nothing
// else is read for strangers.
func TestSearchOfAnUpload(t *testing.T) {
	a, w := searching(t)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	w.Put(t, "uploads", "seen.png", samples.Frames()[3].PNG())
	w.Put(t, "results", "seen.png", samples.Frames()[3].PNG())
	tests := []struct {
		uri  string
		code int
		want string
	}{
		{"gs://uploads/seen.png", 200, samples.Frames()[3].Name},
		{"gs://uploads/gone.png", 422, "there is no such object"},
		{"gs://results/seen.png", 422, "there is no such object"},
		{"http://127.0.0.1/seen.png", 422, "gs://bucket/object"},
	}
	for _, test := range tests {
		got := httptest.NewRecorder()
		a.API().ServeHTTP(got, httptest.NewRequest("POST", "/skills/search", strings.NewReader(fmt.Sprintf(`{"uri":%q,"limit":1}`, test.uri))))
		if got.Code != test.code || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("a picture at %s: %d, %s; want %d, %s", test.uri, got.Code, got.Body, test.code, test.want)
		}
	}
}

// A result names the address of a picture only where the API shows it.
func TestSearchNamesPicturesThatAreShown(t *testing.T) {
	w := emulate.Start(t)
	point(t, w, "SEARCH_SHOP=eyewear", "PICTURE_BUCKETS=pictures")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	var file strings.Builder
	for i, bucket := range []string{"pictures", "private"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
		w.Put(t, bucket, "a.png", samples.Frames()[i].PNG())
		fmt.Fprintf(&file, `{"product_name":"Round %s","sku":"%d","category":"Eyewear","key_features":["round"],"image_uri":"gs://%s/a.png"}`+"\n", bucket, i, bucket)
	}
	if done, err := a.ImportFile(t.Context(), app.CatalogFile{Reader: strings.NewReader(file.String()), Shop: "eyewear"}); err != nil || done.New != 2 {
		t.Fatalf("ImportFile = %v, %v; want two products", done, err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/search/text", strings.NewReader(`{"query":"round"}`))
	answer := httptest.NewRecorder()
	a.API().ServeHTTP(answer, r)
	var got struct {
		Products []struct {
			Name string
			URL  string `json:"image_url"`
		}
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Products) != 2 {
		t.Fatalf("POST /search/text = %s, %v; want two products", answer.Body, err)
	}
	for _, p := range got.Products {
		if (p.URL != "") != (p.Name == "Round pictures") {
			t.Errorf("%s has the picture %q", p.Name, p.URL)
		}
	}
}

// While the first import into a shop is under way, also after it was broken off, a search says how far it
// is, and not that what it finds is all. Once it has ended searches find everything at once; a later import
// does not stop them.
func TestSearchWhileTheShopIsFilled(t *testing.T) {
	w := emulate.Start(t)
	point(t, w, "SEARCH_SHOP=eyewear")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	search := func() (*httptest.ResponseRecorder, string) {
		got := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/search", strings.NewReader(`{"query":"kính"}`))
		r.Header.Set("Content-Type", "application/json")
		a.API().ServeHTTP(got, r)
		return got, dense(got)
	}
	lines := bytes.SplitAfter(samples.EyewearFile(""), []byte("\n"))
	fill := func(file io.Reader) error {
		_, err := a.ImportFile(t.Context(), app.CatalogFile{Reader: file, Shop: "eyewear", Total: 10})
		return err
	}
	cut := errors.New("cut")
	if err := fill(io.MultiReader(bytes.NewReader(bytes.Join(lines[:4], nil)), iotest.ErrReader(cut))); !errors.Is(err, cut) {
		t.Fatalf("an import that is cut = %v", err)
	}
	if got, body := search(); got.Code != 503 || got.Header().Get("Retry-After") != "3" || !strings.Contains(body, "4of10products") || !strings.Contains(body, `"now":{"stored":4,"total":10}`) {
		t.Errorf("while it is filled a search is %d, %v, %s; want 503 with how far it is", got.Code, got.Header(), body)
	}
	if err := fill(bytes.NewReader(bytes.Join(lines[:10], nil))); err != nil {
		t.Fatal(err)
	}
	if got, body := search(); got.Code != 200 || !strings.Contains(body, `"total":10`) {
		t.Errorf("once it is filled a search is %d, %s; want 10 products", got.Code, body)
	}
	if err := fill(io.MultiReader(bytes.NewReader(bytes.Join(lines[:12], nil)), iotest.ErrReader(cut))); !errors.Is(err, cut) {
		t.Fatalf("an import that is cut = %v", err)
	}
	a = app.New(c) // another instance
	if got, body := search(); got.Code != 200 {
		t.Errorf("after a later import was cut a search is %d, %s", got.Code, body)
	}
}
