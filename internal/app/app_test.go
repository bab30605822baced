package app_test

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// point sets the environment that points an app at w, and more lines.
func point(t *testing.T, w *emulate.World, lines ...string) {
	t.Helper()
	for _, line := range append(append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding"), lines...) {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
}

func TestReadConfig(t *testing.T) {
	const deployed = "K_SERVICE=whatis IMAGE_MODEL=gemini-3.5-flash-lite JUDGE_MODEL=gemini-3.6-flash EMBEDDING_MODEL=gemini-embedding-2 "
	tests := []struct{ line, want string }{
		{"POLICY=strict", ""},
		{"MAX_USD_PER_DAY=2.5", ""},
		{"MODEL_FALLBACKS=a:b,c:d", ""},
		{"MAX_USD_PER_DAY=-1", "MAX_USD_PER_DAY"},
		{"MAX_USD_PER_DAY=much", "MaxUSDPerDay"},
		{"LEARN_FROM_SEARCH=perhaps", "Learn"},
		{"RESULTS_BUCKET=uploads", "RESULTS_BUCKET"},
		{"EMBEDDING_MODEL=word2vec", "EMBEDDING_MODEL"},
		{"POLICY=lax", `policy "lax"`},
		{"SECOND_LOOK=sometimes", `second_look "sometimes"`},
		{"COUNTRY=Korea", `country "Korea"`},
		{"LANGUAGE_TAG=?", `lang "?"`},
		{"MAX_USD_PER_DAY=NaN", "MAX_USD_PER_DAY"},
		{"K_SERVICE=upload", "emulated"},
		{deployed + "FUNCTION_TARGET=API ACCESS=private", ""},
		{deployed + "FUNCTION_TARGET=API", "ACCESS"},
		{deployed + "FUNCTION_TARGET=Upload", ""},
		{deployed + "FUNCTION_TARGET=API UPLOAD_BUCKET= RESULTS_BUCKET= GOOGLE_API_KEY= GEMINI_API_KEY=",
			"UPLOAD_BUCKET; RESULTS_BUCKET; ACCESS (private, public, iap, or open, where everybody who reaches the service is its owner); what the models need: no key: set GEMINI_API_KEY"},
		{"GTIN_DIRECTORY=world.openfoodfacts.org", "GTIN_DIRECTORY"},
		{"GTIN_DIRECTORY=https://world.openfoodfacts.org", "GTIN_DIRECTORY_CONTACT"},
		{"RESULT_CACHE_DAYS=0", ""},
		{"RESULT_CACHE_DAYS=-1", "RESULT_CACHE_DAYS"},
		{"RESULT_CACHE_DAYS=401", "RECORD_DAYS"},
		{"AGENTS=analyze", ""},
		{"AGENTS=analyze,discover", ""},
		{"AGENTS=analyze,weather", `AGENTS names "weather"`},
		{"AGENTS=search", "AGENTS must name analyze"},
		{"RECORD_DAYS=0", "RECORD_DAYS"},
		{"SESSION_DAYS=1", ""},
		{"SESSION_DAYS=0", "SESSION_DAYS is 0"},
		{"TRACE=cloud", ""},
		{"IMAGE_THINKING=high", ""},
		{"IMAGE_THINKING=off", `IMAGE_THINKING is "off": use one of ["minimal" "low" "medium" "high"]`},
		{"JUDGE_THINKING=Low", `JUDGE_THINKING is "Low"`},
		{"SEARCH_THINKING=0", `SEARCH_THINKING is "0"`},
		{"IMAGE_MEDIA_RESOLUTION=medium", ""},
		{"IMAGE_MEDIA_RESOLUTION=4k", `IMAGE_MEDIA_RESOLUTION is "4k": use one of ["low" "medium" "high"]`},
		{"JUDGE_MEDIA_RESOLUTION=minimal", `JUDGE_MEDIA_RESOLUTION is "minimal"`},
		{"LOG_LEVEL=debug", ""},
		{"LOG_LEVEL=loud", "LogLevel"},
		{"TRACE=jaeger", `TRACE is "jaeger"`},
		{"EVENT_TIER=flex", ""},
		{"EVENT_TIER=standard", ""},
		{"EVENT_TIER=cheap", `EVENT_TIER is "cheap": use one of ["standard" "flex"]`},
		{"EVENT_TIER=flex THINKING_MODEL=gemini-9-flash", "EVENT_TIER is flex: the model gemini-9-flash has no flex tier"},
		{"EVENT_TIER=flex JUDGE_MODEL=gemini-3.8-flash-tts", "the model gemini-3.8-flash-tts has no flex tier"},
		{"EVENT_TIER=flex THINKING_MODEL=gemini-9-flash AGENTS=analyze,search", ""},
		{"EVENT_TIER=flex GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_LOCATION=global", ""},
		{"EVENT_TIER=flex GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_LOCATION=europe-west4", `GOOGLE_CLOUD_LOCATION is "europe-west4": set it to global`},
		{"EVENT_TIER=standard GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_LOCATION=europe-west4", ""},
		{"SPEECH_MODEL=gemini-3.8-flash-lite-tts GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_LOCATION=eu", ""},
		{"SPEECH_MODEL=gemini-3.8-flash-lite-tts GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_CLOUD_LOCATION=eu SPEECH_LOCATION=global", ""},
		{"SPEECH_MODEL=gemini-3.8-flash-lite-tts GOOGLE_GENAI_USE_VERTEXAI=true SPEECH_LOCATION=eu", "SPEECH_LOCATION: eu has no gemini-3.8-flash-lite-tts, which is at global"},
		{"SPEECH_MODEL=gemini-3.8-flash-lite-tts SPEECH_LOCATION=eu", ""}, // the Gemini API has no locations
	}
	w := emulate.Start(t, emulate.Firestore)
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			point(t, w, strings.Fields(test.line)...)
			_, err := app.ReadConfig(t.Context())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("ReadConfig with %s = %v, want an error with %q", test.line, err, test.want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	for _, name := range []string{"COUNTRY", "LANGUAGE_TAG", "POLICY", "SECOND_LOOK", "LEARN_FROM_SEARCH", "IMAGE_MODEL", "EMBEDDING_MODEL", "K_SERVICE", "UPLOAD_BUCKET", "RESULTS_BUCKET"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Analyze; p.Country != "KR" || p.Lang != "ko" || p.Policy != "seed" || p.SecondLook != "doubt" || p.Learn || c.Catalog.EmbeddingModel != "gemini-embedding-2" {
		t.Errorf("ReadConfig = %+v, want KR, ko, seed, doubt, no learning, gemini-embedding-2", c)
	}
	if got := []gemini.Thinking{c.Analyze.ImageThinking, c.Analyze.JudgeThinking, c.Analyze.SearchThinking}; !slices.Equal(got, []gemini.Thinking{"minimal", "low", "low"}) {
		t.Errorf("ReadConfig has the amounts of thinking %q, want minimal to read, low to judge and to search", got)
	}
}

// An agent that is left out is offered nowhere.
func TestAgentsLeftOut(t *testing.T) {
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	for agents, want := range map[string]string{"analyze,search,forecast,discover": "analyze analyze_batch search forecast discover", "analyze,forecast": "analyze analyze_batch forecast", "analyze": "analyze analyze_batch"} {
		point(t, w, "AGENTS="+agents, "OPENWEATHER_API_KEY=emulated", "TASKS_TOPIC=projects/emulated/topics/tasks")
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a := app.New(c)
		var got []string
		for _, s := range a.Skills() {
			got = append(got, s.Card.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("AGENTS=%s offers the skills %q, want %s", agents, got, want)
		}
		for path, agent := range map[string]string{"/search/filters": "search", "/forecast": "forecast", "/discover": "discover"} {
			r := httptest.NewRecorder()
			a.API().ServeHTTP(r, httptest.NewRequest(http.MethodGet, path, nil))
			if off := r.Code == http.StatusNotFound || r.Code == http.StatusNotImplemented; off == strings.Contains(agents, agent) {
				t.Errorf("AGENTS=%s: GET %s = %d %s", agents, path, r.Code, r.Body)
			}
		}
	}
}

// open returns the intake of the environment.
func open(t *testing.T) (*intake.Intake, error) {
	t.Helper()
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return app.New(c).Intake(t.Context())
}

// The seed's products fill an empty catalogue, and cost nothing the second time.
func TestImport(t *testing.T) {
	w := emulate.Start(t)
	point(t, w)
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []int{1, 0} {
		w.Gemini.ResetCalls()
		a := app.New(c)
		done, err := a.Import(t.Context(), bytes.NewReader(samples.ProductsDB), nil, nil)
		if err != nil || (done.New > 0) != (want > 0) || (done.Known > 0) == (want > 0) || len(w.Gemini.Calls()) != want {
			t.Errorf("round %d: Import = %v, %v with %d calls to embed, want %d", round+1, done, err, len(w.Gemini.Calls()), want)
		}
		in, err := a.Intake(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Photo(t.Context(), intake.Photo{Data: samples.All()[1].Bytes()}, nil)
		if err != nil || r.Source != "local_db" {
			t.Errorf("round %d: %q, %v; want the sample found in local_db", round+1, r.Source, err)
		}
	}
}

// A task imports a file of a bucket. What no further delivery would mend is logged,
// and the task is done.
func TestImportTask(t *testing.T) {
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	var bad []string
	for range 25 {
		bad = append(bad, `{"product_name":3}`)
	}
	whole := strings.Replace(string(samples.ProductsDB), `"products": [`, `"products": [null, {"product_name":"Tea","key_features":["tea"],"gtin":"8801234567890"},`, 1)
	many := strings.Replace(string(samples.ProductsDB), `"products": [`, `"products": [`+strings.Join(bad, ",")+`,`, 1)
	const done = `INFO "catalogue imported"`
	tests := []struct {
		name, file, data string
		want             []string // lines of the log, as they begin
	}{
		{"wrong", whole, "", []string{
			`WARN "catalogue import: wrong record" uri=gs://results/wrong.json record=products[0] code="" reason="no record" why="it is null, want an object" left_out=true`,
			`WARN "catalogue import: wrong record" uri=gs://results/wrong.json record=products[1] code=8801234567890 reason="wrong code" why="gtin`, done,
		}},
		{"many", many, "", append(slices.Repeat([]string{`WARN "catalogue import: wrong record"`}, 20),
			`WARN "catalogue import: more wrong records, which are not listed" uri=gs://results/many.json records=5`, done)},
		{"broken", `{"products": [`, "", []string{`ERROR "catalogue import ended early: mend the file and send the task again"`}},
		{"missing", "", "", []string{`ERROR "catalogue import dropped"`}},
		{"folder", "", `{"agent":"catalog","kind":"import","payload":{"uri":"/etc/passwd"}}`, []string{`ERROR "catalogue import dropped"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			point(t, w, "SHOP="+test.name)
			c, err := app.ReadConfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if test.file != "" {
				w.Put(t, "results", test.name+".json", []byte(test.file))
			}
			log := record(t)
			data := cmp.Or(test.data, `{"agent":"catalog","kind":"import","payload":{"uri":"gs://results/`+test.name+`.json"}}`)
			if err := app.New(c).Tasks().Dispatch(t.Context(), queue.Delivery{Data: []byte(data)}); err != nil {
				t.Fatalf("Task = %v, want it done", err)
			}
			if got := importLines(log.String()); !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("the log says\n%s\nwant lines that begin\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
	// What may be better later is delivered again, at last as a dead letter.
	point(t, w, "SHOP=later")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	message := queue.Delivery{Data: []byte(`{"agent":"catalog","kind":"import","payload":{"uri":"gs://results/wrong.json"}}`)}
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable})
	for _, message.Dead = range []bool{false, true} {
		if err := app.New(c).Tasks().Dispatch(t.Context(), message); err == nil {
			t.Error("Task while the model is out = nil, want an error that has it delivered again")
		}
	}
	w.Gemini.SetFaults()
	if err := app.New(c).Tasks().Dispatch(t.Context(), message); err != nil {
		t.Errorf("Task as a dead letter = %v, want the file imported", err)
	}
}

// record keeps what is logged during the test.
func record(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

// importLines are the lines of log about an import, each from its level on.
func importLines(log string) (lines []string) {
	for line := range strings.Lines(log) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), "level=")
		if line = strings.Replace(line, "msg=", "", 1); strings.Contains(line, "catalogue import") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Every skill is offered over HTTP, those of tasks only where there are tasks.
func TestSkills(t *testing.T) {
	w := emulate.Start(t)
	tests := []struct{ topic, key, want string }{{"", "", "analyze search"}, {"tasks", "", "analyze analyze_batch search discover"}, {"", "a key", "analyze search forecast"}}
	for _, test := range tests {
		point(t, w, "TASKS_TOPIC="+test.topic, "OPENWEATHER_API_KEY="+test.key)
		c, err := app.ReadConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a := app.New(c)
		var ids []string
		for _, s := range a.Skills() {
			ids = append(ids, s.ID)
			got := httptest.NewRecorder()
			a.API().ServeHTTP(got, httptest.NewRequest("POST", "/skills/"+s.ID, strings.NewReader(`{"colour":"red"}`)))
			if got.Code != 422 || !strings.Contains(got.Body.String(), "bad_input") {
				t.Errorf("POST /skills/%s = %d, %s; want 422 bad_input", s.ID, got.Code, got.Body)
			}
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("with TASKS_TOPIC=%q and OPENWEATHER_API_KEY=%q the skills are %q, want %q", test.topic, test.key, got, test.want)
		}
	}
}

func TestIntakeSaysWhatIsMissing(t *testing.T) {
	w := emulate.Start(t)
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"buckets", []string{"UPLOAD_BUCKET="}, "UPLOAD_BUCKET and RESULTS_BUCKET must be set"},
		{"key", []string{"GOOGLE_API_KEY=", "GEMINI_API_KEY="}, "GEMINI_API_KEY"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			point(t, w, test.lines...)
			if _, err := open(t); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Intake = %v, want an error with %q", err, test.want)
			}
		})
	}
}

// An opening that failed is tried again.
func TestOpensAgain(t *testing.T) {
	w := emulate.Start(t)
	point(t, w)
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	t.Setenv("GOOGLE_API_KEY", "")
	if _, err := a.Intake(t.Context()); err == nil {
		t.Fatal("Intake without a key = nil error, want one")
	}
	t.Setenv("GOOGLE_API_KEY", "emulated")
	ctx, cancel := context.WithCancel(t.Context())
	in, err := a.Intake(ctx)
	if err != nil {
		t.Fatalf("Intake with a key: %v", err)
	}
	cancel() // what is opened outlives the request that opened it
	if _, err := in.Photo(t.Context(), intake.Photo{Data: picture(t)}, nil); err != nil {
		t.Errorf("Photo after the opening request has ended: %v", err)
	}
}

// The daily limit holds over instances.
func TestDailyLimit(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(t)
	point(t, w, "MAX_USD_PER_DAY=0.001", "IMAGE_MODEL=gemini-3.6-flash")
	paid := emulated.Answer{Kind: answers.KindImage, ModelVersion: "gemini-3.6-flash", Usage: &emulated.Usage{PromptTokens: 1_000_000, TotalTokens: 1_000_000},
		Text: `{"visible_text":[],"codes":[],"name_as_printed":"","brand_as_printed":"","sub_brands":[],"dates":[],"category":"","image_features":"","key_features":[],"product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"known_product":"unsure","products_seen":0,"side":"front","not_product":true,"description":"x"}`}
	w.Gemini.Script(paid)
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	end := a.Begin()
	in, err := a.Intake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r, err := in.Photo(t.Context(), intake.Photo{Data: picture(t)}, nil); err != nil || r.CostUSD <= 0.001 {
		t.Fatalf("the first photo = %v, %v; want it to cost more than the limit", r.CostUSD, err)
	}
	end() // saves the cost, which the next instance must see
	w.Gemini.ResetCalls()
	for _, instance := range []string{"the same instance", "another instance"} {
		if _, err := in.Photo(t.Context(), intake.Photo{Data: picture(t), Fresh: true}, nil); err == nil || !strings.Contains(err.Error(), "MAX_USD_PER_DAY") {
			t.Errorf("%s: %v, want it refused by MAX_USD_PER_DAY", instance, err)
		}
		if in, err = open(t); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.Gemini.Calls()); n != 0 {
		t.Errorf("%d model calls beyond the limit, want none", n)
	}
}

func TestLogger(t *testing.T) {
	tests := []struct{ service, want string }{
		{"", `level=WARN msg=hello n=1`},
		{"upload", `"severity":"WARNING","message":"hello","n":1}`},
	}
	for _, test := range tests {
		var b bytes.Buffer
		app.Logger(&b, test.service, slog.LevelInfo).Warn("hello", "n", 1)
		if line, _ := io.ReadAll(&b); !strings.Contains(string(line), test.want) {
			t.Errorf("Logger of service %q writes %s, want %s", test.service, line, test.want)
		}
	}
}

func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
