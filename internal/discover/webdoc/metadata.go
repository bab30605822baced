package webdoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// A Record is a dataset that a catalogue lists, as its metadata describe it.
type Record struct {
	ID          string // of CKAN: the name that package_show takes
	URL         string // of its page, "" if the metadata name none
	Title       string
	Description string
	Publisher   string
}

// Limits of the metadata that are read.
const (
	maxRecords    = 200
	maxScripts    = 20
	maxNodes      = 20_000
	maxDescribed  = 20 // datasets that become part of a page's text
	maxValueRunes = 2000
)

// A node is an object of JSON that may describe a dataset: of schema.org or DCAT in JSON-LD, of
// DCAT-US, or an answer of CKAN, udata, Socrata, OpenDataSoft, ArcGIS Hub or Zenodo. What they say
// has a shape in common: a title, a description, who publishes it, and files or columns.
type node map[string]any

// names of fields, without their namespaces.
var (
	titleFields       = []string{"title", "name", "key", "filename"}
	descriptionFields = []string{"description", "notes", "abstract", "summary", "content"}
	publisherFields   = []string{"publisher", "organization", "organisation", "provider", "attribution", "orgName", "pointOfContact", "contact", "creator", "creators", "author"}
	fileFields        = []string{"distribution", "resources", "files", "onLine", "link"}
	columnFields      = []string{"columns", "fields", "columns_name"}
	addressFields     = []string{"downloadURL", "contentUrl", "accessURL", "url", "content", "download", "self", "linkage"}
	pageFields        = []string{"landingPage", "permalink", "self_html", "html", "itemPage", "hubLandingPage", "url", "page", "link"}
	formatFields      = []string{"format", "encodingFormat", "mediaType", "type"}
	wrappers          = []string{"metadata", "metas", "default", "attributes", "resource", "links"} // whose fields are the node's own
)

// shownField matches the fields that say what a dataset covers, how current it is and what may be done
// with it.
var shownField = regexp.MustCompile(`(?i)tempora|coverage|period|spatial|extent|constraints|geographic|keyword|^tags$|^theme|licen[cs]e|^rights$|^(?:date_?)?(?:published|issued|modified)$|datePublished|dateModified|publication_date|metadata_modified|frequency|periodicity|variable|^columns$|^fields$|^extras$`)

// local returns a name without its namespace: dct:title, http://purl.org/dc/terms/title.
func local(name string) string {
	return name[strings.LastIndexAny(name, "#/:")+1:]
}

// field returns the first value that a node has under one of names.
func (n node) field(names ...string) any {
	for _, name := range names {
		if v, ok := n[name]; ok && v != nil {
			return v
		}
	}
	return nil
}

// simplify returns a value of JSON with the local names of fields as keys, texts of several
// languages as lists, and JSON within texts read. It counts nodes down from left, and returns nil
// where there are too many.
func simplify(v any, left *int) any {
	if *left--; *left < 0 {
		return nil
	}
	switch v := v.(type) {
	case string:
		var within map[string]any
		if strings.HasPrefix(v, `{"`) && json.Unmarshal([]byte(v), &within) == nil {
			return simplify(within, left)
		}
		return html.UnescapeString(tag.ReplaceAllString(v, " "))
	case map[string]any:
		if texts := languagesOf(v); texts != nil {
			return simplify(texts, left)
		}
		n := node{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if name := local(key); strings.HasPrefix(key, "@") {
				n[key] = simplify(v[key], left)
			} else if of := untranslated(name); of != "" && n[of] != nil {
				n[of] = append(listed(n[of]), listed(simplify(v[key], left))...)
			} else if name = cmp.Or(of, name); n[name] == nil {
				n[name] = simplify(v[key], left)
			}
		}
		for _, name := range wrappers {
			wrapped, _ := n[name].(node)
			for key, value := range wrapped {
				if n[key] == nil {
					n[key] = value
				}
			}
		}
		return n
	case []any:
		for i := range v {
			v[i] = simplify(v[i], left)
		}
	}
	return v
}

// listed returns a value as a list.
func listed(v any) []any {
	if list, is := v.([]any); is {
		return list
	}
	return []any{v}
}

// tag matches a tag of HTML, which descriptions contain.
var tag = regexp.MustCompile(`</?[a-zA-Z][^<>]{0,500}>`)

// nodesIn returns a value's nodes: itself, or those of a list.
func nodesIn(v any) (all []node) {
	switch v := v.(type) {
	case node:
		return []node{v}
	case []any:
		for _, one := range v {
			if n, ok := one.(node); ok {
				all = append(all, n)
			}
		}
	}
	return all
}

