package storage_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/emulators/storage"
)

// send asks as a program without Google's client does.
func send(t *testing.T, method, url, body string, header ...string) (status int, answer []byte, headers http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return resp.StatusCode, answer, resp.Header
}

// Google's client for Node leaves out the root of the JSON API.
func TestRequestsWithoutRoot(t *testing.T) {
	t.Parallel()
	s, photos := start(t, storage.Options{})
	if _, err := write(t.Context(), photos.Object(hardName), []byte("abc"), nil); err != nil {
		t.Fatal(err)
	}
	name := "%EC%82%AC%EC%A7%84%2F%EC%B4%88%EC%BD%94%20%ED%8C%8C%EC%9D%B4%20100%25%2Fa%2Bb%3Fc%3Dd%26e%23f%2F%252F..jpg"
	for _, tt := range []struct {
		method, path, body string
		want               int
		holds              string
	}{
		{"POST", "/b?project=p", `{"name":"teas"}`, 200, `"storage#bucket"`},
		{"POST", "/b?project=p", `{"name":"teas"}`, 409, `"conflict"`},
		{"GET", "/b?project=p", ``, 200, `"teas"`},
		{"GET", "/b/teas", ``, 200, `"storage#bucket"`},
		{"GET", "/b/nowhere", ``, 404, `"notFound"`},
		{"GET", "/b/photos/o?prefix=%EC%82%AC", ``, 200, `"storage#objects"`},
		{"GET", "/b/photos/o/" + name, ``, 200, `"size":"3"`},
		{"GET", "/b/photos/o/" + name + "?alt=media", ``, 200, `abc`},
		{"GET", "/b/photos/o/" + name + "?ifGenerationMatch=1", ``, 412, `"conditionNotMet"`},
		{"PATCH", "/b/photos/o/" + name, `{"metadata":{"country":"KR"}}`, 200, `"KR"`},
		{"PATCH", "/b/photos/o/" + name, `{"metadata":{"lang":"ko","country":null},"cacheControl":"no-store"}`, 200, `no-store`},
		{"GET", "/b/photos/o/" + name, ``, 200, `"metadata":{"lang":"ko"}`},
		{"PATCH", "/b/photos/o/" + name, `{"cacheControl":null}`, 501, `storage.objects.patch that removes cacheControl`},
		{"PATCH", "/b/photos", `{"versioning":{"enabled":true}}`, 200, `"versioning":{"enabled":true}`},
		{"PATCH", "/b/photos", `{"labels":{"a":"b"}}`, 501, `storage.buckets.patch of labels`},
		{"POST", "/b/photos/o/" + name + "/rewriteTo/b/teas/o/copy", ``, 200, `"storage#rewriteResponse"`},
		{"GET", "/b/teas/managedFolders", ``, 200, `"items":[]`},
		{"GET", "/b/nowhere/managedFolders", ``, 404, `"notFound"`},
		{"DELETE", "/b/teas", ``, 409, `not empty`},
		{"DELETE", "/b/teas/o/copy?ifGenerationMatch=1", ``, 412, `"conditionNotMet"`},
		{"DELETE", "/b/teas/o/copy", ``, 204, ``},
		{"DELETE", "/b/teas", ``, 204, ``},
		{"POST", "/b?project=p", `{"name":"uploads"}`, 200, `"uploads"`}, // begins as the path of uploads does
		{"POST", "/b/photos/o/" + name + "/rewriteTo/b/uploads/o/copy", ``, 200, `"storage#rewriteResponse"`},
		{"GET", "/uploads/copy", ``, 200, `abc`},
	} {
		status, body, _ := send(t, tt.method, s.URL()+tt.path, tt.body, "Content-Type", "application/json")
		if status != tt.want || !bytes.Contains(body, []byte(tt.holds)) {
			t.Errorf("%s %s = %d %s, want %d and %s", tt.method, tt.path, status, body, tt.want, tt.holds)
		}
	}
}

// What the emulator lacks is no missing object: the answer names it.
func TestNotServed(t *testing.T) {
	t.Parallel()
	s, photos := start(t, storage.Options{})
	if _, err := write(t.Context(), photos.Object("a"), []byte("abc"), nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/b/photos/o/a/moveTo/o/b", "storage.objects.move"},
		{"POST", "/storage/v1/b/photos/o/a/restore?generation=1", "storage.objects.restore"},
		{"GET", "/storage/v1/b/photos/o/a/iam", "storage.objects.getIamPolicy"},
		{"GET", "/b/photos/iam", "storage.buckets.getIamPolicy"},
		{"GET", "/b/photos/iam/testPermissions", "testIamPermissions"},
		{"POST", "/b/photos/o/watch", "storage.objects.watchAll"},
		{"POST", "/b/photos/notificationConfigs", "storage.notifications"},
		{"GET", "/b/photos/folders", "storage.folders"},
		{"POST", "/b/photos/managedFolders", "managedFolders"},
		{"POST", "/projects/p/hmacKeys", "storage.projects.hmacKeys"},
		{"GET", "/projects/p/serviceAccount", "storage.projects.serviceAccount.get"},
		{"PUT", "/b/photos", "PUT /storage/v1/b/photos"},
		{"GET", "/storage/v2/b", "GET /storage/v2/b"},
		{"POST", "/photos/a?uploads", "?uploads"},
		{"GET", "/photos?cors", "?cors"},
	} {
		status, body, _ := send(t, tt.method, s.URL()+tt.path, `{}`)
		if status != http.StatusNotImplemented || !bytes.Contains(body, []byte(tt.want)) {
			t.Errorf("%s %s = %d %s, want 501 and %s", tt.method, tt.path, status, body, tt.want)
		}
	}
	if got, err := read(t.Context(), photos.Object("a")); string(got) != "abc" || err != nil {
		t.Errorf("the object is %q, %v afterwards; want \"abc\"", got, err)
	}
}

// A resumable upload has the type that its first request says in a header, and who
// asks how far it came is told, and ends nothing.
func TestResumableUpload(t *testing.T) {
	t.Parallel()
	s, photos := start(t, storage.Options{})
	status, _, headers := send(t, "POST", s.URL()+"/upload/storage/v1/b/photos/o?uploadType=resumable&name=a", `{}`, "X-Upload-Content-Type", "image/jpeg")
	session := headers.Get("Location")
	if status != 200 || session == "" {
		t.Fatalf("the start of an upload = %d, %v", status, headers)
	}
	ask := func(span, body string, want int, reached string) {
		t.Helper()
		status, answer, headers := send(t, "PUT", session, body, "Content-Range", span)
		if status != want || headers.Get("Range") != reached {
			t.Fatalf("PUT %s %q = %d %s, Range %q; want %d and %q", span, body, status, answer, headers.Get("Range"), want, reached)
		}
	}
	ask("bytes */*", "", 308, "")
	ask("bytes 0-2/*", "abc", 308, "bytes=0-2")
	ask("bytes */*", "", 308, "bytes=0-2")
	ask("bytes */5", "", 308, "bytes=0-2")
	ask("bytes 1-3/*", "bcd", 308, "bytes=0-3") // sent again, as after a broken connection
	ask("bytes 4-4/5", "e", 200, "bytes=0-4")
	if got, err := read(t.Context(), photos.Object("a")); string(got) != "abcde" || err != nil {
		t.Errorf("the object is %q, %v; want \"abcde\"", got, err)
	}
	if a, err := photos.Object("a").Attrs(t.Context()); err != nil || a.ContentType != "image/jpeg" {
		t.Errorf("Attrs = %+v, %v; want image/jpeg", a, err)
	}
}
