package gemini

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	emulator "example.com/whatis/emulators/gemini"
)

type verdict struct {
	Seen        string   `json:"seen"`
	Lines       []line   `json:"lines"`
	Confirmed   bool     `json:"confirmed"`
	Pick        int      `json:"pick"`
	Probability float64  `json:"probability"`
	Note        *string  `json:"note"`
	Extra       []string `json:"extra,omitempty"`
}

type line struct {
	Text  string `json:"text"`
	Clear bool   `json:"clear"`
}

const good = `{"seen":"a can","lines":[{"text":"농심","clear":true}],"confirmed":true,"pick":2,"probability":0.5,"note":null}`

func TestDecode(t *testing.T) {
	schema, err := SchemaFor[verdict]()
	if err != nil {
		t.Fatal(err)
	}
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	tests := []struct {
		name, text, want string // want is part of the error, "" for success
	}{
		{"plain", good, ""},
		{"spaces and a byte order mark", "\ufeff \n" + good + "\n", ""},
		{"fence", "```json\n" + good + "\n```", ""},
		{"bare fence", "```\n" + good + "```", ""},
		{"prose before a fence", "Here it is:\n```JSON\n" + good + "\n```\nDone.", ""},
		{"fence on one line", "```" + good + "```", ""},
		{"fence inside a string inside a fence", "```json\n" + with("a can", "```") + "\n```", ""},
		{"fence inside a string", with("a can", "```json {} ```"), ""},
		{"unknown field", with(`"seen"`, `"mood":"fine","seen"`), ""},
		{"null text", with(`"a can"`, "null"), ""},
		{"null list", with(`[{"text":"농심","clear":true}]`, "null"), ""},
		{"text where null is allowed", with(`"note":null`, `"note":"x"`), ""},
		{"prose", "I cannot tell.", "no JSON"},
		{"nothing", "", "ends too early"},
		{"cut", good[:60], "ends too early"},
		{"text after it", good + " That is all.", ""},
		{"a second value", good + good, "after the JSON"},
		{"a list of one", "[" + good + "]", ""},
		{"a list of two", "[" + good + "," + good + "]", "the answer is array, not object"},
		{"missing field", with(`"pick":2,`, ""), "pick is missing"},
		{"missing field further down", with(`,"clear":true`, ""), "lines[0].clear is missing"},
		{"a number as text", with("0.5", `"0.5"`), ""},
		{"text for a number", with("0.5", `"half"`), "probability is string, not number"},
		{"boolean for a number", with("0.5", "true"), "probability is boolean, not number"},
		{"NaN", with("0.5", "NaN"), "no JSON"},
		{"too large a number", with("0.5", "1e999"), "no JSON"},
		{"null number", with("0.5", "null"), "probability is null, not number"},
		{"null boolean", with(`"confirmed":true`, `"confirmed":null`), "confirmed is null, not boolean"},
		{"number for a boolean", with(`"confirmed":true`, `"confirmed":1`), "confirmed is number, not boolean"},
		{"fraction for an integer", with(`"pick":2`, `"pick":2.5`), "pick"},
		{"text in a list of objects", with(`[{"text":"농심","clear":true}]`, `["농심"]`), "lines[0] is string, not object"},
		{"null in a list of objects", with(`[{"text":"농심","clear":true}]`, `[null]`), "lines[0] is null, not object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode[verdict](tt.text, schema, nil)
			if tt.want == "" && (err != nil || got.Pick != 2) {
				t.Errorf("decode(%q) = %+v, %v, want pick 2", tt.text, got, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("decode(%q) = %+v, %v, want an error with %q", tt.text, got, err, tt.want)
			}
		})
	}
}

// spoiltNumber is good with a number that is unusable but can be repaired.
var spoiltNumber = strings.Replace(good, "0.5", `"high"`, 1)

const (
	cutJSON    = `{"seen":"a can","lines":[{"text":"농심","cl`
	emptyJSON  = `{"seen":"","lines":[],"confirmed":false,"pick":0,"probability":0,"note":null}`
	emptyField = `{"seen":"","lines":[{"text":"농심","clear":true}],"confirmed":true,"pick":2,"probability":0.5,"note":null}`
	fewerLines = `{"seen":"a can","lines":[],"confirmed":true,"pick":2,"probability":0.5,"note":null}`
)

