//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/site"
)

// others are what forecasts and discoveries need besides a world: services, and a model that
// answers what it is asked.
type others struct {
	gemini  *gemini.Server
	weather *openweather.Server
	pubsub  *pubsub.Server
	events  *eventarc.Bridge
	web     *site.Server
}

// prepare starts the others.
func (w *world) prepare() (err error) {
	if w.others != nil {
		return nil
	}
	w.others = &others{}
	if w.others.gemini, err = answers.Start(gemini.Options{}, answers.Options{Tesseract: "off", Espeak: "off", Model: answers.Perfect}); err != nil {
		return err
	}
	if w.others.weather, err = openweather.Start(openweather.Options{PerMinute: 1 << 20}); err != nil {
		return err
	}
	if w.others.pubsub, err = pubsub.Start(pubsub.Options{}); err != nil {
		return err
	}
	if w.others.events, err = eventarc.Start(eventarc.Options{PubSub: w.others.pubsub, Project: project}); err != nil {
		return err
	}
	w.others.web, err = site.Start(site.Options{Drawn: true, Seed: 1, Publishers: 20, Scale: 2, PerSecond: 1000})
	return err
}

func (o *others) close() {
	if o.events != nil {
		o.events.Close()
	}
	if o.pubsub != nil {
		o.pubsub.Close()
	}
	if o.web != nil {
		o.web.Close()
	}
	if o.gemini != nil {
		_ = o.gemini.Close()
	}
	if o.weather != nil {
		_ = o.weather.Close()
	}
}

// env returns the variables of a function that speaks to the others too.
func (o *others) env(w *world) []string {
	return append(w.env(),
		"GOOGLE_GEMINI_BASE_URL="+o.gemini.URL(), "PUBSUB_EMULATOR_HOST="+o.pubsub.Addr(), "TASKS_TOPIC=tasks",
		"OPENWEATHER_BASE_URL="+o.weather.URL(), "OPENWEATHER_API_KEY=emulated", "OPENWEATHER_PER_MINUTE=100000",
		"BRAVE_SEARCH_BASE_URL="+o.web.SearchURL(), "BRAVE_SEARCH_API_KEY="+o.web.Token(), "FETCH_ALLOW="+o.web.Allow(), "EMULATED_WEB="+o.web.Places()[0].Name,
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech",
		"THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance")
}

// A requestLoad is a GET that is measured by itself.
type requestLoad struct {
	name string
	path string // %s is another place each time

	calls float64 // of Firestore, at most in the mean
}

// requestLoads are forecasts, whose places differ by their coordinates, lists, and answers
// that are constant.
var requestLoads = []requestLoad{
	{name: "forecast, asked first", path: "/forecast/%s?type=tomorrow", calls: 2},
	{name: "forecast, asked again", path: "/forecast/Seoul?type=tomorrow", calls: 0.1},
	{name: "forecast, asked first, spoken", path: "/forecast/%s?type=tomorrow&audio=true", calls: 4},
	{name: "list of 20 results", path: "/results?limit=20", calls: 1},
	{name: "list of 20 catalogue records", path: "/catalog?limit=20", calls: 1},
	{name: "filters of a shop of 1,000", path: "/search/filters?shop=" + defaultShop, calls: 0.1},
	{name: "GET /openapi.json", path: "/openapi.json", calls: 0.1},
	{name: "GET /skills", path: "/skills", calls: 0.1},
	{name: "GET /, the page", path: "/", calls: 0.1},
}

// listed is how many photos are analysed before lists are measured.
const listed = 30

// enlist analyses photos, for a list of their results.
func (w *world) enlist(ctx context.Context, program string) error {
	load := workload{photos: [][]byte{encoded(textured(64, 48), 80)}, way: byImage}
	w.model.answer(load.way, "[]")
	p, err := w.server(ctx, program, function, "")
	if err != nil {
		return err
	}
	defer p.stop()
	for range listed {
		if err := askOnce(p, load, function, work{}); err != nil {
			return err
		}
	}
	return nil
}

// requests measures the requests and a discovery.
func (w *world) requests(ctx context.Context, program string, o options, f *figures) error {
	for _, load := range requestLoads {
		if !strings.Contains(load.name, o.only) {
			continue
		}
		if w.others == nil {
			if err := w.enlist(ctx, program); err != nil {
				return err
			}
		}
		if err := w.prepare(); err != nil {
			return err
		}
		p, err := start(ctx, append(w.others.env(w), "WHATIS_PROFILE="+profileFile(o.profile, load.name)), program)
		if err != nil {
			return err
		}
		p.profile = profileFile(o.profile, load.name)
		n, kB := 0, 0.0
		one, err := w.oneByOne(p, func() error {
			n++
			size, err := get(p, load.path, n)
			kB = float64(size) / 1000
			return err
		}, o)
		p.stop()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", load.name, err, lastLines(p.log.String()))
		}
		one.AnswerKB = kB
		f.Requests[load.name], f.RequestOrder = one, append(f.RequestOrder, load.name)
	}
	if !strings.Contains("discovery", o.only) {
		return nil
	}
	if err := w.prepare(); err != nil {
		return err
	}
	return w.discovery(ctx, program, f)
}

