//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
)

// The pace of the model while somebody watches, that of Flash-Lite as users report it.
var watched = gemini.Pace{FirstToken: 700 * time.Millisecond, PerSecond: 250}

// typicalReading is an answer of about the mean length of those about real photos, and seedAnswer
// one as each of the two agents gives it that whatis began with.
const typicalReading = `{"visible_text":[{"text":"Haetsal","box":[290,255,370,405]},{"text":"Barley","box":[390,275,470,450]},{"text":"Tea","box":[480,240,600,530]},` +
	`{"text":"- Original -"},{"text":"roasted over an open fire"},{"text":"no sugar, no caffeine"},{"text":"product of Korea"},{"text":"500 ml"},{"text":"best before","clear":false}],` +
	`"name_as_printed":"Barley Tea Original","brand_as_printed":"Haetsal","sub_brands":["Barley Tea"],"dates":[{"text":"23.06.30","kind":"best_before"}],"category":"Beverage",` +
	`"image_features":"green bottle with a cream label and an ear of barley","key_features":["Haetsal","Barley Tea","Original","500 ml","no sugar, no caffeine","roasted over an open fire",` +
	`"green bottle","white cap","ear of barley"],"product_name":"Barley Tea Original","brand":"Haetsal","product_name_confidence":0.95,"brand_confidence":1,"known_product":"yes","products_seen":1,"side":"front"}`

var seedAnswer = typicalReading[:420]

// An early is when what arrives, in seconds after the upload; 0 is never.
type early struct {
	Line float64 `json:"line_s"`
	Name float64 `json:"name_s"`
	End  float64 `json:"end_s"`
}

// The rows of the table.
const (
	inAStream  = "a photo, with its events"
	inOnePiece = "a photo, without"
	seedCalls  = "two calls of the seed"
)

// watch measures what somebody who waits sees of a photo while a model of that pace writes.
func (w *world) watch(ctx context.Context, program string, f *figures) error {
	model, err := answers.Start(gemini.Options{Pace: watched}, answers.Options{Tesseract: "off", Espeak: "off"})
	if err != nil {
		return err
	}
	defer model.Close()
	p, err := start(ctx, append(w.env(), "GOOGLE_GEMINI_BASE_URL="+model.URL()), program)
	if err != nil {
		return err
	}
	defer p.stop()
	reading := gemini.Answer{Kind: answers.KindImage, Text: typicalReading, ModelVersion: "gemini-3.5-flash-lite"}
	f.Early = map[string]early{}
	for i, name := range []string{inAStream, inOnePiece} {
		model.ResetScript()
		model.Script(reading)
		if f.Early[name], err = follow(p.url, encoded(textured(1280, 960+i), 80), i == 0); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, lastLines(p.log.String()))
		}
	}
	began := time.Now()
	for range 2 {
		model.Script(gemini.Answer{Text: seedAnswer})
		body, _ := json.Marshal(map[string]any{"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "What is it?"}}}}})
		r, err := http.NewRequestWithContext(ctx, "POST", model.URL()+"/v1beta/models/gemini-3.5-flash-lite:generateContent?key=none", bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s, %w", seedCalls, resp.Status, err)
		}
	}
	f.Early[seedCalls] = early{End: time.Since(began).Seconds()}
	f.EarlyOrder = []string{inAStream, inOnePiece, seedCalls}
	return nil
}

// follow uploads a photo and tells when what arrives.
func follow(url string, photo []byte, events bool) (e early, err error) {
	r, err := http.NewRequest("POST", url+"/analyze", bytes.NewReader(photo))
	if err != nil {
		return e, err
	}
	if events {
		r.Header.Set("Accept", "text/event-stream")
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return e, err
	}
	defer resp.Body.Close()
	arrived := func(at *float64, is bool) {
		if is && *at == 0 {
			*at = time.Since(began).Seconds()
		}
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	found := false
	for lines.Scan() {
		text := lines.Text()
		partial := strings.Contains(text, `"kind":"partial"`)
		arrived(&e.Line, partial)
		arrived(&e.Name, partial && strings.Contains(text, `"name_as_printed"`))
		found = found || strings.Contains(text, `"product_name":"Barley Tea Original"`) || strings.Contains(text, `"product_name": "Barley Tea Original"`)
	}
	arrived(&e.End, true)
	if err := lines.Err(); err != nil {
		return e, err
	}
	if !found {
		return e, fmt.Errorf("%s, and no product", resp.Status)
	}
	return e, nil
}
