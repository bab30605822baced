package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestAnalyze(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("a b.jpg", picture(t, 40))
	jpg := string(picture(t, 40))
	formBody, formType := form(t, [2]string{"country", "US"}, [2]string{"file", jpg}, [2]string{"lang", "en"})
	fileAndURI, fileAndURIType := form(t, [2]string{"file", jpg}, [2]string{"uri", "gs://uploads/a b.jpg"})
	one, oneType := form(t, [2]string{"file", jpg}, [2]string{"file", string(picture(t, 41))}, [2]string{"as", "one"})
	noFile0, noFile0Type := form(t, [2]string{"none", ""}, [2]string{"file", jpg})
	nobodyChose := strings.Replace(noFile0, `name="none"`, `name="none"; filename=""`, 1)
	noFile, noType := form(t, [2]string{"lang", "en"})
	odd, oddType := form(t, [2]string{"file", jpg}, [2]string{"colour", "red"})
	repeated, repeatedType := form(t, [2]string{"lang", "en"}, [2]string{"lang", "fr"}, [2]string{"file", jpg})
	emptyOption, emptyOptionType := form(t, [2]string{"lang", ""}, [2]string{"lang", "en"}, [2]string{"file", jpg})
	emptyFile, emptyFileType := form(t, [2]string{"file", ""})
	manyFiles, manyType := form(t, slices.Repeat([][2]string{{"file", jpg}}, 21)...)
	nine := "["
	for i := range 9 {
		nine += `{"image":"` + base64.StdEncoding.EncodeToString(picture(t, 40+i)) + `"},`
	}
	nine = nine[:len(nine)-1] + "]"
	base := base64.StdEncoding.EncodeToString([]byte(jpg))
	long := strings.Repeat("x", 1<<20)
	longLang, longLangType := form(t, [2]string{"lang", long}, [2]string{"file", jpg})
	longPolicy, longPolicyType := form(t, [2]string{"policy", long}, [2]string{"file", jpg})
	preamble := strings.Replace(formBody, "--", "for those who cannot read forms\r\n--", 1)

	tests := []struct {
		name, query, contentType, body string
		status                         int
		want                           string // the code, or "country lang"
	}{
		{"raw", "", "image/jpeg", jpg, 200, "KR ko"},
		{"raw as curl sends it", "", "application/x-www-form-urlencoded", jpg, 200, "KR ko"},
		{"raw of the wrong type", "", "image/png", jpg, 200, "KR ko"},
		{"query", "?country=US&lang=en", "image/jpeg", jpg, 200, "US en"},
		{"form", "", formType, formBody, 200, "US en"},
		{"form and query", "?country=JP", formType, formBody, 200, "JP en"},
		{"uri", "", "application/json", `{"uri":"gs://uploads/a b.jpg","lang":"en"}`, 200, "KR en"},
		{"uri, of JSON with a charset", "", "Application/JSON; charset=utf-8", `{"uri":"gs://uploads/a b.jpg"}`, 200, "KR ko"},
		{"uri and query", "?lang=fr", "application/json", `{"uri":"gs://uploads/a b.jpg","lang":"en","country":"US"}`, 200, "US fr"},
		{"uri with an empty option", "?lang=", "application/json", `{"uri":"gs://uploads/a b.jpg","lang":"en","country":""}`, 200, "KR en"},
		{"form and an empty query", "?country=&lang=", formType, formBody, 200, "US en"},
		{"query twice", "?lang=en&lang=fr", "image/jpeg", jpg, 200, "KR en"},
		{"form field twice", "", repeatedType, repeated, 200, "KR en"},
		{"form field empty, then set", "", emptyOptionType, emptyOption, 200, "KR en"},
		{"form where one file was not chosen", "", noFile0Type, nobodyChose, 200, "KR ko"},
		{"two files of one product", "", oneType, one, 200, "KR ko"},
		{"base64", "", "application/json", `{"image":"` + base + `","lang":"en"}`, 200, "KR en"},
		{"base64 with escaped slashes", "", "application/json", `{"image":"` + strings.ReplaceAll(base, "/", `\/`) + `"}`, 200, "KR ko"},
		{"base64 in lines", "", "application/json", `{"image":"` + base[:40] + `\n` + base[40:] + `"}`, 200, "KR ko"},
		{"data URL", "", "application/json", `{"image":"data:image/jpeg;base64,` + base + `"}`, 200, "KR ko"},
		{"list of one", "", "application/json", `[{"image":"` + base + `"}]`, 200, "KR ko"},
		{"list of one product", "?as=one", "application/json", `[{"image":"` + base + `"},{"uri":"gs://uploads/a b.jpg"}]`, 200, "KR ko"},
		{"fresh as JSON says it", "", "application/json", `{"image":"` + base + `","fresh":true}`, 200, "KR ko"},
		{"form with a preamble and an epilogue", "", formType, preamble + "\r\nthe end", 200, "US en"},

		{"form with an empty file", "", emptyFileType, emptyFile, 400, "empty"},
		{"form field of 1 MiB", "", longLangType, longLang, 422, "bad_option"},
		{"another form field of 1 MiB", "", longPolicyType, longPolicy, 422, "bad_option"},
		{"json field of 1 MiB", "", "application/json", `{"uri":"gs://uploads/a b.jpg","policy":"` + long + `"}`, 422, "bad_option"},
		{"60 MB json", "", "application/json", `{"uri":"` + strings.Repeat("x", 60<<20), 413, "too_many_bytes"},
		{"json null", "", "application/json", `null`, 400, "bad_body"},
		{"json of a number", "", "application/json", `{"uri":7}`, 400, "bad_body"},
		{"json of an object", "", "application/json", `{"uri":{"gs":"uploads/a b.jpg"}}`, 400, "bad_body"},
		{"json behind something else", "", "application/json", `x{"uri":"gs://uploads/a b.jpg"}`, 400, "bad_body"},
		{"empty json", "", "application/json", "", 400, "bad_body"},
		{"second_look", "?second_look=often", "image/jpeg", jpg, 422, "bad_option"},
		{"country", "?country=Korea", "image/jpeg", jpg, 422, "bad_option"},

		{"empty", "", "image/jpeg", "", 400, "empty"},
		{"text", "", "image/jpeg", "this is not a photo at all", 415, "not_an_image"},
		{"truncated", "", "image/jpeg", jpg[:len(jpg)/2], 422, "truncated"},
		{"pixels", "", "image/jpeg", string(picture(t, 400)), 413, "too_many_pixels"},
		{"60 MB", "", "image/jpeg", strings.Repeat("x", 60<<20), 413, "too_many_bytes"},
		{"60 MB form", "", `multipart/form-data; boundary=b`, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" + strings.Repeat("x", 60<<20), 413, "too_many_bytes"},
		{"21 files", "", manyType, manyFiles, 400, "bad_body"},
		{"a file and a uri", "", fileAndURIType, fileAndURI, 400, "bad_body"},
		{"no file", "", noType, noFile, 400, "bad_body"},
		{"odd field", "", oddType, odd, 400, "bad_body"},
		{"cut form", "", formType, formBody[:len(formBody)-20], 400, "bad_body"},
		{"no form", "", "multipart/form-data", "x", 400, "bad_body"},
		{"no json", "", "application/json", `{"uri":`, 400, "bad_body"},
		{"two kinds in one object", "", "application/json", `{"image":"` + base + `","uri":"gs://uploads/a b.jpg"}`, 400, "bad_body"},
		{"base64 that is none", "", "application/json", `{"image":"is this a photo?"}`, 400, "bad_body"},
		{"base64 that is cut", "", "application/json", `{"image":"` + base[:len(base)/4*4-3] + `"}`, 400, "bad_body"},
		{"data URL without data", "", "application/json", `{"image":"data:image/jpeg;base64"}`, 400, "bad_body"},
		{"data URL without base64", "", "application/json", `{"image":"data:image/jpeg,abc"}`, 400, "bad_body"},
		{"image of a number", "", "application/json", `{"image":7}`, 400, "bad_body"},
		{"empty image", "", "application/json", `{"image":""}`, 400, "empty"},
		{"list of nothing", "", "application/json", `[null]`, 400, "bad_body"},
		{"list of 21", "", "application/json", "[" + strings.Repeat(`{"uri":"gs://uploads/a b.jpg"},`, 20) + `{"uri":"gs://uploads/a b.jpg"}]`, 400, "bad_body"},
		{"list with a wrong option", "", "application/json", `[{"uri":"gs://uploads/a b.jpg"},{"uri":"gs://uploads/a b.jpg","lang":"klingon!"}]`, 422, "bad_option"},
		{"nine photos of one product", "?as=one", "application/json", nine, 413, "too_many_photos"},
		{"as", "?as=two", "image/jpeg", jpg, 422, "bad_option"},
		{"fresh", "?fresh=yes", "image/jpeg", jpg, 422, "bad_option"},
		{"../ in a name", "", "application/json", `{"uri":"gs://uploads/../secrets/a.jpg"}`, 422, "bad_option"},
		{"long name", "", "application/json", `{"uri":"gs://uploads/` + strings.Repeat("a", 2000) + `"}`, 422, "bad_option"},
		{"json list", "", "application/json", `[]`, 400, "bad_body"},
		{"json without uri", "", "application/json", `{"url":"gs://uploads/a.jpg"}`, 400, "bad_body"},
		{"odd json field", "", "application/json", `{"uri":"gs://uploads/a.jpg","colour":"red"}`, 400, "bad_body"},
		{"json and more", "", "application/json", `{"uri":"gs://uploads/a b.jpg"} x`, 400, "bad_body"},
		{"http uri", "", "application/json", `{"uri":"https://example.com/a.jpg"}`, 422, "bad_option"},
		{"another bucket", "", "application/json", `{"uri":"gs://secrets/a.jpg"}`, 403, "bucket_not_allowed"},
		{"missing object", "", "application/json", `{"uri":"gs://uploads/b.jpg"}`, 404, "object_not_found"},
		{"lang", "?lang=klingon!", "image/jpeg", jpg, 422, "bad_option"},
		{"policy", "?policy=lax", "image/jpeg", jpg, 422, "bad_option"},
	}
	for _, test := range tests {
		resp, body := s.ask("POST", "/analyze"+test.query, test.body, "Content-Type", test.contentType)
		fields := read[map[string]any](t, body)
		got := fmt.Sprint(fields["country"], " ", fields["lang"])
		if test.status != 200 {
			got = fmt.Sprint(fields["code"])
		}
		if resp.StatusCode != test.status || got != test.want {
			t.Errorf("%s: %s, %q (%v); want %d, %q", test.name, resp.Status, got, fields["detail"], test.status, test.want)
		}
		if test.status != 200 {
			checkProblem(t, test.name, resp, fields)
		}
	}
}

// checkProblem checks that a response is a problem with a readable text.
func checkProblem(t *testing.T, name string, resp *http.Response, fields map[string]any) {
	t.Helper()
	if kind := resp.Header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("%s: Content-Type %q, want application/problem+json", name, kind)
	}
	detail, _ := fields["detail"].(string)
	if detail == "" || strings.Contains(detail, "photo: ") || strings.Contains(detail, "intake: ") || strings.Contains(detail, "api: ") {
		t.Errorf("%s: detail %q, want a sentence for people", name, detail)
	}
	if len(detail) > 300 {
		t.Errorf("%s: detail of %d bytes, want a short one: %.80q", name, len(detail), detail)
	}
}
