package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
)

// A listed result as clients see it.
type listed struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"`
	File       string    `json:"file"`
	FinishedAt time.Time `json:"finished_at"`
	Doubt      *bool     `json:"doubt"`
	HasPhoto   bool      `json:"has_photo"`
	Result     struct {
		ID                string `json:"id"`
		Source            string `json:"source"`
		Citations         []any  `json:"citations"`
		SearchSuggestions string `json:"search_suggestions"`
	} `json:"result"`
}

type listing struct {
	Results []listed `json:"results"`
	Next    string   `json:"next"`
}

// uploaded analyses an object as an event would.
func (s *service) uploaded(name string, data []byte, metadata ...string) {
	s.t.Helper()
	s.upload(name, data)
	attrs, err := s.objects.Bucket("uploads").Object(name).Attrs(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	o := intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: name, Generation: attrs.Generation}, Metadata: map[string]string{}}
	for i := 0; i+1 < len(metadata); i += 2 {
		o.Metadata[metadata[i]] = metadata[i+1]
	}
	if _, err := s.in.Run.Deliver(s.t.Context(), s.in.Job(s.t.Context(), intake.Delivery{Object: o})); err != nil {
		s.t.Fatal(err)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("a b.jpg", picture(t, 40))
	s.ask("POST", "/analyze", string(picture(t, 41)))
	s.upload("c.jpg", picture(t, 42))
	s.ask("POST", "/analyze", `{"uri":"gs://uploads/c.jpg"}`, "Content-Type", "application/json")

	var files, ids []string
	for after := ""; ; {
		_, body := s.ask("GET", "/results?limit=2&after="+url.QueryEscape(after), "")
		page := read[listing](t, body)
		for _, l := range page.Results {
			if l.ID == "" || l.Result.ID != l.ID || l.FinishedAt.IsZero() || l.Doubt == nil || !l.HasPhoto {
				t.Errorf("listed: %+v", l)
			}
			files, ids = append(files, l.Kind+" "+l.File), append(ids, l.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if want := []string{"http gs://uploads/c.jpg", "http ", "upload gs://uploads/a b.jpg"}; !slices.Equal(files, want) {
		t.Fatalf("listed, newest first: %q, want %q", files, want)
	}
	_, body := s.ask("GET", "/results/"+ids[1], "")
	if l := read[listed](t, body); l.ID != ids[1] || !l.HasPhoto {
		t.Errorf("GET /results/%s = %s", ids[1], body)
	}
	for query, want := range map[string]int{
		"source=local_db": 0, "source=unidentified": 3, "source=google_search": 0, "since=2100-01-01T00:00:00Z": 0, "until=2001-01-01": 0, "since=2001-01-01&until=" + time.Now().UTC().Format(time.DateOnly): 3, "since=2001-01-01T00:00:00Z": 3, "doubt=" + fmt.Sprint(true) + "&limit=100": -1,
	} {
		_, body := s.ask("GET", "/results?"+query, "")
		if got := len(read[listing](t, body).Results); want >= 0 && got != want {
			t.Errorf("GET /results?%s lists %d, want %d", query, got, want)
		}
	}
	_, doubtful := s.ask("GET", "/results?doubt=true", "")
	_, sure := s.ask("GET", "/results?doubt=false", "")
	if n := len(read[listing](t, doubtful).Results) + len(read[listing](t, sure).Results); n != 3 {
		t.Errorf("%d results are doubtful or not, want 3", n)
	}
}

// Results are found by what is on the pack, by what was said and by the days on which they expire; pairs
// that no index serves are refused.
func TestResultFilters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.in.Limits.MaxPixels = 1 << 20
	for _, p := range samples.All()[:5] {
		s.uploaded(p.File, p.Bytes())
	}
	id := s.idOf("01-oat-crackers.jpg")
	if resp, body := s.ask("POST", "/results/"+id+"/review", `{"verdict":"correct","fields":{"product_name":"Rye Crackers"},"by":"kim"}`); resp.StatusCode != http.StatusOK {
		t.Fatalf("review = %s, %s", resp.Status, body)
	}
	for query, want := range map[string]string{
		"gtin=9520011000017": "01",
		"brand=BRINDLEMOOR":  "01",
		"brand=brindlemoor&source=local_db&until=2100-01-01": "01",
		"brand=brindlemoor&doubt=true":                       "",
		"q=rye":                                              "01",
		"q=crackers":                                         "01",
		"q=salt":                                             "", // its name before
		"name=rye+crackers":                                  "01",
		"verdict=correct&doubt=false":                        "01",
		"verdict=reject":                                     "",
		"source=local_db&doubt=false":                        "01",
		"expires=..":                                         "02 01 05", // the soonest first
		"expires=2027-03-01..2027-04-01":                     "01",
		"expires=..2027-04-01&brand=brindlemoor":             "01",
		"set=20260101-000000-00000000":                       "",
	} {
		var got []string
		for after := ""; ; {
			_, body := s.ask("GET", "/results?limit=2&"+query+"&after="+after, "")
			page := read[listing](t, body)
			for _, l := range page.Results {
				got = append(got, strings.TrimPrefix(l.File, "gs://uploads/")[:2])
			}
			if after = page.Next; after == "" {
				break
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("GET /results?%s lists %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"gtin=1&brand=a":                    "gtin and brand are not indexed together",
		"q=rye&source=image&doubt=true":     "q and source and doubt are not indexed together",
		"q=rye+crackers":                    "send one, or the whole name as name",
		"set=a&doubt=true":                  "set goes with since and until alone",
		"expires=..&since=2026-01-01":       "expires goes with one of",
		"expires=2027":                      "want days as",
		"verdict=good":                      "want accept, correct or reject",
		"brand=" + strings.Repeat("a", 301): "more than 300",
	} {
		if resp, body := s.ask("GET", "/results?"+query, ""); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("GET /results?%s = %s, %s; want 422, %s", query, resp.Status, body, want)
		}
	}
}

func TestPhotoOfAResult(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("a b.jpg", picture(t, 200))
	s.Gemini.Script(sureOf("Onul tea"))
	s.ask("POST", "/analyze", string(picture(t, 41)))
	_, body := s.ask("GET", "/results", "")
	page := read[listing](t, body).Results
	overHTTP, uploaded := "/results/"+page[0].ID+"/photo", "/results/"+page[1].ID+"/photo"

	tests := []struct {
		query string
		want  image.Point
	}{{"", image.Pt(200, 30)}, {"?width=100", image.Pt(100, 15)}, {"?width=1600", image.Pt(200, 30)}}
	for _, test := range tests {
		resp, body := s.ask("GET", uploaded+test.query, "")
		c, format, err := image.DecodeConfig(strings.NewReader(body))
		if err != nil || format != "jpeg" || image.Pt(c.Width, c.Height) != test.want || resp.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("photo%s = %s of %d × %d, %v; want a JPEG of %v", test.query, format, c.Width, c.Height, err, test.want)
		}
		if got := resp.Header.Get("Cache-Control"); got != "private, no-cache" {
			t.Errorf("photo%s: Cache-Control %q", test.query, got)
		}
		head, _ := s.ask("HEAD", uploaded+test.query, "")
		if head.ContentLength != int64(len(body)) || head.Header.Get("ETag") != resp.Header.Get("ETag") {
			t.Errorf("HEAD photo%s = %v, want what GET says", test.query, head.Header)
		}
		again, body := s.ask("GET", uploaded+test.query, "", "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != 304 || body != "" {
			t.Errorf("photo%s again = %s, want 304", test.query, again.Status)
		}
	}
	if resp, body := s.ask("GET", overHTTP, ""); resp.StatusCode != 404 || !strings.Contains(body, "photo_not_kept") {
		t.Errorf("photo that came over HTTP = %s, %s; want 404 photo_not_kept", resp.Status, body)
	}
	if err := s.objects.Bucket("uploads").Object("a b.jpg").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if resp, body := s.ask("GET", uploaded, ""); resp.StatusCode != 404 || !strings.Contains(body, "photo_not_kept") {
		t.Errorf("photo that is gone = %s, %s; want 404 photo_not_kept", resp.Status, body)
	}
}

func TestResultsRefuse(t *testing.T) {
	t.Parallel()
	s := serve(t)
	unknown := "/results/" + strings.Repeat("0", 32)
	tests := []struct {
		path   string
		status int
		code   string
	}{
		{"/results?source=tv", 422, "bad_option"},
		{"/results?doubt=maybe", 422, "bad_option"},
		{"/results?error=object_gone", 422, "bad_option"},
		{"/results?error=analysis_failed&gtin=1", 422, "bad_option"},
		{"/results?since=yesterday", 422, "bad_option"},
		{"/results?until=2026-02-30", 422, "bad_option"},
		{"/results?order=doubt&until=2026-01-31", 422, "bad_option"},
		{"/results?limit=0", 422, "bad_option"},
		{"/results?limit=101", 422, "bad_option"},
		{"/results?after=nothing", 400, "bad_cursor"},
		{"/results?after=eyJpZCI6ImEifQ", 400, "bad_cursor"},
		{"/results?after=" + strings.Repeat("a", 5000), 400, "bad_cursor"},
		{unknown, 404, "result_not_found"},
		{"/results/..%2Fsecrets", 404, "result_not_found"},
		{"/results/" + strings.Repeat("a", 3000), 404, "result_not_found"},
		{unknown + "/photo", 404, "result_not_found"},
		{unknown + "/photo?width=15", 422, "bad_option"},
		{unknown + "/photo?width=9999999999999999999999", 422, "bad_option"},
	}
	for _, test := range tests {
		resp, body := s.ask("GET", test.path, "")
		fields := read[map[string]any](t, body)
		if resp.StatusCode != test.status || fields["code"] != test.code {
			t.Errorf("GET %.60s = %s, %v; want %d %s", test.path, resp.Status, fields, test.status, test.code)
		}
		checkProblem(t, test.path, resp, fields)
	}
}

// A file that is not a photo has a result with an error, and no photo.
func TestPhotoThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("a.txt", bytes.Repeat([]byte("no photo "), 10))
	_, body := s.ask("GET", "/results", "")
	resp, body := s.ask("GET", "/results/"+read[listing](t, body).Results[0].ID+"/photo", "")
	if resp.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(body, "not_an_image") {
		t.Errorf("photo of a text = %s, %s; want 415", resp.Status, body)
	}
}

// A result says that it has a photo as long as the object is there as it was.
func TestHasPhoto(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i, name := range []string{"there.jpg", "deleted.jpg", "replaced.jpg"} {
		s.upload(name, picture(t, 60+i))
		s.ask("POST", "/analyze", `{"uri":"gs://uploads/`+name+`"}`, inJSON...)
	}
	if err := s.objects.Bucket("uploads").Object("deleted.jpg").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.upload("replaced.jpg", picture(t, 70))
	_, body := s.ask("GET", "/results", "")
	for _, l := range read[listing](t, body).Results {
		_, one := s.ask("GET", "/results/"+l.ID, "")
		want := l.File == "gs://uploads/there.jpg"
		if l.HasPhoto != want || read[listed](t, one).HasPhoto != want {
			t.Errorf("%s has a photo: %v, and by itself %v; want %v", l.File, l.HasPhoto, read[listed](t, one).HasPhoto, want)
		}
	}
}

// A photo's thumbnail and name come back with its result, sent in a form or as JSON, and a
// thumbnail that cannot be kept is refused before anything is paid for.
func TestThumbnails(t *testing.T) {
	t.Parallel()
	s := serve(t)
	small := picture(t, 20)
	encoded := func(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
	inForm, formType := form(t, [2]string{"tea.jpg", string(picture(t, 41))}, [2]string{"thumbnail", string(small)})
	two, twoType := form(t, [2]string{"as", "one"}, [2]string{"front.jpg", string(picture(t, 43))}, [2]string{"thumbnail", string(small)}, [2]string{"back.jpg", string(picture(t, 44))})
	first, firstType := form(t, [2]string{"thumbnail", string(small)}, [2]string{"tea.jpg", string(picture(t, 45))})
	png, pngType := form(t, [2]string{"tea.jpg", string(picture(t, 45))}, [2]string{"thumbnail", "\x89PNG\r\n"})
	asJSON := func(name, small string) string {
		return fmt.Sprintf(`{"image":%q,"file":%q,"thumbnail":%q}`, encoded(picture(t, 42)), name, small)
	}
	for _, test := range []struct{ name, kind, body, want string }{
		{"form", formType, inForm, "tea.jpg"},
		{"two as one", twoType, two, "front.jpg"},
		{"JSON", "application/json", asJSON(`C:\\photos\\can.jpg`, encoded(small)), "can.jpg"},
		{"a data URL", "application/json", strings.Replace(asJSON("b.jpg", "data:image/jpeg;base64,"+encoded(small)), encoded(picture(t, 42)), encoded(picture(t, 46)), 1), "b.jpg"},
		{"a name without end", "application/json", strings.Replace(asJSON(strings.Repeat("n", 300), encoded(small)), encoded(picture(t, 42)), encoded(picture(t, 47)), 1), strings.Repeat("n", 255)},
	} {
		s.Gemini.Script(sureOf("Onul tea"))
		resp, body := s.ask("POST", "/analyze", test.body, "Content-Type", test.kind)
		s.ok(resp, body)
		r := read[analyze.Result](t, body)
		_, body = s.ask("GET", "/results/"+r.ID, "")
		if l := read[listed](t, body); l.File != test.want || !l.HasPhoto || !r.Image.Thumbnail {
			t.Errorf("%s: %+v, image %+v; want %s with a photo", test.name, l, r.Image, test.want)
		}
		resp, body = s.ask("GET", "/results/"+r.ID+"/photo", "")
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "image/jpeg" || body != string(small) {
			t.Errorf("%s: the photo is %s, %d bytes; want the thumbnail", test.name, resp.Status, len(body))
		}
		if resp, _ := s.ask("GET", "/results/"+r.ID+"/photo", "", "If-None-Match", resp.Header.Get("ETag")); resp.StatusCode != 304 {
			t.Errorf("%s: with its ETag %s, want 304", test.name, resp.Status)
		}
		_, body = s.ask("DELETE", "/results/"+r.ID, "")
		if f := read[forgotten](t, body); !slices.Contains(f.Removed, "thumbnail") {
			t.Errorf("%s: forgetting removes %q, want the thumbnail too", test.name, f.Removed)
		}
		if resp, _ := s.ask("GET", "/results/"+r.ID+"/photo", ""); resp.StatusCode != 404 {
			t.Errorf("%s: the photo of what was forgotten = %s", test.name, resp.Status)
		}
	}
	before := len(s.Gemini.Calls())
	for _, test := range []struct{ name, kind, body, want string }{
		{"before its photo", firstType, first, "behind its photo"},
		{"PNG", pngType, png, "no JPEG"},
		{"too large", "application/json", asJSON("a.jpg", encoded(make([]byte, 40_000))), "thumbnail"},
		{"of an object", "application/json", `{"uri":"gs://uploads/a.jpg","thumbnail":"` + encoded(small) + `"}`, "beside uri"},
	} {
		resp, body := s.ask("POST", "/analyze", test.body, "Content-Type", test.kind)
		if resp.StatusCode != 400 || !strings.Contains(body, test.want) {
			t.Errorf("%s: %s %.300s; want 400 %s", test.name, resp.Status, body, test.want)
		}
	}
	if got := len(s.Gemini.Calls()); got != before {
		t.Errorf("refused thumbnails cost %d calls", got-before)
	}
}

// Photos that are sent with the name of a set are listed by it, however they came: the same photo is in each set that
// it was sent in, and paid for once.
func TestResultsOfASet(t *testing.T) {
	t.Parallel()
	s := serve(t)
	one, other := string(picture(t, 70)), string(picture(t, 71))
	for _, path := range []string{"/analyze?set=Tuesday+shelf", "/analyze?set=Wednesday", "/analyze"} {
		if resp, body := s.ask("POST", path, one, "Content-Type", "image/jpeg"); resp.StatusCode != 200 {
			t.Fatalf("POST %s = %s %s", path, resp.Status, body)
		}
	}
	body, kind := form(t, [2]string{"b.jpg", other}, [2]string{"set", "Tuesday shelf"})
	if resp, body := s.ask("POST", "/analyze", body, "Content-Type", kind); resp.StatusCode != 200 {
		t.Fatalf("POST of a form = %s %s", resp.Status, body)
	}
	s.uploaded("c.jpg", picture(t, 72), "set", "Tuesday shelf")
	for set, want := range map[string]int{"Tuesday+shelf": 3, "Wednesday": 1, "tuesday+shelf": 0} {
		_, list := s.ask("GET", "/results?set="+set, "")
		if got := len(read[struct{ Results []struct{ ID string } }](t, list).Results); got != want {
			t.Errorf("the set %s has %d results, want %d: %s", set, got, want, list)
		}
	}
	if n := s.readings(); n != 3 {
		t.Errorf("%d readings, want one of each photo", n)
	}
	if resp, body := s.ask("POST", "/analyze?set="+strings.Repeat("x", 101), one, "Content-Type", "image/jpeg"); resp.StatusCode != 422 || !strings.Contains(body, "100 characters") {
		t.Errorf("a name too long = %s %s, want 422", resp.Status, body)
	}
}
