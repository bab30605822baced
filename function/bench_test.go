package function_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// What whatis itself takes for a photo: HTTP in, model calls to a model that
// answers at once, Firestore, HTTP out, with the defaults. The model's answers are
// scripted, and say of no code.
//
//	go test -run x -bench Analyze ./function
func BenchmarkAnalyze(b *testing.B) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(b)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "K_SERVICE=") {
		name, value, _ := strings.Cut(line, "=")
		os.Setenv(name, value)
	}
	url := serve(b, "API")
	photo := benchPhoto(b)

	const clear = `{"visible_text":[{"text":"HAETSAL","clear":true},{"text":"Barley Tea 500 ml","clear":true}],"codes":[],"name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"dates":[],"category":"Beverage","image_features":"green bottle","key_features":["barley tea","500 ml","haetsal","green bottle","plastic bottle","no sugar","tea","label"],"product_name":"Barley Tea","brand":"Haetsal","product_name_confidence":0.95,"brand_confidence":0.95,"known_product":"yes","products_seen":1,"side":"front","not_product":false,"description":""}`
	unclear := strings.ReplaceAll(clear, "0.95", "0.5")
	image := emulated.Answer{Kind: answers.KindImage, Text: clear}
	doubtful := emulated.Answer{Kind: answers.KindImage, Text: unclear}
	judge := emulated.Answer{Kind: answers.KindJudge, Text: `{"seen":"","name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"category":"Beverage","product_name":"Barley Tea","brand":"Haetsal","product_name_confidence":0.9,"brand_confidence":0.9,"confirmed":true,"pick":1,"reason":"same"}`}
	search := emulated.Answer{Kind: answers.KindSearch, Text: "It is Haetsal Barley Tea.", Grounding: &emulated.Grounding{
		Queries: []string{"haetsal"}, Chunks: []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example", Title: "shop"}}},
		Supports: []emulated.GroundingSupport{{Segment: emulated.Segment{End: 5, Text: "It is"}, Chunks: []int{0}}},
	}}
	finding := emulated.Answer{Kind: answers.KindStructure, Text: `{"found":true,"product_name":"Barley Tea","brand":"Haetsal","category":"Beverage","supported":["tea"],"probability":0.8,"evidence":"tea"}`}

	post := func(b *testing.B, url, kind string, body []byte, want string) {
		resp, err := http.Post(url, kind, bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(want)) {
			b.Fatalf("POST %s = %s: %s; want %s", url, resp.Status, answer, want)
		}
	}
	run := func(name, want string, answers ...emulated.Answer) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				w.Gemini.Script(answers...)
				start := time.Now()
				post(b, url+"/analyze?country=US&lang=en&fresh=true", "image/jpeg", photo, want)
				took = append(took, time.Since(start))
			}
			report(b, took)
		})
	}
	run("image", `"source": "image"`, image)
	run("google_search", `"source": "google_search"`, doubtful, search, finding)
	stock(b, w)
	run("local_db", `"source": "local_db"`, doubtful, judge)
}

// stock puts the product of the scripted answers into the catalogue.
func stock(b *testing.B, w *emulate.World) {
	b.Helper()
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		b.Fatal(err)
	}
	model, err := gemini.Open(b.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		b.Fatal(err)
	}
	features := []string{"barley tea", "500 ml", "haetsal", "green bottle", "plastic bottle", "no sugar", "tea", "label"}
	v, err := model.Embed(b.Context(), gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: []string{strings.Join(features, " ")}})
	if err != nil {
		b.Fatal(err)
	}
	_, err = catalog.New(w.FirestoreClient(b)).Create(b.Context(), catalog.Product{
		Shop: "default", ProductName: "Barley Tea", Brand: "Haetsal", Category: "Beverage", KeyFeatures: features,
		Country: "US", Lang: "en", Status: catalog.Imported, Source: "import", Vectors: catalog.Vectors{Embedder: space.ID(), Embedding: v[0]},
	})
	if err != nil {
		b.Fatal(err)
	}
}

// report prints the median.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(0, "ns/op")
}

// benchPhoto returns a JPEG of 640 × 480.
func benchPhoto(b *testing.B) []byte {
	m := image.NewGray(image.Rect(0, 0, 640, 480))
	for i := range m.Pix {
		m.Pix[i] = uint8(i / 640)
	}
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, m, nil); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}
