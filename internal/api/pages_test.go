package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/search"
)

// walked asks for a list in pages of one, and returns the IDs of its entries in their order.
func walked(s *service, path, list, id string) (all []string) {
	s.t.Helper()
	for after := ""; ; {
		_, body := s.ask("GET", path+"?limit=1&after="+url.QueryEscape(after), "")
		page := read[map[string]json.RawMessage](s.t, body)
		entries := read[[]map[string]any](s.t, string(page[list]))
		if len(entries) > 1 {
			s.t.Fatalf("GET %s?limit=1 has %d entries", path, len(entries))
		}
		for _, e := range entries {
			all = append(all, fmt.Sprint(e[id]))
		}
		if page["next"] == nil || len(all) > 20 {
			return all
		}
		after = read[string](s.t, string(page["next"]))
	}
}

// Lists come in pages, each entry once and the newest first; a cursor of nowhere and a page of
// none are refused.
func TestPages(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	s.upload("a.jpg", picture(t, 40))
	var batches, discoveries []string
	for range 3 {
		_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
		batches = append(batches, read[batch.Status](t, body).ID)
		_, body = s.ask("POST", "/discover", `{"country":"Kenya","sector":"waste"}`)
		discoveries = append(discoveries, read[discover.Status](t, body).ID)
	}
	for _, test := range []struct {
		path, list string
		begun      []string
	}{
		{"/batches", "batches", batches},
		{"/discover", "discoveries", discoveries},
	} {
		slices.Reverse(test.begun)
		if got := walked(s, test.path, test.list, "id"); !slices.Equal(got, test.begun) {
			t.Errorf("the pages of %s are %q, want %q", test.path, got, test.begun)
		}
		for query, want := range map[string]string{"?after=nowhere": "bad_cursor", "?after=" + strings.Repeat("a", 1000): "bad_cursor", "?limit=0": "bad_option", "?limit=101": "bad_option"} {
			if _, body := s.ask("GET", test.path+query, ""); !strings.Contains(body, want) {
				t.Errorf("GET %s%.40s = %s, want %s", test.path, query, body, want)
			}
		}
	}
}

// A list without entries says what to do.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	for path, want := range map[string]string{
		"/results": "/analyze", "/results?doubt=true": "leave out", "/results?order=doubt": "waits for a person",
		"/catalog": "whatisit catalog import", "/catalog?status=confirmed": "leave out q, status",
		"/batches": "POST", "/discover": "POST",
	} {
		if _, body := s.ask("GET", path, ""); !strings.Contains(read[struct{ Note string }](t, body).Note, want) {
			t.Errorf("GET %s = %s, want a note with %q", path, body, want)
		}
	}
	s.uploaded("a.jpg", picture(t, 40))
	if _, body := s.ask("GET", "/results", ""); strings.Contains(body, `"note"`) {
		t.Errorf("GET /results = %s, want no note", body)
	}
}

// The products like one come in pages, too.
func TestSimilarPages(t *testing.T) {
	t.Parallel()
	s := searching(t)
	path := "/products/" + s.find("/search", `{"query":"red cat-eye sunglasses","limit":1}`, inJSON).Products[0].ProductID + "/similar"
	seen, after := map[string]bool{}, ""
	for range 3 {
		_, body := s.ask("GET", path+"?limit=2&after="+url.QueryEscape(after), "")
		page := read[search.Result](t, body)
		for _, p := range page.Products {
			if seen[p.ProductID] {
				t.Errorf("%s is in two pages", p.Name)
			}
			seen[p.ProductID] = true
		}
		after = page.Next
	}
	if len(seen) != 6 {
		t.Errorf("three pages of two have %d products", len(seen))
	}
}

// Every operation that answers with a next takes it as after, and every list does. All agents'
// skills are one list, which is short.
func TestListsHavePages(t *testing.T) {
	t.Parallel()
	d := read[struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Parameters []struct{ Name string }
			Responses  map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}](t, complete())
	var paged []string
	for _, o := range maps.All(d.Paths) {
		get, ok := o["get"]
		if !ok {
			continue
		}
		after := slices.ContainsFunc(get.Parameters, func(p struct{ Name string }) bool { return p.Name == "after" })
		answer := strings.TrimPrefix(get.Responses["200"].Content["application/json"].Schema.Ref, "#/components/schemas/")
		_, next := d.Components.Schemas[answer].Properties["next"]
		if after != next {
			t.Errorf("%s takes after: %t, answers with next: %t", get.ID, after, next)
		}
		if next {
			paged = append(paged, get.ID)
		} else if strings.HasPrefix(get.ID, "list") && get.ID != "listSkills" {
			t.Errorf("%s has no pages", get.ID)
		}
	}
	slices.Sort(paged)
	if want := []string{"getForecastHistory", "getSimilarProducts", "listBatches", "listCatalogRecords", "listDiscoveries", "listResults"}; !slices.Equal(paged, want) {
		t.Errorf("what comes in pages is %q, want %q", paged, want)
	}
}
