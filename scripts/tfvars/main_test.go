package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sources = "../../terraform"

// Values are merged in the order in which they are given, whatever way they are written,
// and what changes is shown beside what was kept.
func TestMerge(t *testing.T) {
	t.Parallel()
	const kept = "country = \"KR\"\nmax_usd_per_day = 5\niap_members = [\"user:jo@example.com\"]\ngone_since = true\n"
	for _, tt := range []struct {
		name          string
		hcl, json     string
		args          []string
		file, printed string
	}{
		{
			"nothing new", "", "", nil,
			"country         = \"KR\"\niap_members     = [\"user:jo@example.com\"]\nmax_usd_per_day = 5\n",
			"  country = \"KR\"\n* gone_since: its default (was true)\n  iap_members = [\"user:jo@example.com\"]\n  max_usd_per_day = 5\n",
		},
		{
			"a text with quotes, a list with commas and spaces", "", "",
			[]string{"-var", `shop=${x} "two"  words`, "-var", `alert_emails=["a@example.com", "b@example.com"]`, "-default", "iap_members"},
			"alert_emails    = [\"a@example.com\", \"b@example.com\"]\ncountry         = \"KR\"\nmax_usd_per_day = 5\nshop            = \"$${x} \\\"two\\\"  words\"\n",
			"* shop = \"$${x} \\\"two\\\" words\" (was its default)\n",
		},
		{
			"the last one counts, and text looks like a number", "country = \"US\"\nproject = \"other\"\n", `{"max_usd_per_day": 7.5, "scale": {"api": {"max_instances": 3}}, "country": "DE"}`,
			[]string{"-var", "country=FR", "-var", "kms_key=", "-var", "gtin_directory_contact=007"},
			"country                = \"FR\"\ngtin_directory_contact = \"007\"\niap_members            = [\"user:jo@example.com\"]\nkms_key                = \"\"\nmax_usd_per_day        = 7.5\nscale = {\n  api = {\n    max_instances = 3\n  }\n}\n",
			"* max_usd_per_day = 7.5 (was 5)\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			args := []string{"-dir", sources, "-o", filepath.Join(dir, "out"), "-kept", write("kept.tfvars", kept)}
			if tt.hcl != "" {
				args = append(args, "-file", write("a.tfvars", tt.hcl), "-file", write("b.tfvars.json", tt.json))
			}
			var printed strings.Builder
			if err := run(append(args, tt.args...), &printed); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "out"))
			if err != nil || string(got) != tt.file || !strings.Contains(printed.String(), tt.printed) {
				t.Errorf("merged, %v:\n%s\nprinted\n%s\nwant\n%s\nprinted\n%s", err, got, printed.String(), tt.file, tt.printed)
			}
			// What was written is read as it was meant.
			args = []string{"-dir", sources, "-o", filepath.Join(dir, "again"), "-kept", filepath.Join(dir, "out")}
			var unchanged strings.Builder
			if err := run(args, &unchanged); err != nil || strings.Contains(unchanged.String(), "*") {
				t.Errorf("merged again: %v\n%s\nwant no change", err, unchanged.String())
			}
		})
	}
}

// What cannot be kept is said, all of it, and nothing is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	err := run([]string{"-dir", sources, "-o", out, "-var", "contry=US", "-var", "max_usd_per_day=five dollars", "-var", "allow_data_loss=true", "-default", "shopp"}, &strings.Builder{})
	for _, want := range []string{"no variable contry", "max_usd_per_day=five dollars is a number", "allow_data_loss is not kept", "no variable shopp"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run = %v, want %q in it", err, want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	if err := run([]string{"-dir", sources, "-o", filepath.Join(out, "none"), "-kept", out}, &strings.Builder{}); err == nil {
		t.Error("run into a folder that is not there = nil, want an error")
	}
}

// Every model is looked for where it would be asked, before anything is changed.
func TestLocations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		vars    string
		refused []string // parts of the error; none: it is taken
		printed string
	}{
		{vars: "vertex_location=global"},
		{vars: "vertex_location=eu"}, // without forecasts
		{vars: "vertex_location=eu openweather_secret=key", printed: "forecasts will be text alone: eu has no gemini-3.8-flash-lite-tts"},
		{vars: "vertex_location=eu openweather_secret=key speech_location=global"},
		{vars: "vertex_location=eu speech_location=eu", refused: []string{"speech_model: eu has no gemini-3.8-flash-lite-tts, which is at global", "--default speech_location for text alone"}},
		{vars: "vertex_location=europe-west4", refused: []string{"image_model: europe-west4 has no gemini-3.5-flash-lite", "judge_model: ", "forecast_model: ", "thinking_model: ", "structured_model: ", "embedding_model: europe-west4 has no gemini-embedding-2", "embedding_location", "models.json"}},
		{vars: "vertex_location=eu embedding_location=europe-west4", refused: []string{"embedding_model: europe-west4 has no gemini-embedding-2"}},
		{vars: "vertex_location=eu embedding_location=europe-west4 embedding_model=gemini-embedding-001"},
		{vars: "vertex_location=eu search_model=gemini-3.1-pro-preview", refused: []string{"search_model: eu has no gemini-3.1-pro-preview, which is at global"}},
		{vars: "vertex_location=global image_model=gemini-2.5-flash", refused: []string{"image_model: Vertex AI has retired gemini-2.5-flash on 2026-10-16"}},
		{vars: "vertex_location=eu image_model=gemini-9"},
		{vars: "vertex_location=europe-west4 gemini_secret=key"},
	} {
		args := []string{"-dir", sources, "-o", filepath.Join(t.TempDir(), "out")}
		for _, v := range strings.Fields(test.vars) {
			args = append(args, "-var", v)
		}
		var printed strings.Builder
		err := run(args, &printed)
		if (err != nil) != (len(test.refused) > 0) {
			t.Errorf("%s: %v, want refused: %v", test.vars, err, len(test.refused) > 0)
		}
		for _, part := range test.refused {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%s: no %q in %v", test.vars, part, err)
			}
		}
		if spoken := !strings.Contains(printed.String(), "text alone"); !strings.Contains(printed.String(), test.printed) || spoken != (test.printed == "") {
			t.Errorf("%s printed %q", test.vars, printed.String())
		}
	}
}
