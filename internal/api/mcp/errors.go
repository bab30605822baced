package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"example.com/whatis/internal/web"
)

// The codes of JSON-RPC errors.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
)

// refuse answers a body that is no call with an error, and reports whether it did. A list of
// calls is an error whatever version of the protocol it is of: since 2025-06-18 there are none,
// and one body could hold thousands of calls.
func refuse(w http.ResponseWriter, body []byte) bool {
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
		writeError(w, http.StatusBadRequest, nil, codeInvalid, "lists of calls are not supported: send each call by itself")
	case !json.Valid(body):
		writeError(w, http.StatusBadRequest, nil, codeParse, "the body is no JSON")
	default:
		return false
	}
	return true
}

// idOf returns the ID of a call, nil if it has none that may be one.
func idOf(body []byte) json.RawMessage {
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &call) != nil || len(call.ID) == 0 || strings.IndexByte(`"-0123456789`, call.ID[0]) < 0 {
		return nil
	}
	return call.ID
}

// An errorWriter makes plain-text errors JSON-RPC errors with the ID of the call.
type errorWriter struct {
	http.ResponseWriter
	id     json.RawMessage
	status int // of a plain-text error; 0 for any other response
}

// WriteHeader holds back the header of a plain-text error.
func (w *errorWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *errorWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	text, code := strings.TrimSpace(string(p)), codeInvalid
	if strings.HasPrefix(text, "JSON RPC not handled") {
		code = codeMethod
	}
	writeError(w.ResponseWriter, w.status, w.id, code, text)
	return len(p), nil
}

// Unwrap lets the SDK flush.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	w.Header().Set("Content-Type", web.JSONMedia)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // fails only if the client has left
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message},
	})
}
