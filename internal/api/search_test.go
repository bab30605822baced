package api_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/search"
)

var inJSON = []string{"Content-Type", "application/json"}

// searchForm returns a form as browsers send it; the field image is a file.
func searchForm(t *testing.T, fields ...[2]string) (body string, header []string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		h := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", f[0])}}
		if f[0] == "image" {
			h.Set("Content-Disposition", `form-data; name="image"; filename="a.jpg"`)
		}
		part, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), []string{"Content-Type", w.FormDataContentType()}
}

// find returns the result of a search that must succeed.
func (s *service) find(path, body string, header []string) search.Result {
	s.t.Helper()
	resp, answer := s.ask("POST", path, body, header...)
	if resp.StatusCode != 200 {
		s.t.Fatalf("POST %s %.200q = %s %s", path, body, resp.Status, answer)
	}
	return read[search.Result](s.t, answer)
}

// Words, a picture and both find the frame, sent as JSON or as a form.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := searching(t)
	wanted := frame(t, "cat_eye", "red", "sunglasses")
	picture := photographed(t, wanted)
	face := `{"face_detected":true,"face_shape":"oval","recommended_frame_shapes":["cat_eye"],"age":33}`
	asForm, formHeader := searchForm(t, [2]string{"query", "kính mát"}, [2]string{"image", string(picture)}, [2]string{"analysis_result", face},
		[2]string{"limit", "3"}, [2]string{"text_weight", "0.5"}, [2]string{"image_weight", "0.5"}, [2]string{"filters", `{"color":"red"}`}, [2]string{"lang", ""})
	tests := []struct {
		name, path, body string
		header           []string
		kind             search.SearchType
		count            int
	}{
		{"words", "/search", `{"query":"red cat-eye sunglasses"}`, inJSON, search.ByText, 1},
		{"words alone", "/search/text", `{"query":"kính mát mắt mèo màu đỏ","limit":2}`, nil, search.ByText, 1},
		{"more", "/search", `{"query":"glasses","like":"","limit":7,"filters":{"frameShape":"cat_eye"},"price":{"max":9000000}}`, inJSON, search.ByText, 6},
		{"a picture", "/search", `{"image":` + jsonOf(t, picture) + `,"limit":1}`, inJSON, search.ByImage, 1},
		{"a data: URL", "/search", `{"image":"data:image/jpeg;base64,` + strings.Trim(jsonOf(t, picture), `"`) + `","limit":1}`, inJSON, search.ByImage, 1},
		{"a form", "/search", asForm, formHeader, search.ByBoth, 0},
		{"an analysis as text", "/search", `{"query":"red sunglasses","limit":1,"analysis_result":` + jsonOf(t, face) + `}`, inJSON, search.ByText, 0},
	}
	for _, test := range tests {
		got := s.find(test.path, test.body, test.header)
		if got.SearchType != test.kind || len(got.Products) == 0 || test.count > len(got.Products) || got.Shop != "test" {
			t.Errorf("%s: %s with %d products of %s, want %s with %d: %+v", test.name, got.SearchType, len(got.Products), got.Shop, test.kind, test.count, got)
			continue
		}
		if first := got.Products[0]; first.Name != wanted.Name && test.name != "more" {
			t.Errorf("%s: the first is %+v, want %s", test.name, first, wanted.Name)
		}
		if strings.Contains(test.body, "face_shape") && !slices.Contains(got.RecommendedShapes, "cat_eye") {
			t.Errorf("%s: recommended_shapes %q, want those of the analysis", test.name, got.RecommendedShapes)
		}
	}
}