// An answer with values for all fields is repaired without the photo; any other is
// requested again with it. A repair that loses values is refused.
func TestMalformed(t *testing.T) {
	outOfRange := func(v *verdict) error {
		if v.Probability > 1 {
			return errors.New("probability is above 1")
		}
		return nil
	}
	tests := []struct {
		name     string
		attempts int
		answers  []string
		problem  string // in the first repair, or in the error; "" means neither
		failed   bool
		photos   int // how often the photo is sent
	}{
		{"usable at once", 1, []string{good}, "", false, 1},
		{"a type, repaired", 1, []string{spoiltNumber, good}, "probability is string", false, 1},
		{"a value, repaired", 1, []string{strings.Replace(good, "0.5", "1.5", 1), good}, "probability is above 1", false, 1},
		{"text after it", 1, []string{good + " Done."}, "", false, 1},
		{"a second object after it, repaired", 1, []string{good + good, good}, "there is text after the JSON", false, 1},
		{"text before a type, repaired with text before it", 1, []string{"Here: " + spoiltNumber, "Here: " + good}, "probability is string", false, 1},
		{"not repaired", 1, []string{spoiltNumber, spoiltNumber}, "after a repair: probability is string", true, 1},
		{"an empty repair", 1, []string{spoiltNumber, emptyJSON}, "after a repair: seen is empty", true, 1},
		{"a repair that lost a text", 1, []string{spoiltNumber, emptyField}, "after a repair: seen is empty", true, 1},
		{"a repair that lost items", 1, []string{spoiltNumber, fewerLines}, "after a repair: lines[0] is empty", true, 1},
		{"a repair that lost the number", 1, []string{spoiltNumber, strings.Replace(good, "0.5", "0", 1)}, "after a repair: probability is empty", true, 1},
		{"prose", 1, []string{"It is a can.", good}, "", false, 2},
		{"cut", 1, []string{cutJSON, good}, "", false, 2},
		{"an empty object", 1, []string{"{}", good}, "", false, 2},
		{"no text", 1, []string{" ", good}, "", false, 2},
		{"a field missing", 1, []string{strings.Replace(good, `"pick":2,`, "", 1), good}, "", false, 2},
		{"null for a number", 1, []string{strings.Replace(good, "0.5", "null", 1), good}, "", false, 2},
		{"true for a list", 1, []string{strings.Replace(good, `[{"text":"농심","clear":true}]`, "true", 1), good}, "", false, 2},
		{"prose twice", 1, []string{"It is a can.", "A can."}, "no JSON", true, 2},
		{"prose, then an empty answer of who saw the photo", 1, []string{"It is a can.", emptyJSON}, "", false, 2},
		{"an empty repair, three attempts", 3, []string{spoiltNumber, emptyJSON, good}, "", false, 2},
		{"prose, three attempts", 3, []string{"prose", "prose", good}, "", false, 3},
		{"empty repairs, three attempts", 3, []string{spoiltNumber, emptyJSON, spoiltNumber, emptyJSON, spoiltNumber, emptyJSON}, "seen is empty", true, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := startEmulator(t)
			w := startTap(t, s)
			c := open(t, Config{BaseURL: w.URL})
			for _, text := range tt.answers {
				s.Script(emulator.Answer{Text: text, ModelVersion: judge, Usage: &emulator.Usage{PromptTokens: 100, CandidateTokens: 10, TotalTokens: 110}})
			}
			photo := drawPhoto(t, 64)
			a := &Account{Attempts: tt.attempts}
			_, response, err := Generate(WithAccount(t.Context(), a), c,
				Request{Model: judge, Parts: []Part{Blob("image/png", photo), Text("request:\n{}")}}, outOfRange)
			if (err != nil) != tt.failed || tt.failed && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("Generate = %v, want an error: %v, with %q", err, tt.failed, tt.problem)
			}
			if e := (*Error)(nil); errors.As(err, &e) && (e.Kind != Malformed || !e.Retryable()) {
				t.Errorf("Generate = %s, want %s, which is retryable", e.Kind, Malformed)
			}
			last := tt.answers[len(tt.answers)-1]
			if calls := len(tt.answers); response.Usage.Total != 110*calls || response.Text != last || s.Scripted() != 0 {
				t.Errorf("Generate = %+v, %d answers left, want the text %s and %d tokens", response, s.Scripted(), last, 110*calls)
			}
			sent := w.all()
			checkPhotoSent(t, sent, photo, tt.photos)
			if repaired := !tt.failed && tt.problem != ""; repaired {
				checkRepair(t, sent[1].body, tt.answers[0], tt.problem)
			}
			if l := a.Ledger(); l.Calls.Generate != len(tt.answers) || l.Usage != response.Usage || l.USD != response.USD || l.USD <= 0 {
				t.Errorf("ledger = %+v, want the %d answers and the cost of %+v", l, len(tt.answers), response)
			}
		})
	}
}

