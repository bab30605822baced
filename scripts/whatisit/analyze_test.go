package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
)

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// album writes the sample photos of these numbers into a folder.
func album(t *testing.T, numbers ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, s := range samples.All() {
		if slices.Contains(numbers, s.File[:2]) {
			write(t, filepath.Join(folder, s.File), string(s.Bytes()))
		}
	}
	return folder
}

// listed is an entry as the JSON has it.
type listed struct {
	File   string
	Result struct {
		Error       string
		Message     string
		Retryable   bool
		ProductName string `json:"product_name"`
		Source      string
		Warnings    []string
		Country     string
	}
}

// list returns what the run printed, which must be what the one file in outputs holds, if
// --out named it.
func (c *command) list() []listed {
	c.t.Helper()
	var l []listed
	if err := json.Unmarshal(c.printed(), &l); err != nil {
		c.t.Fatalf("%v in %q; standard error is %q", err, &c.stdout, &c.stderr)
	}
	return l
}

func (c *command) printed() []byte {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.Dir, "outputs", "*"))
	if len(files) == 0 {
		return c.stdout.Bytes()
	}
	if err != nil || len(files) != 1 {
		c.t.Fatalf("outputs holds %q, %v; want one file; standard error is %q", files, err, &c.stderr)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || !bytes.Equal(data, c.stdout.Bytes()) {
		c.t.Fatalf("%s holds %q, %v; want what was printed, %q", files[0], data, err, &c.stdout)
	}
	return data
}

func (c *command) says(want ...string) {
	c.t.Helper()
	for _, w := range want {
		if !strings.Contains(c.stderr.String(), w) {
			c.t.Errorf("standard error is %q, want %q in it", &c.stderr, w)
		}
	}
}

func TestEmulated(t *testing.T) {
	t.Parallel()
	folder := album(t, "01", "02", "06", "07")
	// A key and services of somebody's are in the environment, and are left alone.
	env := []string{"GOOGLE_API_KEY=real", "GOOGLE_GENAI_USE_VERTEXAI=true", "API_URL=http://127.0.0.1:1", "UPLOAD_BUCKET=theirs"}
	c := prepared(t, env, "analyze", "--emulated", "--country", "US", "--lang", "en", "--out", "outputs/", folder)
	if code := c.run(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	c.says(
		"EMULATED MODEL",
		"[1/4] "+folder+"/01-oat-crackers.jpg 760x950 ", " image: Sea Salt Oat Crackers, Brindlemoor\n",
		"[2/4] "+folder+"/02-rice-chips.png 640x800 ", " local_db: ",
		"[3/4] "+folder+"/06-mountain-lake.jpg 960x720 ", " no product: A mountain lake",
		" unidentified\n", "4 of 4 photos, 1 unidentified, 0 failed, $0.0000: outputs/result_",
	)
	if n := strings.Count(c.stderr.String(), "EMULATED MODEL"); n != 1 {
		t.Errorf("the banner is shown %d times, want once", n)
	}
	want := []string{"01-oat-crackers.jpg image", "02-rice-chips.png local_db", "06-mountain-lake.jpg Unable to identify product image", "07-too-dark.png google_search"}
	for i, l := range c.list() {
		if got := filepath.Base(l.File) + " " + l.Result.Source + l.Result.Error; got != want[i] || !slices.Contains(l.Result.Warnings, "emulated_model") {
			t.Errorf("entry %d is %s with %q, want %s, emulated", i, got, l.Result.Warnings, want[i])
		}
	}
}

// A photo on standard input is one photo like any other; nothing, and the same twice, are not.
func TestStandardInput(t *testing.T) {
	tea := samples.All()[0]
	report := filepath.Join(t.TempDir(), "report.html")
	c := prepared(t, nil, "analyze", "--emulated", "--country", "US", "--lang", "en", "--html", report, "-")
	c.Stdin = bytes.NewReader(tea.Bytes())
	var one struct {
		ProductName string `json:"product_name"`
	}
	if code := c.here(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &one) != nil || one.ProductName != "Sea Salt Oat Crackers" {
		t.Errorf("exit %d, %q, %q; want the result of %s", code, &c.stdout, &c.stderr, tea.File)
	}
	if page, err := os.ReadFile(report); err != nil || !bytes.Contains(page, []byte("data:image/jpeg")) {
		t.Errorf("the report shows no photo: %v", err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"analyze", "--emulated", "-"}, 1, "the file is empty"},
		{[]string{"analyze", "--emulated", "-", "-"}, 2, "name it once"},
		{[]string{"upload", "--bucket", "a", "--results-bucket", "b", "-"}, 2, "has no name"},
	} {
		c := prepared(t, nil, test.args...)
		if code := c.here(); code != test.code || !strings.Contains(c.stderr.String(), test.want) {
			t.Errorf("%v: exit %d, %q; want %d and %q", test.args, code, &c.stderr, test.code, test.want)
		}
	}
}

