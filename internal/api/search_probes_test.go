package api_test

import "strings"

// searchProbes returns the probes of the search routes.
func (s *service) searchProbes() []probe {
	s.t.Helper()
	hit := s.find("/search", `{"query":"red cat-eye sunglasses","limit":1}`, inJSON).Products[0]
	resp, _ := s.ask("GET", hit.ImageURL, "")
	p, none := "/products/"+hit.ProductID, "/products/"+strings.Repeat("0", 32)
	stream := append([]string{"Accept", "text/event-stream"}, inJSON...)
	return []probe{
		{"POST", "/search", "/search", `{"query":"red frames","expect":"` + hit.ProductID + `"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"compare EW-1001 and EW-1002"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"what is titanium?"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"how many products by color?"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"tell me a joke"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"is ` + hit.Name + ` in stock?"}`, 200, inJSON},
		{"POST", "/search", "/search", `{"query":"tell me about ` + hit.Name + `"}`, 200, stream},
		{"POST", "/search", "/search", `{}`, 400, inJSON},
		{"POST", "/search", "/search", `{}`, 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", "/search/text", "/search/text", `{"query":"red frames"}`, 200, nil},
		{"POST", "/search/text", "/search/text", `{}`, 400, nil},
		{"GET", "/search/filters", "/search/filters", "", 200, nil},
		{"GET", "/search/filters", "/search/filters?shop=none", "", 400, nil},
		{"GET", "/search/suggest", "/search/suggest?q=k", "", 200, nil},
		{"GET", "/search/suggest", "/search/suggest?shop=none&q=k", "", 400, nil},
		{"GET", "/products/{id}", p, "", 200, nil},
		{"GET", "/products/{id}", none, "", 404, nil},
		{"GET", "/products/{id}/similar", p + "/similar", "", 200, nil},
		{"GET", "/products/{id}/similar", p + "/similar", "", 200, stream},
		{"GET", "/products/{id}/similar", none + "/similar", "", 404, nil},
		{"GET", "/products/{id}/similar", p + "/similar?limit=0", "", 422, nil},
		{"GET", "/products/{id}/image", p + "/image", "", 200, nil},
		{"GET", "/products/{id}/image", p + "/image", "", 304, []string{"If-None-Match", resp.Header.Get("ETag")}},
		{"GET", "/products/{id}/image", none + "/image", "", 404, nil},
		{"GET", "/products/{id}/image", p + "/image?width=1", "", 422, nil},
		{"POST", "/skills/search", "/skills/search", `{"query":"red frames"}`, 200, nil},
		{"POST", "/skills/search", "/skills/search", `{"query":"red frames"}`, 200, stream},
		{"POST", "/skills/search", "/skills/search", `{"query":7}`, 422, nil},
		{"POST", "/skills/search", "/skills/search", `{}`, 422, nil},
	}
}
