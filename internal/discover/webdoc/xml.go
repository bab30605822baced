package webdoc

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// readXML reads XML as the JSON that would say the same (readDatasets): records of ISO 19139, datasets
// in RDF, and feeds, whose entries have the shape of datasets. It reports whether there are any. Of
// other XML, the addresses become links.
func (d *Document) readXML(base *url.URL, text []byte) bool {
	x := xmlReading{decoder: xml.NewDecoder(bytes.NewReader(text)), left: 5 * maxNodes}
	x.decoder.Strict, x.decoder.Entity = false, xml.HTMLEntity
	x.decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	found := d.readDatasets(base, x.element(xml.StartElement{}, 0))
	for _, address := range x.addresses {
		d.link(base, address, Link{})
	}
	return found
}

// An xmlReading is what is left to read of XML, and the addresses in it so far.
type xmlReading struct {
	decoder   *xml.Decoder
	left      int // tokens
	addresses []string
}

// maxElements is how deep elements may be nested.
const maxElements = 100

// Elements whose content is that of the element around them, and those that are datasets by their name
// alone, or if they have a title and something behind it.
var (
	transparent = []string{"identificationInfo", "citation", "distributionInfo", "transferOptions", "textGroup", "URLGroup"}
	isoRecords  = []string{"MD_Metadata", "MI_Metadata"}
	entries     = []string{"item", "entry"}
)

// element returns what an element says, whose start was read: its text, or an object of its attributes
// and elements. An element with a capital letter is a type, as in ISO 19139 and RDF: it is the value of the
// one around it.
func (x *xmlReading) element(of xml.StartElement, depth int) any {
	n, id, lang := map[string]any{}, "", ""
	add := func(name string, values ...any) {
		if known, is := n[name]; is {
			values = append(slices.Clip(listed(known)), values...)
		}
		if n[name] = any(values); len(values) == 1 {
			n[name] = values[0]
		}
	}
	for _, a := range of.Attr {
		switch a.Name.Local {
		case "href", "resource", "about", "url":
			id = a.Value
			x.addresses = append(x.addresses, a.Value)
		case "rel", "type", "title":
			if a.Name.Space == "" { // xsi:type says nothing of what is described
				n[a.Name.Local] = a.Value
			}
		case "locale", "lang":
			lang = strings.ToLower(strings.TrimPrefix(a.Value, "#"))
		}
	}
	var said strings.Builder
	for open := depth < maxElements; open; {
		token, err := x.decoder.Token()
		if x.left--; err != nil || x.left < 0 {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			name, v := t.Name.Local, x.element(t, depth+1)
			within, is := v.(map[string]any)
			switch {
			case is && slices.Contains(transparent, name):
				for key, value := range within {
					add(key, listed(value)...)
				}
			case isType(name):
				add("@graph", v)
			default:
				add(name, listed(v)...)
			}
		case xml.CharData:
			said.Write(t)
		case xml.EndElement:
			open = false
		}
	}
	text := strings.Join(strings.Fields(said.String()), " ")
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		x.addresses, lang = append(x.addresses, text), ""
	}
	if len(n) == 0 && text != "" && isLanguage(lang) {
		return map[string]any{lang: text}
	}
	graph, holds := n["@graph"]
	name := of.Name.Local
	if holds && len(n) == 1 && name != "" && !isType(name) {
		return graph
	}
	if id != "" {
		n["@id"] = id
	}
	switch {
	case len(n) == 0:
		return text
	case text != "":
		n["@value"] = text
	case slices.Contains(isoRecords, name), slices.Contains(entries, name) && n["title"] != nil && (n["link"] != nil || n["description"] != nil || n["summary"] != nil):
		n["@type"] = "Dataset"
	case isType(name):
		n["@type"] = name
	}
	return n
}

func isType(name string) bool { return name != "" && unicode.IsUpper([]rune(name)[0]) }
