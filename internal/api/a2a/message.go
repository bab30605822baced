package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
)

// skillKey is the metadata field of a message that names the skill.
const skillKey = "skill"

// maxFiles is the largest number of files in a message.
const maxFiles = 20

// A question is a message decoded: one skill, with one input for each file.
type question struct {
	skill   agent.Skill
	inputs  []map[string]any
	files   []string // the name of each input's file; "" if it has none
	around  string   // the ID of the conversation
	message string   // the ID of the message, which its sender has given it
	routed  *Routed  // how a model chose the skill; nil if none was asked
	follows bool     // the skill is that of the task before in the conversation
	note    string   // what the sender should know of how the message was understood
}

// file returns the name of the file of input i.
func (q question) file(i int) string {
	if i >= len(q.files) {
		return ""
	}
	return q.files[i]
}

// input returns input i as JSON.
func (q question) input(i int) ([]byte, error) {
	data, err := json.Marshal(q.inputs[i])
	if err != nil {
		return nil, fmt.Errorf("a2a: the input of %s: %w", q.skill.ID, err)
	}
	return data, nil
}

// A content is the decoded parts of a message.
type content struct {
	words string           // all text parts, joined by newlines
	said  []said           // these, and the words in data parts, in their order
	data  map[string]any   // all data parts merged, later ones win; a text that is a JSON object counts as data
	files []map[string]any // for each file its bytes or its address, and its name, by kind of field
	one   bool             // all files show one thing
}

// A said is a text part, or the words that a data part has in one of wordFields.
type said struct{ field, text string }

// say adds a text that is not empty.
func (c *content) say(field, text string) {
	if text = strings.TrimSpace(text); text != "" {
		c.said = append(c.said, said{field, text})
	}
}

// add adds the fields of a data part.
func (c *content) add(fields map[string]any) {
	for _, name := range wordFields {
		if text, ok := fields[name].(string); ok {
			c.say(name, text)
		}
	}
	maps.Copy(c.data, fields)
}

// wordsFor returns the words for a field, joined by newlines: the text parts, and what data
// parts have in that field. What is said twice is there once.
func (c content) wordsFor(field string) string {
	var all []string
	for _, s := range c.said {
		if (s.field == "" || s.field == field) && !slices.Contains(all, s.text) {
			all = append(all, s.text)
		}
	}
	return strings.Join(all, "\n")
}

// The kinds of fields that take a file.
const (
	bytesKind   = "bytes"
	addressKind = "address"
	nameKind    = "name"
)

// asKey is the field of data or of a message's metadata that, with the value one, makes all
// files of a message one input. Skills whose input has a list of files take it.
const asKey = "as"

// names returns the names of the files; of files that are one input there are none.
func (c content) names() (all []string) {
	for _, file := range c.files {
		name, _ := file[nameKind].(string)
		all = append(all, name)
	}
	if c.one {
		return nil
	}
	return all
}

func contentOf(parts a2a.ContentParts) (c content, err error) {
	c.data = map[string]any{}
	for _, p := range parts {
		named := map[string]any{}
		if p.Filename != "" {
			named[nameKind] = p.Filename
		}
		switch v := p.Content.(type) {
		case a2a.Text:
			if fields, ok := object(string(v)); ok {
				c.add(fields)
			} else {
				c.say("", string(v))
			}
		case a2a.Raw:
			named[bytesKind] = []byte(v)
			c.files = append(c.files, named)
		case a2a.URL:
			if !strings.HasPrefix(string(v), "gs://") {
				return c, invalid("the address of file %d must begin with gs://: nothing is fetched from elsewhere; send its bytes", len(c.files)+1)
			}
			named[addressKind] = string(v)
			c.files = append(c.files, named)
		case a2a.Data:
			fields, ok := v.Value.(map[string]any)
			if !ok {
				return c, invalid("a data part must be a JSON object with fields of the skill's input")
			}
			c.add(fields)
		default:
			return c, invalid("a part must have one of text, raw, url and data")
		}
	}
	c.words = c.wordsFor("")
	if len(c.files) > maxFiles {
		return c, invalid("the message has %d files: send %d at most", len(c.files), maxFiles)
	}
	return c, nil
}

// fields names the fields of a skill's input for a file's bytes, its address, its name, and
// words; empty if there is none. List is the field for several files as one, whose elements
// have the fields of each.
type fields struct {
	bytes, address, name, words string
	list                        string
	each                        *fields
}

// wordFields are the names of fields for words; the first that a skill has is used.
var wordFields = []string{"query", "question", "text", "message"}

