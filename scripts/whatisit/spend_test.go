package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/spend"
)

// What a photo costs is what is printed of the day, by agent and by model; before it, that
// nothing was spent.
func TestSpend(t *testing.T) {
	_, w, _ := served(t)
	t.Setenv("IMAGE_MODEL", "gemini-3.6-flash")
	t.Setenv("MAX_USD_PER_DAY", "20")
	config, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(app.New(config).API())
	t.Cleanup(server.Close)
	c := prepared(t, []string{"API_URL=" + server.URL}, "spend")
	if code := c.run(); code != 0 || c.stdout.Len() > 0 {
		t.Errorf("nothing was spent: exit %d, %q; want 0 and no table", code, &c.stdout)
	}
	c.says("nothing was spent today", "0.000000 of 20 USD", "whatisit analyze photo.jpg")

	upload(t, w, "tea.gif", samples.All()[4].Bytes())
	w.Gemini.Script(gemini.Answer{Kind: answers.KindImage, ModelVersion: "gemini-3.6-flash", Usage: &gemini.Usage{PromptTokens: 1_000_000, TotalTokens: 1_000_000},
		Text: `{"visible_text":[],"codes":[],"name_as_printed":"","brand_as_printed":"","sub_brands":[],"dates":[],"category":"","image_features":"","key_features":[],"product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"known_product":"unsure","products_seen":0,"side":"front","not_product":true,"description":"x"}`})
	c = prepared(t, nil, "analyze", "--url", server.URL, "gs://uploads/tea.gif")
	if code := c.run(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	c = prepared(t, nil, "spend", "--url", server.URL, "--json")
	var day spend.Day
	if code := c.run(); code != 0 || json.Unmarshal(c.stdout.Bytes(), &day) != nil || day.USD <= 0 || day.Limit != 20 || len(day.Agents) == 0 || len(day.Models) == 0 {
		t.Fatalf("--json: exit %d, %q, %q; want what a photo costs", code, &c.stdout, &c.stderr)
	}
	c = prepared(t, nil, "spend", "--url", server.URL)
	code, out := c.run(), strings.Join(strings.Fields(c.stdout.String()), " ")
	for _, want := range []string{"OF NAME USD day " + day.Day + " UTC " + dollars(day.USD) + " of 20 agent analyze 0.", "model gemini-3.6-flash 0."} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, %q; want %q", code, out, want)
		}
	}

	// While paid work is paused a photo is refused, and what is known is answered.
	upload(t, w, "lake.jpg", samples.All()[5].Bytes())
	for _, step := range []struct {
		args string
		code int
		says string
	}{
		{"pause", 0, "paid work is paused since "},
		{"analyze gs://uploads/lake.jpg", 1, "paid work is paused, until an owner resumes it"},
		{"analyze gs://uploads/tea.gif", 0, ""},
		{"spend", 0, "whatisit resume"},
		{"resume", 0, ""},
		{"analyze gs://uploads/lake.jpg", 0, ""},
	} {
		c := prepared(t, []string{"API_URL=" + server.URL}, strings.Fields(step.args)...)
		if code := c.run(); code != step.code || !strings.Contains(c.stderr.String(), step.says) {
			t.Errorf("whatisit %s: exit %d, %q, want %d with %q", step.args, code, &c.stderr, step.code, step.says)
		}
	}
}