// One photo is an object, not a list, whatever its file is called.
func TestSinglePhoto(t *testing.T) {
	photo := filepath.Join(album(t, "05"), "05-barley-tea.gif")
	renamed := filepath.Join(filepath.Dir(photo), "5")
	if err := os.Rename(photo, renamed); err != nil {
		t.Fatal(err)
	}
	c := prepared(t, nil, "analyze", "--emulated", "-v", renamed)
	code := c.here()
	var r struct{ Source, Lang string }
	if err := json.Unmarshal(c.printed(), &r); code != 0 || err != nil || r.Source != "image" || r.Lang != "ko" {
		t.Errorf("exit %d, %q, %v; want 0 and a result from the image, in ko; %q", code, &c.stdout, err, &c.stderr)
	}
	c = prepared(t, nil, "analyze", "--emulated", "--quiet", renamed)
	if code, entries := c.here(), left(t, c.Dir); code != 0 || c.stdout.Len() == 0 || c.stderr.Len() > 0 || len(entries) > 0 {
		t.Errorf("without --out: exit %d, %d bytes, files %v; want 0, a result and no file", code, c.stdout.Len(), entries)
	}
}

// With --as-one files are photos of one product: one object, which names them, and a refusal
// names the file.
func TestAsOne(t *testing.T) {
	folder := album(t, "01", "02")
	c := prepared(t, nil, "analyze", "--emulated", "--json", "--as-one", "--html", "report.html", folder+"/02-rice-chips.png", folder+"/01-oat-crackers.jpg")
	code := c.here()
	var r struct {
		MoreImages []struct{ File string } `json:"more_images"`
	}
	if err := json.Unmarshal(c.stdout.Bytes(), &r); code != 0 || err != nil || len(r.MoreImages) != 1 || r.MoreImages[0].File != "01-oat-crackers.jpg" {
		t.Errorf("exit %d, %+v, %v; want 0 and one result of two photos; %q", code, r, err, &c.stderr)
	}
	c.says("[1/1] "+folder+"/02-rice-chips.png and 1 more ", "1 of 1 photos")
	write(t, folder+"/03-broken.jpg", "no photo")
	c = prepared(t, nil, "analyze", "--emulated", "--as-one", folder)
	if code := c.here(); code != 1 {
		t.Errorf("with a broken photo: exit %d, want 1", code)
	}
	c.says("photo 3 of 3, 03-broken.jpg: ")
	for _, args := range [][]string{
		{folder + "/01-oat-crackers.jpg", "gs://u/a.jpg"}, slices.Repeat([]string{folder + "/01-oat-crackers.jpg"}, intake.MaxGroup+1),
	} {
		c := prepared(t, nil, append([]string{"analyze", "--url", "http://127.0.0.1:1", "--as-one"}, args...)...)
		if code := c.here(); code != 2 {
			t.Errorf("%v: exit %d, want 2", args, code)
		}
		c.says("--as-one takes ")
	}
}