func fieldsOf(s *jsonschema.Schema) (f fields) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if p.ContentEncoding == "base64" && f.bytes == "" {
			f.bytes = name
		}
		if p.Items == nil {
			continue
		}
		if each := fieldsOf(p.Items); each.bytes != "" {
			f.list, f.each = name, &each
		}
	}
	if s.Properties["file"] != nil {
		f.name = "file"
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

// pictured reports whether c has a file, as a part or in its data.
func (f fields) pictured(c content) bool {
	return len(c.files) > 0 || f.bytes != "" && (c.data[f.bytes] != nil || c.data[f.address] != nil) || c.data[f.list] != nil
}

// inputs returns the inputs of a skill with these fields: one for each file of c, or one if
// there are no files.
func (f fields) inputs(c content) ([]map[string]any, error) {
	base := maps.Clone(c.data)
	_, text := base[f.words].(string)
	if words := c.wordsFor(f.words); f.words != "" && words != "" && (text || base[f.words] == nil) { // the skill refuses what is no text
		base[f.words] = words
	}
	if len(c.files) == 0 {
		return []map[string]any{base}, nil
	}
	if c.one {
		return f.together(base, c.files)
	}
	var all []map[string]any
	for _, file := range c.files {
		in := maps.Clone(base)
		if err := f.set(in, file); err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// together returns the one input with all files, in their order.
func (f fields) together(base map[string]any, files []map[string]any) ([]map[string]any, error) {
	if f.list == "" {
		return nil, invalid("this skill takes each file by itself: leave %q out", asKey)
	}
	var list []any
	for _, file := range files {
		one := map[string]any{}
		if err := f.each.set(one, file); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	base[f.list] = list
	return []map[string]any{base}, nil
}

// set sets a file in an input, or in an element of its list of files.
func (f fields) set(in, file map[string]any) error {
	for kind, name := range map[string]string{bytesKind: f.bytes, addressKind: f.address, nameKind: f.name} {
		value, ok := file[kind]
		if ok && name == "" && kind != nameKind {
			return invalid("this skill takes no %s of a file", kind)
		}
		if ok && name != "" {
			in[name] = value
		}
	}
	return nil
}

// joined takes the field asKey out of the data of c, or of metadata.
func (c *content) joined(metadata ...map[string]any) error {
	value, ok := c.data[asKey]
	delete(c.data, asKey)
	for _, m := range metadata {
		if !ok {
			value, ok = m[asKey]
		}
	}
	if ok && value != "one" {
		return invalid("as is %.40q: want one, or leave it out", fmt.Sprint(value))
	}
	c.one = ok && len(c.files) > 0
	return nil
}

// understand decodes a message into a question for the skill that it names, or else for one
// whose required inputs it contains. Without such a skill ok is false.
func (h handler) understand(ctx context.Context, m *a2a.Message, metadata map[string]any) (q question, ok bool, err error) {
	c, err := contentOf(m.Parts)
	if err == nil {
		err = c.joined(m.Metadata, metadata)
	}
	if err != nil {
		return q, false, err
	}
	name, named := m.Metadata[skillKey]
	if !named {
		name, named = metadata[skillKey]
	}
	i := slices.IndexFunc(h.Skills, func(s agent.Skill) bool { return s.ID == name })
	switch {
	case named && i < 0:
		return q, false, invalid("there is no skill %.40q: the skills are %s", fmt.Sprint(name), strings.Join(h.names(), ", "))
	case named:
		q.skill = h.Skills[i]
	default:
		if q, ok, err = h.choose(ctx, c, m.ContextID); !ok {
			return q, false, err
		}
	}
	f := fieldsOf(q.skill.Input)
	if c.words != "" && f.words == "" && q.routed == nil {
		q.note = strings.TrimSpace(q.note + " " + q.skill.ID + " takes no words: those of the message were not used.")
	}
	q.files = c.names()
	q.inputs, err = f.inputs(c)
	return q, true, err
}

// enough reports whether c contains all required inputs of s and no unknown data. Words
// that accompany a file or data do not need to be of use to s.
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

// names returns the IDs of all skills.
func (d *Server) names() (all []string) {
	for _, s := range d.Skills {
		all = append(all, s.ID)
	}
	return all
}

// introduction answers a message that matches no skill.
func (d *Server) introduction(m *a2a.Message) *a2a.Message {
	var words strings.Builder
	words.WriteString(`Send a photo, words, or data with the fields of a skill's input; metadata {"skill": ID} names the skill. The skills:`)
	list := []any{}
	for _, s := range d.Skills {
		fmt.Fprintf(&words, "\n%s: %s", s.ID, s.Description)
		list = append(list, map[string]any{"id": s.ID, "name": s.Name, "description": s.Description, "input": s.Input})
	}
	answer := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(words.String()), a2a.NewDataPart(plain(map[string]any{"skills": list})))
	answer.ContextID = m.ContextID
	return answer
}

// plain returns v as decoded JSON; the result is always an object.
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
