package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/load"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/recall"
	"example.com/whatis/internal/work"
)

func TestMain(m *testing.M) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// serve starts the API over emulators.
func serve(t *testing.T) (string, *emulate.World) {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	if err := w.Storage.CreateBucket("uploads"); err != nil {
		t.Fatal(err)
	}
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := catalog.StampOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	db, memory := w.FirestoreClient(t), load.New(1<<30, 100, time.Second)
	pipeline, err := analyze.New(analyze.Config{
		Gemini: model, Catalog: catalog.New(db), Stamp: stamp, Shop: "test",
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"},
	})
	if err != nil {
		t.Fatal(err)
	}
	in, err := intake.New(intake.Config{
		Pipeline: pipeline, Objects: blob.New(w.StorageClient(t)), Work: work.New(db, work.Options{}), Recall: recall.New(db), Memory: memory,
		Results: "results", Readable: []string{"uploads"},
		Defaults: intake.Options{Country: "KR", Lang: "ko"}, Limits: photo.Limits{MaxPixels: 10_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(func(context.Context) (*intake.Intake, error) { return in, nil }, memory))
	t.Cleanup(server.Close)
	return server.URL, w
}

func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, 30)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// form is a multipart body and its content type; "file" fields are files.
func form(t *testing.T, fields ...[2]string) (string, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		create := w.CreateFormField
		if f[0] == "file" {
			create = func(field string) (io.Writer, error) { return w.CreateFormFile(field, "a.jpg") }
		}
		part, err := create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func post(t *testing.T, url, contentType, body string) (*http.Response, map[string]any) {
	t.Helper()
	resp, err := http.Post(url, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var fields map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&fields); err != nil {
		t.Fatalf("POST %s: %s: %v", url, resp.Status, err)
	}
	return resp, fields
}

func TestAnalyze(t *testing.T) {
	url, w := serve(t)
	upload := w.StorageClient(t).Bucket("uploads").Object("a b.jpg").NewWriter(t.Context())
	if _, err := upload.Write(picture(t, 40)); err != nil {
		t.Fatal(err)
	}
	if err := upload.Close(); err != nil {
		t.Fatal(err)
	}
	jpg := string(picture(t, 40))
	formBody, formType := form(t, [2]string{"country", "US"}, [2]string{"file", jpg}, [2]string{"lang", "en"})
	twoFiles, twoType := form(t, [2]string{"file", jpg}, [2]string{"file", jpg})
	noFile, noType := form(t, [2]string{"lang", "en"})
	odd, oddType := form(t, [2]string{"file", jpg}, [2]string{"colour", "red"})
	repeated, repeatedType := form(t, [2]string{"lang", "en"}, [2]string{"lang", "fr"}, [2]string{"file", jpg})
	emptyOption, emptyOptionType := form(t, [2]string{"lang", ""}, [2]string{"lang", "en"}, [2]string{"file", jpg})
	emptyFile, emptyFileType := form(t, [2]string{"file", ""})
	emptyThenFile, emptyThenFileType := form(t, [2]string{"file", ""}, [2]string{"file", jpg})
	long := strings.Repeat("x", 1<<20)
	longLang, longLangType := form(t, [2]string{"lang", long}, [2]string{"file", jpg})
	longPolicy, longPolicyType := form(t, [2]string{"policy", long}, [2]string{"file", jpg})
	preamble := strings.Replace(formBody, "--", "for those who cannot read forms\r\n--", 1)

	tests := []struct {
		name, query, contentType, body string
		status                         int
		want                           string // of the code, or "country lang"
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
		{"form with a preamble and an epilogue", "", formType, preamble + "\r\nthe end", 200, "US en"},

		{"form with an empty file", "", emptyFileType, emptyFile, 400, "empty"},
		{"form with an empty file and another", "", emptyThenFileType, emptyThenFile, 400, "bad_body"},
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
		{"two files", "", twoType, twoFiles, 400, "bad_body"},
		{"no file", "", noType, noFile, 400, "bad_body"},
		{"odd field", "", oddType, odd, 400, "bad_body"},
		{"cut form", "", formType, formBody[:len(formBody)-20], 400, "bad_body"},
		{"no form", "", "multipart/form-data", "x", 400, "bad_body"},
		{"no json", "", "application/json", `{"uri":`, 400, "bad_body"},
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
		resp, fields := post(t, url+"/analyze"+test.query, test.contentType, test.body)
		got := fmt.Sprint(fields["country"], " ", fields["lang"])
		if test.status != 200 {
			got = fmt.Sprint(fields["code"])
		}
		if resp.StatusCode != test.status || got != test.want {
			t.Errorf("%s: %s, %q (%v); want %d, %q", test.name, resp.Status, got, fields["detail"], test.status, test.want)
		}
		if kind := resp.Header.Get("Content-Type"); test.status != 200 && kind != "application/problem+json" {
			t.Errorf("%s: Content-Type %q, want application/problem+json", test.name, kind)
		}
		if detail, _ := fields["detail"].(string); test.status != 200 && (detail == "" || strings.Contains(detail, "photo: ") || strings.Contains(detail, "intake: ")) {
			t.Errorf("%s: detail %q, want a sentence for people", test.name, detail)
		}
		if detail, _ := fields["detail"].(string); len(detail) > 300 {
			t.Errorf("%s: detail of %d bytes, want a short one: %.80q", test.name, len(detail), detail)
		}
	}
}

func TestModelFaults(t *testing.T) {
	url, w := serve(t)
	tests := []struct {
		fault  emulated.Fault
		status int
		code   string
		retry  string
	}{
		{emulated.Fault{Type: emulated.BlockedPrompt}, 422, "model_blocked", ""},
		{emulated.Fault{Type: emulated.Truncated}, 422, "model_truncated", ""},
		{emulated.Fault{Type: emulated.RateLimited, Delay: 90 * time.Second}, 429, "model_quota", "90"},
		{emulated.Fault{Type: emulated.Unavailable}, 502, "model_unavailable", ""},
		{emulated.Fault{Type: emulated.Malformed}, 502, "model_malformed", ""},
		{emulated.Fault{Type: emulated.Gone}, 502, "model_gone", ""},
	}
	for _, test := range tests {
		w.Gemini.SetFaults(test.fault)
		resp, fields := post(t, url+"/analyze", "image/jpeg", string(picture(t, 40)))
		if resp.StatusCode != test.status || fields["code"] != test.code || resp.Header.Get("Retry-After") != test.retry {
			t.Errorf("%s: %s, %v, Retry-After %q; want %d, %s, %q", test.fault.Type, resp.Status, fields, resp.Header.Get("Retry-After"), test.status, test.code, test.retry)
		}
	}
}

func TestRoutes(t *testing.T) {
	broken := func(context.Context) (*intake.Intake, error) { return nil, errors.New("the secret key xyz is wrong") }
	server := httptest.NewServer(api.New(broken, load.New(1<<30, 1, time.Second)))
	defer server.Close()
	tests := []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/healthz", 200, "ok\n"},
		{"HEAD", "/healthz", 200, ""},
		{"GET", "/", 200, `"status": "online"`},
		{"GET", "/analyze", 405, "method_not_allowed"},
		{"GET", "/other", 404, "not_found"},
		{"POST", "/", 404, "not_found"},
		{"POST", "/analyze", 500, "internal"},
	}
	for _, test := range tests {
		req, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s = %s, %q, %v; want %d with %q", test.method, test.path, resp.Status, body, err, test.status, test.want)
		}
		if strings.Contains(string(body), "secret") {
			t.Errorf("%s %s tells %q", test.method, test.path, body)
		}
	}
}
