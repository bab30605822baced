//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// bareCalls are the calls that a framework makes whose model chooses its tools.
var bareCalls = map[way]struct{ generate, embed int }{
	byImage: {2, 0}, byLocal: {3, 1}, byGoogle: {6, 2},
}

// bareCase returns what the bare handler is asked for in the query.
func bareCase(w way) string { return "?way=" + string(w) }

// serveBare returns the bare handler: it posts the photo and a few more questions to
// the model at url, one after the other, and answers what the last one said.
func serveBare(url string) error {
	handle := func(w http.ResponseWriter, r *http.Request) {
		photo, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		calls := bareCalls[way(r.URL.Query().Get("way"))]
		var answer map[string]any
		for n := range calls.generate {
			if err = post(url+"/v1beta/models/bare:generateContent", bareQuestion(n, photo), &answer); err != nil {
				break
			}
		}
		for range calls.embed {
			if err == nil {
				err = post(url+"/v1beta/models/bare:embedContent", map[string]any{"content": textPart("barley tea 500 ml haetsal")}, &map[string]any{})
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
	http.HandleFunc("/", handle)
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		return err
	}
	return http.Serve(l, nil)
}

// bareQuestion is question n of a photo: only the first shows it.
func bareQuestion(n int, photo []byte) map[string]any {
	parts := []any{map[string]any{"text": "What is this?"}}
	if n == 0 {
		parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": "image/jpeg", "data": base64.StdEncoding.EncodeToString(photo)}})
	}
	return map[string]any{
		"contents":         []any{map[string]any{"role": "user", "parts": parts}},
		"generationConfig": map[string]any{"responseMimeType": "application/json", "responseJsonSchema": map[string]any{"properties": map[string]any{"visible_text": true}}},
	}
}

func textPart(s string) map[string]any {
	return map[string]any{"parts": []any{map[string]any{"text": s}}}
}

// post posts question as JSON and reads the JSON of the answer.
func post(url string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}