func checkPhotoSent(t *testing.T, sent []tapped, photo []byte, want int) {
	t.Helper()
	var n int
	for _, r := range sent {
		n += strings.Count(string(r.body), base64.StdEncoding.EncodeToString(photo))
	}
	if n != want {
		t.Errorf("the photo is on the wire %d times, want %d", n, want)
	}
}

func checkRepair(t *testing.T, body []byte, answer, problem string) {
	t.Helper()
	var sent struct {
		Contents []struct {
			Role  string
			Parts []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if len(sent.Contents) != 3 || sent.Contents[1].Role != "model" {
		t.Fatalf("repair has contents %+v, want user, model, user", sent.Contents)
	}
	if got := sent.Contents[0].Parts; len(got) != 1 || got[0].Text != "request:\n{}" {
		t.Errorf("repair's first turn = %+v, want the request's text", got)
	}
	if got := sent.Contents[1].Parts[0].Text; got != answer {
		t.Errorf("repair's second turn = %q, want the answer %q", got, answer)
	}
	if got := sent.Contents[2].Parts[0].Text; !strings.Contains(got, problem) {
		t.Errorf("repair's third turn = %q, want it to say %q", got, problem)
	}
}

// An answer with a search is repaired even from prose, without another search, and keeps
// the first answer's citations.
func TestRepairKeepsCitations(t *testing.T) {
	c, s := start(t, Config{})
	s.Script(
		emulator.Answer{Text: "prose", Grounding: &emulator.Grounding{
			Queries: []string{"can", "can of 농심"},
			Chunks:  []emulator.GroundingChunk{{Web: emulator.WebSource{URI: "https://example.com/can", Title: "a can"}}}}},
		emulator.Answer{Text: good})
	r := question(judge)
	r.Search = true
	_, response, err := Generate[verdict](t.Context(), c, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Citations) != 1 || len(response.Queries) != 2 {
		t.Errorf("Generate = %+v, want the citation and queries of the first answer", response)
	}
	if calls := s.Calls(); !calls[0].Search || calls[1].Search {
		t.Errorf("searches = %v, %v, want only the first", calls[0].Search, calls[1].Search)
	}
}

// Searches are charged: a call whose answers are unusable does not search again.
func TestMalformedSearchIsNotAskedAgain(t *testing.T) {
	searched := func(text string) emulator.Answer {
		return emulator.Answer{Text: text, Grounding: &emulator.Grounding{Queries: []string{"can"}}}
	}
	for _, answers := range [][]emulator.Answer{
		{searched("prose"), {Text: "prose"}},
		{searched("prose"), {Text: emptyJSON}},
		{searched("")},
	} {
		c, s := start(t, Config{})
		s.Script(answers...)
		r := question(judge)
		r.Search = true
		_, _, err := Generate[verdict](WithAccount(t.Context(), &Account{Attempts: 3}), c, r, nil)
		if e := failure(t, "Generate", err); e.Kind != Malformed || len(s.Calls()) != len(answers) {
			t.Errorf("Generate with a search and %q = %v after %d calls, want %s after %d", answers[0].Text, e, len(s.Calls()), Malformed, len(answers))
		}
	}
}

func TestNoRepairWhereNothingWasAnswered(t *testing.T) {
	for _, fault := range []emulator.FaultType{emulator.Truncated, emulator.BlockedAnswer, emulator.BlockedPrompt, emulator.Unavailable} {
		c, s := start(t, Config{})
		s.SetFaults(emulator.Fault{Type: fault})
		_, _, err := Generate[verdict](t.Context(), c, question(judge), nil)
		if failure(t, "Generate", err); len(s.Calls()) != 1 {
			t.Errorf("Generate met by %s: %d calls, want 1", fault, len(s.Calls()))
		}
	}
}

func TestEmulatorsOwnMistakesAreRepaired(t *testing.T) {
	for _, fault := range []emulator.FaultType{emulator.Malformed, emulator.WrongTypes} {
		c, s := start(t, Config{})
		s.SetFaults(emulator.Fault{Type: fault, Times: 1})
		type answer struct {
			VisibleText []line `json:"visible_text"`
			Category    string `json:"category"`
		}
		r := Request{Model: "emulated-image", Parts: []Part{Blob("image/png", drawPhoto(t, 16)), Text("request:\n{}")}}
		if _, _, err := Generate[answer](t.Context(), c, r, nil); err != nil || len(s.Calls()) != 2 {
			t.Errorf("Generate met by %s = %v after %d calls, want an answer after 2", fault, err, len(s.Calls()))
		}
	}
}