// get gets a path with its number n, and returns the length of the answer, compressed where
// the function does that.
func get(p *process, path string, n int) (size int, err error) {
	if strings.Contains(path, "%s") {
		path = fmt.Sprintf(path, fmt.Sprintf("%.1f,%.1f", 30+float64(n%200)/10, 10+float64(n/200)/10))
	}
	r, err := http.NewRequest(http.MethodGet, p.url+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Accept", "application/json, text/html")
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s = %s: %.300s", path, resp.Status, answer)
	}
	return len(answer), err
}

// discovered is what one discovery took: its processor time, its memory, and its writes of
// documents by slice.
type discovered struct {
	CPU     float64 `json:"cpu_ms"`
	PeakMB  float64 `json:"peak_mb"`
	Seconds float64 `json:"seconds"`
	Slices  int     `json:"slices"`
	Writes  float64 `json:"writes_a_slice"`
	Pages   int     `json:"pages"`
	Records int     `json:"records"`
}

// sliceWrites is how many writes a slice of a discovery makes at most, in the mean, each of one
// document: its end with the run's progress, which claims the next, and the checkpoints of what it
// pays for before its last call. Two are aimed for. Calls whose answers come at once share a write,
// so that it depends on their times: where no two do, it is a little more.
const sliceWrites = 2.3

// discovery measures the process that does one discovery, as it is deployed.
func (w *world) discovery(ctx context.Context, program string, f *figures) error {
	env := append(w.others.env(w), "LONG_TASKS_TOPIC=")
	task, err := start(ctx, append(env, "FUNCTION_TARGET=Task"), program)
	if err != nil {
		return err
	}
	defer task.stop()
	err = w.others.events.Add(eventarc.Route{
		Topic: "tasks", Endpoint: eventarc.Endpoint(task.url, project, "tasks"), AckDeadline: 10 * time.Minute, MinBackoff: 50 * time.Millisecond, MaxBackoff: time.Second,
	})
	if err != nil {
		return err
	}
	api, err := start(ctx, env, program)
	if err != nil {
		return err
	}
	defer api.stop()
	var run struct {
		ID    string `json:"id"`
		State string `json:"state"`
	}
	before, err := task.cpu()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := post(api.url+"/discover", map[string]any{"country": w.others.web.Places()[0].Name, "sector": site.DrawnSector(1)}, &run); err != nil {
		return err
	}
	w.firestore.ResetCalls()
	for run.State != "done" {
		if run.State == "failed" || run.State == "canceled" || time.Since(begun) > 5*time.Minute {
			return fmt.Errorf("discovery %s does not end: %+v", run.ID, run)
		}
		time.Sleep(200 * time.Millisecond)
		if err := decode(api.url+"/discover/"+run.ID, &run); err != nil {
			return err
		}
	}
	d := discovered{Seconds: time.Since(begun).Seconds(), Slices: strings.Count(task.log.String(), `"slice done"`)}
	after, err := task.cpu()
	if err != nil {
		return err
	}
	if d.Slices == 0 {
		return errors.New("the log tells of no slice of the discovery")
	}
	d.CPU, d.Writes = milliseconds(after-before), float64(w.firestore.Calls()["Commit"]+w.firestore.Calls()["BatchWrite"])/float64(d.Slices)
	if d.PeakMB, err = task.memory("VmHWM"); err != nil {
		return err
	}
	var result struct {
		Items   []struct{} `json:"items"`
		Sources []struct{} `json:"sources"`
	}
	if err := decode(api.url+"/discover/"+run.ID+"/result", &result); err != nil {
		return err
	}
	if d.Records, d.Pages = len(result.Items), len(result.Sources); d.Records == 0 {
		return errors.New("the discovery found nothing")
	}
	f.Discovery = d
	return nil
}

// post posts question as JSON and reads the JSON of the answer.
func post(url string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	resp, err := client.Post(url, "application/json", bytes.NewReader(body))
	return answered(resp, err, answer)
}

// decode gets url and reads the JSON of the answer.
func decode(url string, answer any) error {
	resp, err := client.Get(url)
	return answered(resp, err, answer)
}

func answered(resp *http.Response, err error, answer any) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %s: %.300s", resp.Request.URL, resp.Status, text)
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}
