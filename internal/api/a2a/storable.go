package a2a

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// maxKept is the largest task as JSON, in bytes: a Firestore document holds 1 MiB.
const maxKept = 900 << 10

// maxText is the longest text of a stored message, in bytes.
const maxText = 16 << 10

// storable returns t as JSON as it may be stored: files and data in its messages are replaced
// by hashes, because photos stay in memory only. Artifacts are stored as long as they fit.
// Photos are the hashes of what the task is about.
func storable(t *a2a.Task) (data []byte, photos []string, err error) {
	k := *t
	k.History = make([]*a2a.Message, len(t.History))
	for i, m := range t.History {
		k.History[i] = hashed(m)
	}
	data, err = json.Marshal(&k)
	if photos = photosIn(data); len(data) > maxKept {
		k.Artifacts = make([]*a2a.Artifact, len(t.Artifacts))
		for i, artifact := range t.Artifacts {
			without := *artifact
			parts, _ := json.Marshal(artifact.Parts) // they were encoded above
			without.Parts = a2a.ContentParts{a2a.NewDataPart(hashOf(parts))}
			k.Artifacts[i] = &without
		}
		data, err = json.Marshal(&k)
	}
	return data, photos, err
}

// hashed returns m with everything but words and addresses replaced by hashes.
func hashed(m *a2a.Message) *a2a.Message {
	h := *m
	h.Metadata = nil
	if id, ok := m.Metadata[skillKey].(string); ok {
		h.Metadata = map[string]any{skillKey: id}
	}
	h.Parts = make(a2a.ContentParts, len(m.Parts))
	for i, p := range m.Parts {
		h.Parts[i] = hashedPart(p)
	}
	return &h
}

func hashedPart(p *a2a.Part) *a2a.Part {
	var data []byte
	switch c := p.Content.(type) {
	case a2a.Text:
		if _, structured := object(string(c)); !structured && len(c) <= maxText {
			return a2a.NewTextPart(string(c))
		}
		data = []byte(c)
	case a2a.URL:
		return &a2a.Part{Content: c, Filename: p.Filename, MediaType: p.MediaType}
	case a2a.Raw:
		data = c
	case a2a.Data:
		if hash, ok := c.Value.(map[string]any); ok && len(hash) == 2 && hash["sha256"] != nil && hash["bytes"] != nil {
			return p // it was hashed before
		}
		data, _ = json.Marshal(c.Value) // it was decoded from JSON
	}
	return &a2a.Part{Content: a2a.Data{Value: hashOf(data)}, Filename: p.Filename}
}

// hashOf returns the object that replaces data.
func hashOf(data []byte) map[string]any {
	sum := sha256.Sum256(data)
	return map[string]any{"sha256": hex.EncodeToString(sum[:]), "bytes": len(data)}
}

// object decodes text if it is a JSON object.
func object(text string) (fields map[string]any, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	err := json.Unmarshal([]byte(text), &fields)
	return fields, err == nil
}