// words returns the text of a value: a string, a number, a literal or a reference of JSON-LD,
// the title of a node, or a list of them.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Fields(v), " ")
	case float64, bool:
		return fmt.Sprint(v)
	case node:
		if value := words(v.field("@value")); value != "" {
			return value
		}
		if key, value := words(v.field("key")), words(v.field("value")); key != "" && value != "" { // of CKAN
			return key + ": " + value
		}
		if from, to := words(v.field("startDate", "start", "start_date", "beginPosition")), words(v.field("endDate", "end", "end_date", "endPosition")); from+to != "" {
			return from + "/" + to
		}
		if named := cmp.Or(words(v.field("title", "name", "organisationName", "prefLabel", "label", "display_name")), words(v.field("@id", "id"))); named != "" {
			return named
		}
		var all []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "@type" {
				all = append(all, v[key])
			}
		}
		return words(all)
	case []any:
		var parts []string
		for _, one := range v {
			if part := words(one); part != "" && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// is reports that a node says to be of a kind.
func (n node) is(kind string) bool {
	return slices.ContainsFunc(strings.Split(words(n["@type"]), ", "), func(said string) bool { return local(said) == kind })
}

// isDataset reports that a node describes a dataset: it says so, or has a title and resources, or
// a title, a description and files, columns or a page of its own.
func (n node) isDataset() bool {
	if n.is("Dataset") {
		return true
	}
	list := func(names ...string) bool { _, is := n.field(names...).([]any); return is }
	described := words(n.field(descriptionFields...)) != "" && (list(fileFields...) || list(columnFields...) || n.field(pageFields[:6]...) != nil)
	return words(n.field("title", "name")) != "" && (list("resources") || described)
}

// metadata are the datasets of a value of JSON, with the nodes that they refer to.
type metadata struct {
	byID     map[string]node
	title    string // of the list that they are in
	datasets []node
	files    []node // beside them
	listed   bool   // they are those of a list, however short
}

func (m *metadata) collect(v any) {
	for _, n := range nodesIn(v) {
		if id, ok := n["@id"].(string); ok && len(n) > 1 && m.byID[id] == nil {
			m.byID[id] = n
		}
		if n.isDataset() {
			m.datasets = append(m.datasets, n)
			continue
		}
		if n.is("Distribution") {
			m.files = append(m.files, n)
			continue
		}
		m.title = cmp.Or(m.title, words(n["title"]))
		for _, key := range []string{"@graph", "dataset", "hasPart", "mainEntity", "about", "itemListElement", "channel", "item", "entry", "rss", "feed", "features", "properties", "datasets", "result", "results", "data", "hits"} {
			list, _ := n[key].([]any)
			m.listed = m.listed || n[key] != nil && (key == "results" || key == "dataset" || key == "datasets") || len(list) > 0 && (key == "data" || key == "hits")
			m.collect(n[key])
		}
	}
}

// resolve returns the nodes of a field, with references followed.
func (m *metadata) resolve(n node, fields ...string) (all []node) {
	for _, one := range nodesIn(n.field(fields...)) {
		if id, ok := one["@id"].(string); ok && len(one) == 1 && m.byID[id] != nil {
			one = m.byID[id]
		}
		all = append(all, one)
	}
	if id, ok := n.field(fields...).(string); ok && m.byID[id] != nil {
		all = append(all, m.byID[id])
	}
	return all
}

// text returns the words of a field, with references followed.
func (m *metadata) text(n node, fields ...string) string {
	if nodes := m.resolve(n, fields...); len(nodes) > 0 {
		var parts []string
		for _, one := range nodes {
			if w := words(one); w != "" && !slices.Contains(parts, w) {
				parts = append(parts, w)
			}
		}
		return strings.Join(parts, ", ")
	}
	return words(n.field(fields...))
}

// readMetadata reads the datasets of JSON that a page has, or is.
func (d *Document) readMetadata(base *url.URL, data []byte) bool {
	var v any
	return json.Unmarshal(data, &v) == nil && d.readDatasets(base, v)
}

// readDatasets reads the datasets of a value: one or a few become part of the text and the links, those
// of a catalogue become Records. It reports whether there are any.
func (d *Document) readDatasets(base *url.URL, v any) bool {
	left := maxNodes
	m := &metadata{byID: map[string]node{}}
	top := simplify(v, &left)
	if n, ok := top.(node); ok && words(n["conformsTo"]) != "" { // DCAT-US: its datasets may have no type
		for _, one := range nodesIn(n["dataset"]) {
			one["@type"] = "Dataset"
		}
	}
	m.collect(top)
	d.Truncated = d.Truncated || left < 0 || len(m.datasets) > maxRecords
	for i, n := range m.datasets[:min(len(m.datasets), maxRecords)] {
		r := m.record(n, base)
		files := m.linkFiles(d, m.resolve(n, fileFields...), r.Title, base)
		if len(m.datasets) == 1 && !m.listed || r.ID+r.URL == "" && i < maxDescribed {
			m.describe(d, n, r, files, base)
			continue
		}
		d.Records = append(d.Records, r)
	}
	m.linkFiles(d, m.files, "", base)
	if len(m.datasets) > 0 {
		d.Title = cmp.Or(d.Title, cut(m.title))
	}
	return len(m.datasets) > 0
}

// record returns what the metadata of a dataset say.
func (m *metadata) record(n node, base *url.URL) Record {
	r := Record{
		Title: cut(m.text(n, titleFields...)), Description: cut(m.text(n, descriptionFields...)), Publisher: cut(m.text(n, publisherFields...)),
	}
	if id := words(n["name"]); id != "" && n["resources"] != nil {
		r.ID = id
		return r
	}
	for _, page := range append(listed(n.field(pageFields...)), n["@id"]) {
		said := words(page)
		u, err := base.Parse(said)
		if err == nil && said != "" && (u.Scheme == "http" || u.Scheme == "https") && r.URL == "" {
			r.URL = u.String()
		}
	}
	return r
}

// cut bounds a value.
func cut(value string) string {
	runes := []rune(value)
	return string(runes[:min(len(runes), maxValueRunes)])
}

// linkFiles adds files to the links, each with its own words, and returns a line on each.
func (m *metadata) linkFiles(d *Document, files []node, of string, base *url.URL) (lines string) {
	for _, f := range files {
		called, format, about := cut(m.text(f, titleFields...)), cut(m.text(f, formatFields...)), cut(m.text(f, descriptionFields...))
		target, _, _ := strings.Cut(cmp.Or(m.text(f, addressFields...), words(f["@id"])), ", http") // the first, of several languages
		lines += fmt.Sprintf("- file: %s (%s) %s %s\n", called, format, about, cut(target))
		d.link(base, target, Link{Text: cmp.Or(called, of), Near: cmp.Or(of, about), Format: formatSaid(format)})
	}
	return lines
}

// describe adds a dataset with its files to a page's text.
func (m *metadata) describe(d *Document, n node, r Record, files string, base *url.URL) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n## %s\n\n%s\n\n", cmp.Or(r.Title, "Dataset"), r.Description)
	if r.Publisher != "" {
		fmt.Fprintf(&b, "- publisher: %s\n", r.Publisher)
	}
	for _, name := range slices.Sorted(maps.Keys(n)) {
		if said := cut(m.text(n, name)); said != "" && shownField.MatchString(name) {
			fmt.Fprintf(&b, "- %s: %s\n", name, said)
		}
	}
	b.WriteString(files)
	d.link(base, r.URL, Link{Text: r.Title})
	d.Title = cmp.Or(d.Title, r.Title)
	if len(d.Markdown)+b.Len() < maxChars {
		d.Markdown += b.String()
	}
}

