package app_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// The requests of an import, as they are sent: key features, what searches find, and a
// picture, each by its own prefix.
func TestRequests(t *testing.T) {
	w := emulate.Start(t)
	tap := goldens.Open(t).Tap(t, w.Gemini.URL())
	point(t, w, "GOOGLE_GEMINI_BASE_URL="+tap.URL, "EMBEDDING_MODEL=gemini-embedding-2", "PICTURE_BUCKETS=pictures")
	if err := w.Storage.CreateBucket("pictures"); err != nil {
		t.Fatal(err)
	}
	w.Put(t, "pictures", "a.png", samples.Frames()[0].PNG())
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const product = `{"product_name":"Round frame","brand":"Haetsal","category":"Eyewear","key_features":["round","titanium"],"image_uri":"gs://pictures/a.png"}`
	done, err := app.New(c).ImportFile(t.Context(), app.CatalogFile{Reader: strings.NewReader(product)})
	if err != nil || done.New != 1 {
		t.Fatalf("ImportFile = %v, %v; want one new product", done, err)
	}
	tap.Compare(t, "import_key_features", "import_document", "import_picture")
}

// The golden requests of the agents are those of the default configuration: each asks
// the model that is configured, to think as much as is configured.
func TestGoldenRequestsAreAsConfigured(t *testing.T) {
	point(t, emulate.Start(t, emulate.Gemini))
	for _, name := range []string{"IMAGE_MODEL", "JUDGE_MODEL", "EMBEDDING_MODEL"} {
		os.Unsetenv(name)
	}
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		file, model string
		thinking    gemini.Thinking // "" is not compared
	}{
		{"analyze/image_analyzer", c.Analyze.ImageModel, c.Analyze.ImageThinking},
		{"analyze/judgement", c.Analyze.JudgeModel, c.Analyze.JudgeThinking},
		{"analyze/google_search", c.Analyze.JudgeModel, c.Analyze.SearchThinking},
		{"analyze/finding", c.Analyze.JudgeModel, c.Analyze.SearchThinking},
		{"analyze/search_local_db", c.Catalog.EmbeddingModel, ""},
		{"search/intent", cmp.Or(c.Search.Model, c.Analyze.ImageModel), ""},
		{"api/a2a/route", cmp.Or(c.Search.Model, c.Analyze.ImageModel), ""},
		{"search/embed_query", c.Catalog.EmbeddingModel, ""},
		{"forecast/forecast_writer_agent", c.Forecast.Model, c.Forecast.Thinking},
		{"forecast/weather_agent", c.Forecast.Model, c.Forecast.Thinking},
		{"forecast/speech", c.Forecast.Speech, ""},
		{"discover/planner", c.Discover.Thinking, c.Discover.Effort},
		{"discover/extractor", c.Discover.Structured, ""},
		{"discover/relevance", c.Discover.Relevance, ""},
	}
	for _, test := range tests {
		agent, name := filepath.Split(test.file)
		data, err := os.ReadFile(filepath.Join("..", agent, goldens.Dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		thinking := ""
		if test.thinking != "" {
			thinking = `"thinkingLevel": "` + strings.ToUpper(string(test.thinking)) + `"`
		}
		if !strings.Contains(string(data), "/models/"+test.model+":") || !strings.Contains(string(data), thinking) {
			t.Errorf("the golden request %s is not of %s with %s: use the defaults of the configuration in its test", test.file, test.model, thinking)
		}
	}
}
