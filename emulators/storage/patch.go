package storage

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

var bucketPath = regexp.MustCompile(`^/storage/v1/b/[^/]+$`)

// kept are the fields of a bucket that a patch can change here. fake-gcs-server drops
// the others without a word.
var kept = []string{"versioning", "defaultEventBasedHold"}

// patched returns body as fake-gcs-server does with it what it says, or the name of what it
// would not do. A null removes a field of an object's metadata, for which r becomes an
// update of the whole of them.
func (s *Server) patched(r *http.Request, t target, body []byte) (fit []byte, lacks string) {
	var fields map[string]any
	if r.Method != http.MethodPatch || json.Unmarshal(body, &fields) != nil {
		return body, ""
	}
	if bucketPath.MatchString(r.URL.EscapedPath()) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if !slices.Contains(kept, name) {
				return nil, "storage.buckets.patch of " + name
			}
		}
		return body, ""
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name] == nil && name != "metadata" {
			return nil, "storage.objects.patch that removes " + name
		}
	}
	return s.withoutNull(r, t, fields, body), ""
}

// withoutNull returns body with the metadata that are left once its nulls are obeyed.
func (s *Server) withoutNull(r *http.Request, t target, fields map[string]any, body []byte) []byte {
	change, changed := fields["metadata"]
	members, _ := change.(map[string]any)
	removes := slices.Contains(slices.Collect(maps.Values(members)), nil)
	o, err := s.fake.GetObjectStreaming(t.bucket, t.name)
	if err != nil || !changed || change != nil && !removes {
		return body
	}
	defer o.Close()
	left := map[string]any{}
	if change != nil {
		for name, value := range o.Metadata {
			left[name] = value
		}
		maps.Copy(left, members)
		maps.DeleteFunc(left, func(_ string, v any) bool { return v == nil })
	}
	fields["metadata"] = left
	whole, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	r.Method = http.MethodPut
	return whole
}
