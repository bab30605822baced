package storage

import (
	"net/http"
	"strconv"
)

// conditions are the preconditions a request may carry: in the query of the
// JSON API, in a header of the XML API.
// https://cloud.google.com/storage/docs/request-preconditions
var conditions = []struct {
	query, header  string
	metageneration bool
	equal          bool // what the comparison must give
}{
	{"ifGenerationMatch", "X-Goog-If-Generation-Match", false, true},
	{"ifGenerationNotMatch", "X-Goog-If-Generation-Not-Match", false, false},
	{"ifMetagenerationMatch", "X-Goog-If-Metageneration-Match", true, true},
	{"ifMetagenerationNotMatch", "X-Goog-If-Metageneration-Not-Match", true, false},
}

// unmet returns the status that refuses r: 400 for a malformed condition, 304 for a read
// of what the reader has, else 412. Live returns the live generation of the object it
// names, 0 for none; fake-gcs-server goes through all objects for it. The status is 0 when all
// conditions hold, and when there is no object and r does not make one: that answer is 404.
func unmet(r *http.Request, k kind, live func() int64) int {
	if k == other {
		return 0
	}
	query := r.URL.Query()
	for _, c := range conditions {
		value := query.Get(c.query)
		if k == xml {
			value = r.Header.Get(c.header)
		}
		if value == "" {
			continue
		}
		generation := live()
		if generation == 0 && k != copied && k != composed {
			return 0
		}
		want, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return http.StatusBadRequest
		}
		have := generation
		if c.metageneration {
			have = min(generation, 1) // no object here has another
		}
		if (have == want) == c.equal {
			continue
		}
		if !c.equal && r.Method == http.MethodGet {
			return http.StatusNotModified
		}
		return http.StatusPreconditionFailed
	}
	return 0
}
