package gemini

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

// openGlobal opens a client of Vertex AI's global endpoint.
func openGlobal(t testing.TB, baseURL string) *Client {
	t.Helper()
	vertexEnvironment(t, http.StatusOK)
	t.Setenv("GOOGLE_CLOUD_LOCATION", "global")
	return openVertex(t, baseURL)
}

// priced returns the answer of a real model with a million tokens of input and output.
func priced(trafficType string) emulator.Answer {
	const million = 1_000_000
	return emulator.Answer{Text: "tea", ModelVersion: lite, Usage: &emulator.Usage{
		PromptTokens: million, CandidateTokens: million, TotalTokens: 2 * million, TrafficType: trafficType,
	}}
}

// The cost depends on the tier in the answer, on either service, not on the tier requested.
func TestTierCharged(t *testing.T) {
	const full = 0.30 + 2.50 // for a million tokens each
	for _, test := range []struct {
		name   string
		vertex bool
		tier   Tier
		answer emulator.Answer
		usd    float64
		flex   int
	}{
		{"standard", false, "", priced(""), full, 0},
		{"flex", false, Flex, priced(""), full / 2, 1},
		{"standard on Vertex AI", true, Standard, priced(""), full, 0},
		{"flex on Vertex AI", true, Flex, priced(""), full / 2, 1},
		{"flex asked, standard given", true, Flex, priced("ON_DEMAND"), full, 0},
		{"flex asked, throughput used that was bought before", true, Flex, priced("PROVISIONED_THROUGHPUT"), full, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := startEmulator(t)
			var client *Client
			if test.vertex {
				client = openGlobal(t, s.URL())
			} else {
				client = open(t, Config{BaseURL: s.URL()})
			}
			s.Script(test.answer)
			account := &Account{}
			ctx := WithTier(WithAccount(t.Context(), account), test.tier)
			answer, err := client.Generate(ctx, question(lite))
			if err != nil {
				t.Fatal(err)
			}
			spent := account.Ledger()
			if math.Abs(answer.USD-test.usd) > 1e-9 || math.Abs(spent.USD-test.usd) > 1e-9 || spent.Calls.Flex != test.flex {
				t.Errorf("answer.USD = %v, ledger = USD %v with %d flex calls; want %v with %d", answer.USD, spent.USD, spent.Calls.Flex, test.usd, test.flex)
			}
			if calls := s.Calls(); (calls[0].Tier == "flex") != (test.tier == Flex) {
				t.Errorf("the emulator was asked at %q, want %q", calls[0].Tier, test.tier)
			}
		})
	}
}

// The day's limit counts what was charged.
func TestTierAndBudget(t *testing.T) {
	var today float64
	client, s := start(t, Config{MaxUSDPerDay: 2, Spend: func(_ context.Context, usd float64) (float64, error) {
		today += usd
		return today, nil
	}})
	s.Script(priced(""), priced(""), priced(""))
	ctx := WithTier(t.Context(), Flex)
	for n := range 2 {
		if _, err := client.Generate(ctx, question(lite)); err != nil {
			t.Fatalf("call %d, at USD %v of 2: %v", n+1, today, err)
		}
	}
	_, err := client.Generate(ctx, question(lite))
	if e := failure(t, "the third call", err); e.Kind != Budget || math.Abs(today-2.80) > 1e-9 {
		t.Errorf("the third call = %v at USD %v, want budget at 2.80", e, today)
	}
}

func TestTierRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		fault   emulator.Fault
		timeout time.Duration
		refused bool
	}{
		{"429", emulator.Fault{Type: emulator.RateLimited, Delay: time.Second}, 0, true}, // without waiting as RetryInfo asks
		{"503", emulator.Fault{Type: emulator.Unavailable}, 0, true},
		{"no answer in time", emulator.Fault{Type: emulator.TimeOut}, 300 * time.Millisecond, true},
		{"500", emulator.Fault{Type: emulator.Internal}, 0, false},
		{"a quota of the day", emulator.Fault{Type: emulator.DailyQuota}, 0, false},
		{"403", emulator.Fault{Type: emulator.Forbidden}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, s := start(t, Config{FlexTimeout: test.timeout})
			test.fault.Tier = "flex"
			s.SetFaults(test.fault)
			ctx := WithTier(WithAccount(t.Context(), &Account{Attempts: 2}), Flex)
			_, err := client.Generate(ctx, question(judge))
			e := failure(t, "Generate", err)
			if TierRefused(err) != test.refused {
				t.Errorf("TierRefused(%v) = %v, want %v", err, !test.refused, test.refused)
			}
			if calls := len(s.Calls()); test.refused && calls != 1 {
				t.Errorf("a refused tier was asked %d times, want once", calls)
			}
			if test.timeout > 0 && !strings.Contains(e.Error(), test.timeout.String()) {
				t.Errorf("error = %v, want the time-out of the tier, %v", e, test.timeout)
			}
			if _, err := client.Generate(WithTier(ctx, Standard), question(judge)); err != nil {
				t.Errorf("at the standard tier: %v", err)
			}
		})
	}
}