// Errors of a search say what to send.
func TestWrongSearches(t *testing.T) {
	t.Parallel()
	s := searching(t)
	none := strings.Repeat("0", 32)
	form := func(fields ...[2]string) func() (string, []string) {
		return func() (string, []string) { return searchForm(t, fields...) }
	}
	asJSON := func(body string) func() (string, []string) { return func() (string, []string) { return body, inJSON } }
	tests := []struct {
		name, code, says string
		body             func() (string, []string)
	}{
		{"nothing", "bad_search", "send words, a picture", asJSON(`{}`)},
		{"an empty form", "bad_search", "send words, a picture", form([2]string{"query", ""})},
		{"no JSON", "bad_body", `send {"query"`, asJSON(`query=a`)},
		{"a list", "bad_body", "is a JSON array", asJSON(`[]`)},
		{"two searches", "bad_body", "send one search", asJSON(`{"query":"a"}{"query":"b"}`)},
		{"an unknown field", "bad_body", `unknown field "q"`, asJSON(`{"q":"a"}`)},
		{"a number as words", "bad_body", "number as query", asJSON(`{"query":7}`)},
		{"another kind of body", "bad_body", "a form with the fields", func() (string, []string) { return "a", []string{"Content-Type", "text/plain"} }},
		{"another field", "bad_body", `"words": use after, analysis_result, counts`, form([2]string{"words", "a"})},
		{"a field twice", "bad_body", "query twice", form([2]string{"query", "a"}, [2]string{"query", "b"})},
		{"limit 0", "bad_search", "send 1 to 50", asJSON(`{"query":"a","limit":0}`)},
		{"limit 51", "bad_search", "send 1 to 50", form([2]string{"query", "a"}, [2]string{"limit", "51"})},
		{"no limit", "bad_body", "a whole number", form([2]string{"query", "a"}, [2]string{"limit", "many"})},
		{"weights that are no numbers", "bad_search", "numbers from 0", form([2]string{"query", "a"}, [2]string{"text_weight", "NaN"})},
		{"negative weights", "bad_search", "numbers from 0", asJSON(`{"query":"a","weights":{"text":-1,"image":1}}`)},
		{"no weight", "bad_search", "above 0", form([2]string{"query", "a"}, [2]string{"text_weight", "0"}, [2]string{"image_weight", "0"})},
		{"min over max", "bad_search", "other way round", form([2]string{"query", "a"}, [2]string{"price", `{"min":2,"max":1}`})},
		{"no price", "bad_body", `want {"min"`, form([2]string{"query", "a"}, [2]string{"price", "cheap"})},
		{"no filters", "bad_body", "codes by facet", form([2]string{"query", "a"}, [2]string{"filters", "red"})},
		{"an unknown code", "bad_search", "/search/filters", asJSON(`{"query":"a","filters":{"color":"infrared"}}`)},
		{"no analysis", "bad_search", "face_detected", form([2]string{"query", "a"}, [2]string{"analysis_result", "{oval"})},
		{"no analysis in JSON", "bad_search", "face_detected", asJSON(`{"query":"a","analysis_result":[1]}`)},
		{"no picture", "bad_search", "image: ", form([2]string{"image", "this is text"})},
		{"half a picture", "bad_search", "image: ", form([2]string{"image", string(picture(t, 46)[:200])})},
		{"no base64", "bad_body", "base64", asJSON(`{"image":"?"}`)},
		{"an unknown shop", "bad_search", "another", asJSON(`{"query":"a","shop":"nowhere"}`)},
		{"an unknown language", "bad_search", "send vi, en or ko", asJSON(`{"query":"a","lang":"fr"}`)},
		{"like nothing", "bad_search", "product_id", asJSON(`{"like":"` + none + `"}`)},
		{"too many words", "bad_search", "fewer words", asJSON(`{"query":"` + strings.Repeat("a ", 300) + `"}`)},
	}
	for _, test := range tests {
		body, header := test.body()
		for _, accept := range []string{"application/json", "text/event-stream"} {
			resp, answer := s.ask("POST", "/search", body, append([]string{"Accept", accept}, header...)...)
			fields := read[map[string]any](t, answer)
			if detail, _ := fields["detail"].(string); resp.StatusCode != 400 || fields["code"] != test.code || !strings.Contains(detail, test.says) {
				t.Errorf("%s as %s = %s %s, want 400 %s with %q", test.name, accept, resp.Status, answer, test.code, test.says)
			}
		}
	}
	for body, says := range map[string]string{`{"image":"YQ=="}`: "send that to /search", `{}`: "no query", `{"query":" "}`: "no query"} {
		if resp, answer := s.ask("POST", "/search/text", body); resp.StatusCode != 400 || !strings.Contains(answer, says) {
			t.Errorf("POST /search/text %s = %s %s, want 400 with %q", body, resp.Status, answer, says)
		}
	}
}

// A stream reports each agent's work and ends with the result.
func TestSearchStream(t *testing.T) {
	t.Parallel()
	s := searching(t)
	_, body := s.ask("POST", "/search", `{"query":"round black frames"}`, append([]string{"Accept", "text/event-stream"}, inJSON...)...)
	var finished []string
	all := events(t, strings.NewReader(body), nil)
	for _, e := range all {
		if e.kind != "agent" {
			continue
		}
		if a := read[struct{ Author, Kind string }](t, e.data); a.Kind == "finished" {
			finished = append(finished, a.Author)
		}
	}
	want := []string{"intent_classifier", "intent_router", "attribute_extractor", "embed_query", "semantic_search", "format_response"}
	if !slices.Equal(slices.DeleteFunc(finished, func(a string) bool { return a == "search_agent" }), want) {
		t.Errorf("agents %q, want %q", finished, want)
	}
	if n := len(all); n < 2 || all[n-2].kind != "result" || all[n-1].kind != "end" || read[search.Result](t, all[n-2].data).Count == 0 {
		t.Errorf("the stream ends with %+v, want a result and the end", all[max(0, n-2):])
	}
}

