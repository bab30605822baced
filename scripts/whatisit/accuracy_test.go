package main

import (
	"encoding/json"
	"slices"
	"testing"

	"example.com/whatis/docs"
)

// evaluated returns what whatisit eval says of an agent with each of the models. It takes longer
// than all else here: it begins with the first file of tests, and goes on beside the others.
func evaluated[T any](t *testing.T, agent string) (all []T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	c := prepared(t, nil, "eval", agent, "--model", "none,perfect,emulated", "--json")
	end := c.begin()
	t.Parallel()
	code := end()
	if err := json.Unmarshal(c.stdout.Bytes(), &all); code != exitFine || err != nil || len(all) != 3 {
		t.Fatalf("whatisit eval %s = exit %d, %v in %q, %q; want three models measured", agent, code, err, &c.stdout, &c.stderr)
	}
	return all
}

// The search ranks as docs/performance.md says, with each of the models. It guards against
// a search that ranks worse than it did, and says nothing of a real model.
func TestDocsSearch(t *testing.T) {
	all := evaluated[measured](t, "search")
	docs.Section(t, "performance.md", "search", searchColumns(all).markdown())
	for _, m := range all {
		if m.Unknown == nil || m.Unknown.Queries != 50 || m.All.Queries < 160 {
			t.Errorf("%s: %d queries, the unknown words are %+v; want 160 at least, and 50", m.Model, m.All.Queries, m.Unknown)
		}
		for _, g := range m.Groups {
			if m.Model == modelPerfect && g.NDCG < 0.97 {
				t.Errorf("a perfect model ends wrong: nDCG@10 of %s is %.3f, want 0.97 at least", g.Group, g.NDCG)
			}
		}
		for _, g := range slices.Concat(m.Groups, m.Pictures) {
			words := g.Group != "pictures"
			if words != (g.Generate > 0) || g.Generate > 1 || g.Embed > 2 || g.P50 <= 0 || g.P95 < g.P50 {
				t.Errorf("%s: a query of %s costs %.2f generate and %.2f embed, and takes %.1f ms, %.1f at most", m.Model, g.Group, g.Generate, g.Embed, g.P50, g.P95)
			}
		}
	}
}

// Discoveries find what docs/discovering.md says, with each of the models.
func TestDocsDiscover(t *testing.T) {
	all := evaluated[discovered](t, "discover")
	docs.Section(t, "discovering.md", "discover", discoveredColumns(all).markdown())
	if none := all[0]; none.Model != modelNone || none.Searches > 0 || none.Runs != 7 {
		t.Errorf("without a model: %+v, want 7 discoveries without a search", none)
	}
}
