package app_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/spend"
)

// What an import, a search and an analysis cost is seen by agent and by model, with and
// without a limit, in this instance; with one, in the next too.
func TestSpend(t *testing.T) {
	const lite, embedder = "gemini-3.5-flash-lite", "gemini-embedding-2"
	for _, limit := range []string{"0", "1000"} {
		t.Run("limit "+limit, func(t *testing.T) {
			a, w := searching(t, "IMAGE_MODEL="+lite, "EMBEDDING_MODEL="+embedder, "MAX_USD_PER_DAY="+limit)
			w.Gemini.Script(emulated.Answer{Text: `{"not_product":true,"description":"a lake"}`, ModelVersion: lite, Usage: &emulated.Usage{PromptTokens: 1e6, TotalTokens: 1e6}})
			ask := func(a *app.App, method, path, kind, body string) []byte {
				t.Helper()
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("Content-Type", kind)
				got := httptest.NewRecorder()
				a.API().ServeHTTP(got, r)
				if got.Code != 200 {
					t.Fatalf("%s %s = %d, %s", method, path, got.Code, got.Body)
				}
				return got.Body.Bytes()
			}
			ask(a, "POST", "/analyze", "image/jpeg", string(samples.All()[0].Bytes()))
			ask(a, "POST", "/search/text", "application/json", `{"query":"round frames for small faces"}`)
			c, err := app.ReadConfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			for name, one := range map[string]*app.App{"this instance": a, "the next": app.New(c)} {
				var day spend.Day
				if err := json.Unmarshal(ask(one, "GET", "/spend", "", ""), &day); err != nil {
					t.Fatal(err)
				}
				if name == "the next" && limit == "0" {
					if day.USD != 0 {
						t.Errorf("%s: the day is %+v, want nothing: without a limit nothing is written", name, day)
					}
					continue
				}
				// A million tokens cost 0.30, all else less than a cent.
				if len(day.Agents) != 3 || day.Agents[0].Name != "analyze" || day.Agents[0].USD != 0.3 || names(day.Agents[1:]) != "import search" {
					t.Errorf("%s: the agents are %+v, want analyze with 0.3, import and search", name, day.Agents)
				}
				if names(day.Models) != lite+" "+embedder || fmt.Sprint(day.Limit) != limit || day.USD <= 0.3 || day.USD > 0.31 {
					t.Errorf("%s: the day is %+v, want %s and %s, the limit %s and a little more than 0.3", name, day, embedder, lite, limit)
				}
			}
		})
	}
}

// names returns the names of shares that cost anything, sorted.
func names(shares []spend.Share) string {
	var all []string
	for _, s := range shares {
		if s.USD > 0 {
			all = append(all, s.Name)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
