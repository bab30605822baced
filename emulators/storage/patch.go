package storage

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

var bucketPath = regexp.MustCompile(`^/storage/v1/b/[^/]+$`)

// kept are the fields of a bucket that a patch can change. fake-gcs-server silently drops
// the others.
var kept = []string{"versioning", "defaultEventBasedHold"}

// patched rewrites body so that fake-gcs-server applies it correctly, or returns the name
// of a field that it would ignore. A null removes a field of an object's metadata: then r
// becomes an update of all metadata.
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

// withoutNull returns body with the metadata that remain after its nulls are applied.
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
