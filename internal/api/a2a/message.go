package a2a

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
)

// skillKey is what messages name their skill by in their metadata.
const skillKey = "skill"

// maxFiles bounds the files of a message.
const maxFiles = 20

// A question is what a message asks: one skill, once for each of its files.
type question struct {
	skill  agent.Skill
	inputs []map[string]any
}

// input is the JSON of the input of that number.
func (q question) input(i int) ([]byte, error) {
	data, err := json.Marshal(q.inputs[i])
	if err != nil {
		return nil, fmt.Errorf("a2a: the input of %s: %w", q.skill.ID, err)
	}
	return data, nil
}

// A content is what the parts of a message hold.
type content struct {
	words string           // of all texts
	data  map[string]any   // of all data, the last of each name; a text that is a JSON object is data too
	files []map[string]any // the bytes of each, or its address, by what kind of field takes it
}

// The kinds of fields that take a file.
const (
	bytesKind   = "bytes"
	addressKind = "address"
)

func contentOf(parts a2a.ContentParts) (c content, err error) {
	c.data = map[string]any{}
	var words []string
	for _, p := range parts {
		switch v := p.Content.(type) {
		case a2a.Text:
			if fields, ok := object(string(v)); ok {
				maps.Copy(c.data, fields)
			} else if text := strings.TrimSpace(string(v)); text != "" {
				words = append(words, text)
			}
		case a2a.Raw:
			c.files = append(c.files, map[string]any{bytesKind: []byte(v)})
		case a2a.URL:
			if !strings.HasPrefix(string(v), "gs://") {
				return c, invalid("a file's address must begin with gs://: nothing is fetched from elsewhere; send its bytes")
			}
			c.files = append(c.files, map[string]any{addressKind: string(v)})
		case a2a.Data:
			fields, ok := v.Value.(map[string]any)
			if !ok {
				return c, invalid("a data part must be a JSON object with fields of the skill's input")
			}
			maps.Copy(c.data, fields)
		default:
			return c, invalid("a part must have one of text, raw, url and data")
		}
	}
	c.words = strings.Join(words, "\n")
	if len(c.files) > maxFiles {
		return c, invalid("the message has %d files: send %d at most", len(c.files), maxFiles)
	}
	return c, nil
}

// fields are those of a skill's input that take a file's bytes, its address and words;
// empty where there is none.
type fields struct{ bytes, address, words string }

// wordFields are the names of fields that take words, the first that there is.
var wordFields = []string{"query", "question", "text", "message"}

func fieldsOf(s *jsonschema.Schema) (f fields) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if s.Properties[name].ContentEncoding == "base64" && f.bytes == "" {
			f.bytes = name
		}
	}
	if s.Properties["uri"] != nil {
		f.address = "uri"
	}
	for _, name := range slices.Backward(wordFields) {
		if s.Properties[name] != nil {
			f.words = name
		}
	}
	return f
}

// inputs are those of c for a skill with these fields: one for each file, or one.
func (f fields) inputs(c content) ([]map[string]any, error) {
	base := maps.Clone(c.data)
	if f.words != "" && c.words != "" {
		base[f.words] = c.words
	}
	if len(c.files) == 0 {
		return []map[string]any{base}, nil
	}
	var all []map[string]any
	for _, file := range c.files {
		in := maps.Clone(base)
		for kind, name := range map[string]string{bytesKind: f.bytes, addressKind: f.address} {
			value, ok := file[kind]
			if ok && name == "" {
				return nil, invalid("this skill takes no %s of a file", kind)
			}
			if ok {
				in[name] = value
			}
		}
		all = append(all, in)
	}
	return all, nil
}

// understand is the question of a message: of the skill that it names, or else of the
// first that its parts are enough for. There is none, and ok is false, if it is enough
// for no skill.
func (d *Server) understand(m *a2a.Message, metadata map[string]any) (q question, ok bool, err error) {
	c, err := contentOf(m.Parts)
	if err != nil {
		return q, false, err
	}
	name, named := m.Metadata[skillKey]
	if !named {
		name, named = metadata[skillKey]
	}
	for _, s := range d.Skills {
		if named && s.ID != name || !named && !enough(c, s) {
			continue
		}
		inputs, err := fieldsOf(s.Input).inputs(c)
		return question{s, inputs}, true, err
	}
	if named {
		return q, false, invalid("there is no skill %.40q: the skills are %s", fmt.Sprint(name), strings.Join(d.names(), ", "))
	}
	return q, false, nil
}

// enough reports that c has all that an input of s needs, and no data that it does not
// know. Words beside a file need not be understood.
func enough(c content, s agent.Skill) bool {
	f := fieldsOf(s.Input)
	if c.words != "" && f.words == "" && len(c.files)+len(c.data) == 0 {
		return false
	}
	inputs, err := f.inputs(c)
	if err != nil || len(inputs[0]) == 0 {
		return false
	}
	for name := range inputs[0] {
		if s.Input.Properties[name] == nil {
			return false
		}
	}
	for _, name := range s.Input.Required {
		if _, ok := inputs[0][name]; !ok {
			return false
		}
	}
	return true
}

// names are the IDs of all skills.
func (d *Server) names() (all []string) {
	for _, s := range d.Skills {
		all = append(all, s.ID)
	}
	return all
}

// introduction answers a message that asks for no skill.
func (d *Server) introduction(m *a2a.Message) *a2a.Message {
	var words strings.Builder
	words.WriteString(`Send a photo, or data with the fields of a skill's input; metadata {"skill": ID} names the skill. The skills:`)
	list := []any{}
	for _, s := range d.Skills {
		fmt.Fprintf(&words, "\n%s: %s", s.ID, s.Description)
		list = append(list, map[string]any{"id": s.ID, "name": s.Name, "description": s.Description, "input": s.Input})
	}
	answer := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(words.String()), a2a.NewDataPart(plain(map[string]any{"skills": list})))
	answer.ContextID = m.ContextID
	return answer
}

// plain is v as JSON has it: maps, lists, texts and numbers; an object in any case.
func plain(v any) map[string]any {
	var p any
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if fields, ok := p.(map[string]any); ok && err == nil {
		return fields
	}
	return map[string]any{"value": p}
}
