package a2a

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// maxKept bounds a task as JSON: a document of Firestore takes 1 MiB.
const maxKept = 900 << 10

// maxText bounds a text of a message that is kept, in bytes.
const maxText = 16 << 10

// kept is t as it may be stored: what its messages brought is replaced by hashes, as
// pictures and what was made of them stay in memory. Artifacts are kept as long as
// there is room for them.
func kept(t *a2a.Task) *a2a.Task {
	k := *t
	k.History = make([]*a2a.Message, len(t.History))
	for i, m := range t.History {
		k.History[i] = hashed(m)
	}
	if data, err := json.Marshal(&k); err == nil && len(data) <= maxKept {
		return &k
	}
	k.Artifacts = make([]*a2a.Artifact, len(t.Artifacts))
	for i, artifact := range t.Artifacts {
		without := *artifact
		data, _ := json.Marshal(artifact.Parts) // what cannot be written has no bytes
		without.Parts = a2a.ContentParts{a2a.NewDataPart(hashOf(data))}
		k.Artifacts[i] = &without
	}
	return &k
}

// hashed is m without what it brought but for words and addresses.
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
			return p // it was kept before
		}
		data, _ = json.Marshal(c.Value) // it was JSON before
	}
	return &a2a.Part{Content: a2a.Data{Value: hashOf(data)}, Filename: p.Filename}
}

// hashOf stands for data.
func hashOf(data []byte) map[string]any {
	sum := sha256.Sum256(data)
	return map[string]any{"sha256": hex.EncodeToString(sum[:]), "bytes": len(data)}
}

// object is the JSON object that text is, if it is one.
func object(text string) (fields map[string]any, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	err := json.Unmarshal([]byte(text), &fields)
	return fields, err == nil
}
