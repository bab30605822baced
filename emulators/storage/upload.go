package storage

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// typed has the request that starts a resumable upload say in its metadata of which
// type the content is. fake-gcs-server overlooks the header, in which Google's client
// for Node says it.
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