// Requests that the flex tier does not accept use the standard tier.
func TestTierOfTry(t *testing.T) {
	large := Request{Model: lite, Parts: []Part{Text("q"), Blob("image/png", make([]byte, 15<<20))}}
	client, _ := start(t, Config{})
	soon, cancel := context.WithTimeout(t.Context(), flexTimeout-time.Second)
	defer cancel()
	late, cancel := context.WithTimeout(t.Context(), flexTimeout+time.Minute)
	defer cancel()
	for _, test := range []struct {
		name  string
		ctx   context.Context
		model string
		kind  string
		r     Request
		want  Tier
	}{
		{"an answer", t.Context(), lite, jobGenerate, question(lite), Flex},
		{"a search", t.Context(), judge, jobSearch, question(judge), Flex},
		{"with the time for it", late, lite, jobGenerate, question(lite), Flex},
		{"without", soon, lite, jobGenerate, question(lite), Standard},
		{"a repair", t.Context(), lite, jobRepair, question(lite), Standard},
		{"an embedding", t.Context(), "gemini-embedding-2", jobEmbed, question("gemini-embedding-2"), Standard},
		{"a model without flex", t.Context(), "gemini-9-flash", jobGenerate, question("gemini-9-flash"), Standard},
		{"more than 20 MB", t.Context(), lite, jobGenerate, large, Standard},
	} {
		ctx := WithTier(test.ctx, Flex)
		ctx = WithTier(ctx, requestTier(ctx, test.r))
		if got := client.tierOfTry(ctx, test.model, job{kind: test.kind}); got != test.want {
			t.Errorf("%s: tier = %s, want %s", test.name, got, test.want)
		}
	}
	if err := client.CheckTime(WithTier(soon, Flex)); err == nil || failure(t, "CheckTime", err).Kind != Later {
		t.Errorf("CheckTime without the time for flex = %v, want later", err)
	}
	for _, ctx := range []context.Context{WithTier(late, Flex), WithTier(soon, Standard), WithTier(t.Context(), Flex)} {
		if err := client.CheckTime(ctx); err != nil {
			t.Errorf("CheckTime at %s = %v, want nil", TierOf(ctx), err)
		}
	}
}

func TestCheckTier(t *testing.T) {
	for _, test := range []struct {
		name     string
		tier     Tier
		vertex   bool
		location string
		models   []string
		refused  []string // words in the error; nil means accepted
	}{
		{"nothing said", "", true, "europe-west4", []string{"any"}, nil},
		{"standard", Standard, true, "europe-west4", []string{"any"}, nil},
		{"flex", Flex, false, "", []string{lite, judge, "models/gemini-3.8-flash"}, nil},
		{"flex, emulated", Flex, false, "", []string{"emulated-image"}, nil},
		{"flex on the global endpoint", Flex, true, "global", []string{lite}, nil},
		{"flex in a region", Flex, true, "europe-west4", []string{lite}, []string{"GOOGLE_CLOUD_LOCATION", "europe-west4", "global", "standard"}},
		{"flex in several regions", Flex, true, "eu", nil, []string{"eu", "global"}},
		{"a model without", Flex, false, "", []string{lite, "gemini-3.8-flash-tts"}, []string{"gemini-3.8-flash-tts", "gemini-3.6-flash", "standard"}},
		{"no tier", "cheap", false, "", nil, []string{"cheap", "flex"}},
	} {
		cleanEnvironment(t)
		if test.vertex {
			t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
			t.Setenv("GOOGLE_CLOUD_LOCATION", test.location)
		}
		for way, err := range map[string]error{
			"by the environment": CheckTier(test.tier, test.models...),
			"by the client":      (&Client{vertex: test.vertex, location: test.location}).CheckTier(test.tier, test.models...),
		} {
			if (err == nil) != (test.refused == nil) {
				t.Errorf("%s, %s: CheckTier = %v", test.name, way, err)
			}
			for _, word := range test.refused {
				if err != nil && !strings.Contains(err.Error(), word) {
					t.Errorf("%s, %s: %q does not say %q", test.name, way, err, word)
				}
			}
		}
	}
}

// The tier is sent in each service's own form, and not at all for the standard tier.
func TestTierOnTheWire(t *testing.T) {
	for _, vertex := range []bool{false, true} {
		for _, tier := range []Tier{Standard, Flex} {
			w := startTap(t, startEmulator(t))
			client := open(t, Config{BaseURL: w.URL})
			if vertex {
				client = openGlobal(t, w.URL)
			}
			if _, err := client.Generate(WithTier(t.Context(), tier), question(lite)); err != nil {
				t.Fatal(err)
			}
			sent := w.all()[0]
			var body struct {
				ServiceTier string `json:"serviceTier"`
			}
			if err := json.Unmarshal(sent.body, &body); err != nil {
				t.Fatal(err)
			}
			header, wantHeader, wantBody := sent.header.Get(vertexTierHeader), "", ""
			if tier == Flex && vertex {
				wantHeader = "flex"
			} else if tier == Flex {
				wantBody = "flex"
			}
			if header != wantHeader || body.ServiceTier != wantBody {
				t.Errorf("%s, Vertex AI %v: header %q, body %q; want %q, %q", tier, vertex, header, body.ServiceTier, wantHeader, wantBody)
			}
		}
	}
}