// A product has a record, a picture and similar products.
func TestProducts(t *testing.T) {
	t.Parallel()
	s := searching(t)
	hit := s.find("/search", `{"query":"red cat-eye sunglasses","limit":1}`, inJSON).Products[0]
	path := "/products/" + hit.ProductID
	_, body := s.ask("GET", path, "")
	if got := read[search.Detail](t, body); got.SKU == "" || got.Name != hit.Name || got.Facets["frameShape"] != "cat_eye" {
		t.Errorf("GET %s = %s, want the record of %s", path, body, hit.Name)
	}
	_, body = s.ask("GET", path+"/similar?limit=4&lang=vi", "")
	if got := read[search.Result](t, body); len(got.Products) == 0 || slices.ContainsFunc(got.Products, func(h search.Hit) bool { return h.ProductID == hit.ProductID }) {
		t.Errorf("GET %s/similar = %s, want others", path, body)
	}
	resp, body := s.ask("GET", hit.ImageURL, "")
	img, kind, err := image.Decode(strings.NewReader(body))
	if err != nil || kind != "jpeg" || img.Bounds().Dx() != 320 {
		t.Errorf("GET %s = %s, a %s, %v; want a JPEG 320 wide", hit.ImageURL, resp.Status, kind, err)
	}
	h := resp.Header
	if h.Get("Cache-Control") != "private, max-age=3600" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the picture has the header %v, want it cacheable and not to be guessed at", h)
	}
	if resp, _ := s.ask("GET", hit.ImageURL, "", "If-None-Match", h.Get("ETag")); resp.StatusCode != 304 {
		t.Errorf("the picture with its ETag %s = %s, want 304", h.Get("ETag"), resp.Status)
	}
	if _, body := s.ask("GET", path+"/image?width=40", ""); len(body) == 0 {
		t.Error("the picture 40 wide is empty")
	}
	if err := s.objects.Bucket("pictures").Object(read[search.Detail](t, get(s, path)).SKU + ".png").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path   string
		status int
		code   string
	}{
		{path + "/image", 404, "no_picture"},
		{path + "/image?width=9", 422, "bad_option"},
		{path + "/similar?limit=99", 422, "bad_option"},
		{path + "?shop=other", 404, "product_not_found"},
		{"/products/" + strings.Repeat("0", 32), 404, "product_not_found"},
		{"/products/" + strings.Repeat("0", 32) + "/similar", 404, "product_not_found"},
		{"/products/" + strings.Repeat("0", 32) + "/image", 404, "product_not_found"},
		{"/products/EW-1001", 404, "product_not_found"},
		{"/search/filters?shop=nowhere", 400, "bad_search"},
	} {
		resp, body := s.ask("GET", test.path, "")
		if fields := read[map[string]any](t, body); resp.StatusCode != test.status || fields["code"] != test.code {
			t.Errorf("GET %s = %s %s, want %d %s", test.path, resp.Status, body, test.status, test.code)
		}
	}
}

func get(s *service, path string) string {
	s.t.Helper()
	_, body := s.ask("GET", path, "")
	return body
}

// A product's picture in a bucket that is not for pictures is not shown.
func TestPicturesOfOtherBuckets(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("private.png", shelved[0].PNG())
	for i, uri := range []string{"gs://uploads/private.png", "private.png", "gs://pictures"} {
		file := bytes.NewBufferString(fmt.Sprintf(`{"product_name":"frame %d","key_features":["x"],"sku":"S%d","image_uri":%q}`, i, i, uri))
		s.importFile(file, map[string][]byte{uri: shelved[0].PNG()})
		id := s.find("/search", fmt.Sprintf(`{"query":"S%d"}`, i), inJSON).Products[0].ProductID
		if resp, body := s.ask("GET", "/products/"+id+"/image", ""); resp.StatusCode != 404 || !strings.Contains(body, "no_picture") {
			t.Errorf("the picture at %s = %s %.100q, want 404 no_picture", uri, resp.Status, body)
		}
	}
}

// The facets of a shop are listed with their codes.
func TestSearchFilters(t *testing.T) {
	t.Parallel()
	s := searching(t)
	got := read[search.Filters](t, get(s, "/search/filters"))
	i := slices.IndexFunc(got.Facets, func(f search.FacetFilter) bool { return f.Facet == "frameShape" })
	if got.Shop != "test" || i < 0 || !slices.ContainsFunc(got.Facets[i].Values, func(v search.FilterValue) bool {
		return v.Count > 0 && v == search.FilterValue{Code: "cat_eye", En: "cat-eye", Vi: "mắt mèo", Ko: "캣아이", Count: v.Count}
	}) {
		t.Errorf("filters %+v, want those of eyewear", got)
	}
	resp, _ := s.ask("GET", "/search/filters", "")
	if again, body := s.ask("GET", "/search/filters", "", "If-None-Match", resp.Header.Get("ETag")); again.StatusCode != 304 || body != "" {
		t.Errorf("the filters again = %s, %.100q; want 304, as nothing has changed", again.Status, body)
	}
}

// A client that accepts only JSON gets the greeting of the search agent.
func TestSearchGreeting(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for accept, want := range map[string]string{"application/json": "search_agent", "*/*": "whatis"} {
		_, body := s.ask("GET", "/", "", "Accept", accept)
		if got := read[map[string]string](t, body); got["status"] != "online" || got["service"] != want {
			t.Errorf("GET / as %s = %s, want %s online", accept, body, want)
		}
	}
}
