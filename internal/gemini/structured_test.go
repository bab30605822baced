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
		name, text, want string // want "" is success, else a part of the error
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
		{"text after it", good + " That is all.", "after the JSON"},
		{"a second value", good + good, "after the JSON"},
		{"a list", "[" + good + "]", "the answer is array, not object"},
		{"missing field", with(`"pick":2,`, ""), "pick is missing"},
		{"missing field further down", with(`,"clear":true`, ""), "lines[0].clear is missing"},
		{"text for a number", with("0.5", `"0.5"`), "probability is string, not number"},
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

func TestRepair(t *testing.T) {
	outOfRange := func(v *verdict) error {
		if v.Probability > 1 {
			return errors.New("probability is above 1")
		}
		return nil
	}
	tests := []struct {
		name          string
		first, second string
		kind          Kind // "" is success
		problem       string
		calls         int
	}{
		{"usable at once", good, "", "", "", 1},
		{"repaired prose", "It is a can.", good, "", "no JSON", 2},
		{"repaired type", strings.Replace(good, "0.5", `"high"`, 1), good, "", "probability is string", 2},
		{"repaired value", strings.Replace(good, "0.5", "1.5", 1), good, "", "probability is above 1", 2},
		{"not repaired", "prose", "prose", Malformed, "no JSON", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := startEmulator(t)
			w := startTap(t, s)
			c := open(t, Config{BaseURL: w.URL})
			usage := &emulator.Usage{PromptTokens: 100, CandidateTokens: 10, TotalTokens: 110}
			s.Script(emulator.Answer{Text: tt.first, Usage: usage, ModelVersion: judge}, emulator.Answer{Text: tt.second, Usage: usage, ModelVersion: judge})
			photo := drawPhoto(t, 64)
			a := &Account{Attempts: 3}
			got, response, err := Generate(WithAccount(t.Context(), a), c,
				Request{Model: judge, Parts: []Part{Blob("image/png", photo), Text("request:\n{}")}}, outOfRange)
			if tt.kind != "" {
				e := failure(t, "Generate", err)
				if e.Kind != tt.kind || !strings.Contains(e.Error(), tt.problem) || response.Usage.Total != 110*tt.calls {
					t.Errorf("Generate = %+v, %v, want %s with %q and %d tokens", response, e, tt.kind, tt.problem, 110*tt.calls)
				}
			} else if err != nil || got.Pick != 2 || response.Usage.Total != 110*tt.calls || response.Text != good {
				t.Errorf("Generate = %+v, %+v, %v, want pick 2 and %d tokens", got, response, err, 110*tt.calls)
			}
			sent := w.all()
			if len(sent) != tt.calls {
				t.Fatalf("Generate made %d calls, want %d", len(sent), tt.calls)
			}
			checkSentOnce(t, sent, photo)
			if tt.calls == 2 {
				checkRepair(t, sent[1].body, tt.first, tt.problem)
			}
			if l := a.Ledger(); response != nil && response.USD != l.USD {
				t.Errorf("Generate says it cost %v, the ledger %v", response.USD, l.USD)
			}
			if l := a.Ledger(); l.Calls.Generate != tt.calls || l.Usage.Total != 110*tt.calls || l.USD <= 0 {
				t.Errorf("ledger = %+v, want %d calls with 110 tokens each and a cost", l, tt.calls)
			}
		})
	}
}

func checkSentOnce(t *testing.T, sent []tapped, photo []byte) {
	t.Helper()
	var n int
	for _, r := range sent {
		n += strings.Count(string(r.body), base64.StdEncoding.EncodeToString(photo))
	}
	if n != 1 {
		t.Errorf("the photo is on the wire %d times, want once", n)
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

// A repair does not search again, and keeps what the first answer rests on.
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