// formatSaid returns the format that metadata name: "CSV", ".csv", "text/csv".
func formatSaid(said string) string {
	said = strings.ToLower(said)
	last := said[strings.LastIndexAny(said, "/.")+1:]
	if m := formatNamed.FindStringSubmatch(last); m != nil {
		return formats["."+strings.ToLower(m[1])]
	}
	if strings.Contains(said, "spreadsheetml") {
		return "XLSX"
	}
	return ""
}

var (
	scripts   = cascadia.MustCompile(`script[type="application/ld+json"]`)
	generator = cascadia.MustCompile(`meta[name=generator]`)
	ckanRoot  = cascadia.MustCompile(`body[data-site-root]`)
)

// readScripts reads the metadata that a page carries in JSON-LD, which search engines read, and
// notes whether it is a page of CKAN. It is called before scripts are removed; what it adds to
// the text stands behind the page's own.
func (d *Document) readScripts(root *html.Node, at *url.URL) {
	for _, n := range cascadia.QueryAll(root, scripts)[:min(maxScripts, len(cascadia.QueryAll(root, scripts)))] {
		if n.FirstChild != nil {
			d.readMetadata(at, []byte(n.FirstChild.Data))
		}
	}
	for _, n := range cascadia.QueryAll(root, generator) {
		if strings.HasPrefix(strings.ToLower(attribute(n, "content")), "ckan") {
			d.CKAN = (&url.URL{Scheme: at.Scheme, Host: at.Host}).String()
		}
	}
	for _, n := range cascadia.QueryAll(root, ckanRoot) {
		if u, err := at.Parse(attribute(n, "data-site-root")); d.CKAN != "" && err == nil && u.Host == at.Host {
			d.CKAN = strings.TrimSuffix(u.String(), "/")
		}
	}
}