func left(t *testing.T, folder string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// What is broken fails alone, says why on its line, and makes the exit code 1.
// Names cannot steer the terminal, and come back whole in the JSON.
func TestBrokenAndHostile(t *testing.T) {
	folder := album(t, "05")
	hostile := filepath.Join(folder, "06\x1b[31m\r\n[9] all\u009b2J\u202efine.jpg")
	write(t, hostile, "no image at all")
	write(t, filepath.Join(folder, "07.jpg"), "")
	c := prepared(t, nil, "analyze", "--emulated", folder)
	code := c.here()
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	c.says("[2/3] "+folder+"/06 [31m  [9] all 2J fine.jpg", " failed: ", "[3/3] "+folder+"/07.jpg", "the file is empty", "3 of 3 photos, 2 failed")
	if strings.ContainsAny(c.stderr.String()+c.stdout.String(), "\x1b\r\u009b\u202e") {
		t.Errorf("%q and %q hold letters that steer a terminal", &c.stderr, &c.stdout)
	}
	l := c.list()
	if len(l) != 3 || l[1].File != hostile || l[1].Result.Error != "analysis_failed" || l[1].Result.Message == "" || l[1].Result.Retryable || l[0].Result.Source != "image" {
		t.Errorf("%+v; want a result and two failures that are not retryable, the first of %q", l, hostile)
	}
}

func upload(t *testing.T, w *emulate.World, name string, data []byte) {
	t.Helper()
	to := emulate.StorageClient(t, w).Bucket("uploads").Object(name).NewWriter(t.Context())
	if _, err := to.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}

// The services of the environment are asked in this process, objects of the
// upload bucket too.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	upload(t, w, "tea.gif", samples.All()[4].Bytes())
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding")
	c := prepared(t, env, "analyze", "gs://uploads/tea.gif", "gs://uploads/none.gif", "gs://secrets/tea.gif")
	if code := c.run(); code != 1 {
		t.Errorf("exit %d, want 1; %q", code, &c.stderr)
	}
	c.says("[1/3] gs://uploads/tea.gif 640x800", "[2/3] gs://uploads/none.gif", "[3/3] gs://secrets/tea.gif", "EMULATED MODEL", "3 of 3 photos, 2 failed")
	if strings.Contains(c.stderr.String(), "REAL MODEL") {
		t.Errorf("%q calls the emulated model real", &c.stderr)
	}
	// Nothing answers at the model's address: the photo fails, and says so.
	c = prepared(t, append(env, "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1", "IMAGE_MODEL=gemini-3.5-flash-lite"), "analyze", filepath.Join(album(t, "06"), "06-mountain-lake.jpg"))
	if code := c.run(); code != 1 {
		t.Errorf("without a model: exit %d, want 1", code)
	}
	c.says("REAL MODEL: photos are sent to Google, and you pay for their analysis.", "[1/1] ", " failed: ")
}

// served returns the real API over emulators and a real connection. The test's own
// environment names the emulators.
func served(t *testing.T) (*app.App, *emulate.World, string) {
	t.Helper()
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks", "RESULTS_TOPIC=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	config, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(config)
	server := httptest.NewServer(a.API())
	t.Cleanup(server.Close)
	return a, w, server.URL
}

func TestURL(t *testing.T) {
	_, _, url := served(t)
	folder := album(t, "01", "05", "06", "09")
	c := prepared(t, []string{"API_URL=" + url}, "analyze", folder, "3", "--random", "--seed", "5", "--country", "JP", "--policy", "strict", "--jobs", "2")
	if code := c.run(); code != 0 {
		t.Errorf("exit %d, want 0; %q", code, &c.stderr)
	}
	c.says("drew 3 of 4 photos; --seed 5 draws them again", "EMULATED MODEL", "3 of 3 photos, 0 failed")
	first := c.list()
	if len(first) != 3 || first[0].Result.Country != "JP" {
		t.Errorf("%+v, want three results for JP", first)
	}
	c = prepared(t, nil, "analyze", "--url", url+"/", folder, "--sample=3", "--random", "--seed=5", "--country=JP", "--policy=strict")
	if code, again := c.run(), c.list(); code != 0 || len(again) != 3 || again[0].File != first[0].File || again[2].File != first[2].File {
		t.Errorf("the same seed draws %+v, exit %d; want the files of %+v", again, code, first)
	}
	c.says("(cached)")
}

