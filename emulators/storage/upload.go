package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
)

// uploads are the resumable uploads in progress, by upload ID: how many bytes each has.
// fake-gcs-server appends all bytes it gets, and ends an upload when its status is
// requested. https://cloud.google.com/storage/docs/performing-resumable-uploads#status-check
type uploads map[string]int

// asked reports whether r requests the status of its upload: a range without bytes whose
// total is unknown, or has not been reached.
func (u uploads) asked(r *http.Request, body []byte) (received int, asks bool) {
	received, known := u[r.URL.Query().Get("upload_id")]
	total, ok := strings.CutPrefix(r.Header.Get("Content-Range"), "bytes */")
	if !known || !ok || r.Method != http.MethodPut || len(body) > 0 {
		return 0, false
	}
	n, err := strconv.Atoi(total)
	return received, err != nil || n > received
}

// fresh returns body without the bytes that an earlier request brought.
func (u uploads) fresh(r *http.Request, body []byte) []byte {
	received := u[r.URL.Query().Get("upload_id")]
	span, ok := strings.CutPrefix(r.Header.Get("Content-Range"), "bytes ")
	first, _, _ := strings.Cut(span, "-")
	start, err := strconv.Atoi(first)
	if !ok || err != nil || start >= received {
		return body
	}
	return body[min(received-start, len(body)):]
}

// note records the number of bytes of r's upload after its answer.
func (u uploads) note(r *http.Request, body []byte, answer *httptest.ResponseRecorder) {
	id := r.URL.Query().Get("upload_id")
	if at, err := url.Parse(answer.Header().Get("Location")); err == nil && id == "" && answer.Code == http.StatusOK {
		id = at.Query().Get("upload_id")
	}
	switch {
	case id == "":
	case r.Method == http.MethodPost && answer.Code == http.StatusOK:
		u[id] = 0
	case answer.Code == http.StatusPermanentRedirect || answer.Header().Get("X-Http-Status-Code-Override") == "308":
		u[id] += len(body)
	case answer.Code < http.StatusInternalServerError:
		delete(u, id)
	}
}

// tell answers with the number of bytes received.
func tell(w http.ResponseWriter, r *http.Request, received int) {
	if received > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", received-1))
	}
	if _, go308 := r.Header["X-Guploader-No-308"]; go308 {
		w.Header().Set("X-Http-Status-Code-Override", "308")
		return
	}
	w.WriteHeader(http.StatusPermanentRedirect)
}

// typed adds the content type to the metadata of the request that starts a resumable
// upload. fake-gcs-server ignores the header in which Google's client for Node sends it.
// https://cloud.google.com/storage/docs/performing-resumable-uploads#initiate-session
func typed(r *http.Request, body []byte) []byte {
	kind := r.Header.Get("X-Upload-Content-Type")
	if kind == "" || r.Method != http.MethodPost || r.URL.Query().Get("uploadType") != "resumable" {
		return body
	}
	metadata := map[string]any{}
	if len(bytes.TrimSpace(body)) > 0 && json.Unmarshal(body, &metadata) != nil || metadata["contentType"] != nil {
		return body
	}
	metadata["contentType"] = kind
	with, err := json.Marshal(metadata)
	if err != nil {
		return body
	}
	return with
}
