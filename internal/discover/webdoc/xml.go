package webdoc

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// readXML reads XML that describes something: a record of ISO 19139, a dataset in RDF, or a feed or
// catalogue, whose entries become Records. It reports whether there is a title with a description
// or entries. Of XML that is data itself, only the addresses become links.
func (d *Document) readXML(base *url.URL, text []byte) bool {
	r := xmlReading{d: d, base: base, whole: map[string]string{}}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.Strict, decoder.Entity = false, xml.HTMLEntity
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	for range 5 * maxNodes {
		token, err := decoder.Token()
		if err != nil {
			break
		}
		r.read(token)
	}
	r.endFile() // where the text was cut
	of := r.whole
	if len(r.entries) == 1 {
		of, d.Records = r.entries[0], nil
	}
	if len(r.entries) == 0 && (of["title"] == "" || description(of) == "") {
		return false
	}
	d.Title, d.Markdown = of["title"], r.lines.String()
	return true
}

// description returns what properties say of their subject.
func description(of map[string]string) string {
	return cmp.Or(of["abstract"], of["description"], of["summary"], of["subtitle"])
}

// An xmlReading is what was read of XML so far.
type xmlReading struct {
	d     *Document
	base  *url.URL
	path  []string // the local names of the elements that are open
	said  strings.Builder
	lines strings.Builder
	whole map[string]string // the first text of each property
	entry map[string]string // the same of the entry that is open; nil outside
	depth int               // of the open entry
	file  map[string]string // the same of the file that is open, within its dataset or beside it; nil outside
	links []string          // of this file, whose title and description may follow

	entries []map[string]string
}

func (r *xmlReading) read(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		r.path = append(r.path, t.Name.Local)
		r.said.Reset()
		if r.entry == nil && slices.Contains([]string{"item", "entry", "Dataset", "MD_Metadata"}, t.Name.Local) {
			r.entry, r.depth = map[string]string{}, len(r.path)
		}
		if t.Name.Local == distribution {
			r.file = map[string]string{}
		}
		for _, a := range t.Attr {
			if slices.Contains([]string{"href", "resource", "about", "url"}, a.Name.Local) {
				r.tell(t.Name.Local, a.Value)
			}
		}
	case xml.CharData:
		r.said.Write(t)
	case xml.EndElement:
		r.tell(r.property(), html.UnescapeString(tag.ReplaceAllString(r.said.String(), " ")))
		r.said.Reset()
		if t.Name.Local == distribution {
			r.endFile()
		}
		if r.entry != nil && len(r.path) == r.depth {
			record := Record{URL: cmp.Or(r.entry["landingPage"], r.entry["link"], r.entry["Dataset"]), Title: r.entry["title"], Description: description(r.entry), Publisher: r.entry["organisationName"]}
			if record.URL != "" && record.Title != "" && len(r.d.Records) < maxRecords {
				r.d.Records = append(r.d.Records, record)
			}
			if record.Title != "" && record.URL+record.Description != "" {
				r.entries = append(r.entries, r.entry)
			}
			r.entry = nil
		}
		r.path = r.path[:max(0, len(r.path)-1)]
	}
}

// distribution is the element of DCAT that describes a file.
const distribution = "Distribution"

// endFile adds the links of the file that is open, by its own words or those of its dataset.
func (r *xmlReading) endFile() {
	for _, address := range r.links {
		r.d.link(r.base, address, Link{Text: cmp.Or(r.file["title"], r.entry["title"]), Near: cmp.Or(r.file["description"], r.entry["description"])})
	}
	r.file, r.links = nil, nil
}

// property returns what a text is of: the innermost element that begins with a small letter, as
// those with a capital one are types in ISO 19139.
func (r *xmlReading) property() string {
	for _, name := range slices.Backward(r.path) {
		if unicode.IsLower([]rune(name)[0]) {
			return name
		}
	}
	return ""
}

// tell notes a text or an address of a property.
func (r *xmlReading) tell(property, value string) {
	value = cut(strings.Join(strings.Fields(value), " "))
	if value == "" || property == "" {
		return
	}
	of := r.whole
	switch {
	case r.file != nil:
		of = r.file
	case r.entry != nil:
		of = r.entry
	}
	of[property] = cmp.Or(of[property], value)
	if r.lines.Len() < maxChars {
		fmt.Fprintf(&r.lines, "- %s: %s\n", property, value)
	}
	switch web := strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://"); {
	case web && r.file != nil:
		r.links = append(r.links, value)
	case web:
		r.d.link(r.base, value, Link{Text: cmp.Or(of["title"], of["name"]), Near: of["description"]})
	}
}