// stuck returns a service that answers the photo "quick" and never another.
func stuck(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		if !strings.Contains(body.String(), "quick") { // in a form
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 1\nevent: agent\ndata: {\"author\":\"image_analyzer\",\"kind\":\"started\"}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"product_name":"Tea","brand":"B","source":"image","inference_time":"0.10s","new_field":"<kept>"}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	url := stuck(t)
	for _, test := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 130}, {syscall.SIGKILL, -1}} {
		folder := t.TempDir()
		write(t, folder+"/a.jpg", "slow")
		write(t, folder+"/b.jpg", "quick")
		write(t, folder+"/c.jpg", "slow")
		c := prepared(t, nil, "analyze", "--url", url, "--out", "outputs/", folder)
		if code := c.interrupted("[2/3]", test.signal); code != test.code {
			t.Errorf("%v: exit %d, want %d", test.signal, code, test.code)
		}
		if test.signal == syscall.SIGKILL {
			files, _ := filepath.Glob(filepath.Join(c.Dir, "outputs", "*"))
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			c.stdout.Write(data)
		} else {
			c.says("1 of 3 photos, 0 failed", "whatisit: interrupted")
		}
		if l := c.list(); len(l) != 1 || l[0].File != folder+"/b.jpg" || l[0].Result.ProductName != "Tea" || !strings.Contains(c.stdout.String(), `"new_field": "<kept>"`) {
			t.Errorf("%v keeps %q, want what was done", test.signal, &c.stdout)
		}
	}
	// Nothing was done: there is no file, and nothing is printed.
	folder := t.TempDir()
	write(t, folder+"/a.jpg", "slow")
	c := prepared(t, nil, "analyze", "-v", "--url", url, "--out", "outputs/", "--html", "page.html", folder)
	code := c.interrupted("[1/1] "+folder+"/a.jpg image_analyzer started", syscall.SIGINT)
	if files := append(left(t, filepath.Join(c.Dir, "outputs")), left(t, c.Dir)[1:]...); code != 130 || c.stdout.Len() > 0 || len(files) > 0 {
		t.Errorf("exit %d, %q, files %v; want 130 and nothing", code, &c.stdout, files)
	}
}

// On a terminal photos that went well are a bar, and failures stay lines.
func TestTerminal(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("script(1), of util-linux, makes terminals for this test")
	}
	folder := t.TempDir()
	write(t, folder+"/a.jpg", "quick")
	write(t, folder+"/b.jpg", "")
	c := prepared(t, []string{"TERM=xterm"})
	c.Path, c.Args = script, []string{script, "-qec", os.Args[0] + " analyze --url " + stuck(t) + " " + folder + " >/dev/null", "/dev/null"}
	code, shown := c.run(), c.stdout.String()
	for _, want := range []string{"| (0/2, ", "2/2] " + folder + "/b.jpg", "failed: the file is empty", "2 of 2 photos, 1 failed"} {
		if !strings.Contains(shown, want) {
			t.Errorf("shown %q, want %q in it", shown, want)
		}
	}
	if code != 1 || strings.Contains(shown, "1/2] ") {
		t.Errorf("exit %d, shown %q; want 1, and no line of a photo that went well", code, shown)
	}
}

func TestPhotosAt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"b.JPG", "a.jpeg", "c.Png", "d.webp", "e.gif", "f.BMP", "g.tiff", "h.tif", "i.HEIC", "j.heif", "note.txt", "jpg", ".jpg.part", "sub.jpg/inner.jpg"} {
		write(t, filepath.Join(folder, name), "x")
	}
	photos, single, err := photosAt(nil, []string{folder, "gs://b/x.jpg", filepath.Join(folder, "note.txt")})
	var names []string
	for _, p := range photos {
		names = append(names, filepath.Base(p.name))
	}
	want := "a.jpeg b.JPG c.Png d.webp e.gif f.BMP g.tiff h.tif i.HEIC j.heif x.jpg note.txt"
	if got := strings.Join(names, " "); got != want || single || err != nil {
		t.Errorf("photosAt = %s, %v, %v; want %s", got, single, err, want)
	}
	if err := os.Symlink("nowhere", filepath.Join(folder, "k.jpg")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := photosAt(nil, []string{folder}); err == nil || !strings.Contains(err.Error(), "k.jpg") {
		t.Errorf("photosAt with a link to nowhere = %v, want an error that names it", err)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	var photos []photo
	for i := range 50 {
		photos = append(photos, photo{name: fmt.Sprintf("%02d", i)})
	}
	seed, other := uint64(7), uint64(8)
	if got := sample(photos, 3, nil); got[0].name != "00" || got[2].name != "02" || len(got) != 3 {
		t.Errorf("the first 3 are %v", got)
	}
	if got := sample(photos, 60, &seed); len(got) != 50 {
		t.Errorf("60 of 50 are %d, want all", len(got))
	}
	a, b, c := sample(photos, 10, &seed), sample(photos, 10, &seed), sample(photos, 10, &other)
	same := func(x, y photo) bool { return x.name == y.name }
	if !slices.EqualFunc(a, b, same) || slices.EqualFunc(a, c, same) || !slices.IsSortedFunc(a, func(x, y photo) int { return strings.Compare(x.name, y.name) }) || len(slices.CompactFunc(a, same)) != 10 {
		t.Errorf("drawn %v, again %v, by another seed %v; want the first two the same, in order, without doubles", a, b, c)
	}
}
