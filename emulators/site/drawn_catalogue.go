package site

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A ckan is the interface of a catalogue: package_search and package_show of CKAN 2.10.
// https://docs.ckan.org/en/2.10/api/
type ckan struct{ packages []map[string]any }

// catalogue puts a CKAN catalogue with three datasets, of which search engines know the front
// page. Some catalogues ask programs not to use their interface, as CKAN does by default.
func (d *drawing) catalogue(by *publisher) {
	by.ckan = &ckan{}
	root := "http://" + by.host
	if d.random.IntN(3) == 0 {
		by.robots = "User-agent: *\nDisallow: /revision/\nDisallow: /api/\nCrawl-Delay: 10\n"
	}
	var all []row
	for range 3 {
		one := d.next(by)
		name := fmt.Sprintf("ds-%s-%d", slug(one.Title), len(d.truth))
		p := d.show(by, "ckan", "/dataset/"+name, one, leaf{Generator: "ckan 2.10.4", Root: root})
		p.indexed = false
		by.ckan.add(name, one.Title, one.Quote, by.name, one.Files)
		all = append(all, row{p.url(), one.Title, ""})
	}
	for _, kind := range []string{"other_sector", "glossary", "other_place", "other_sector"} {
		p := d.decoy(kind, by)
		p.indexed = false
		name := strings.TrimPrefix(p.path, "/a/")
		by.ckan.add("x-"+name, p.title, p.content.text.String(), by.name, nil)
	}
	front := d.put(by, "ckan", "/", leaf{Title: by.name, Generator: "ckan 2.10.4", Root: root, Text: []string{d.Local + ": " + strings.Join(append(d.parts("waste"), d.parts("transportation")...), ", ")}, Links: []row{{root + "/dataset/", d.List, ""}}})
	list := d.put(by, "ckan", "/dataset/", leaf{Title: d.List, Generator: "ckan 2.10.4", Root: root, Links: all})
	list.indexed = false
	for _, one := range d.truth[len(d.truth)-3:] {
		d.told = append(d.told, told{front.url(), one, true})
	}
}

func (c *ckan) add(name, title, notes, publisher string, files []string) {
	resources := []map[string]any{}
	for i, f := range files {
		resources = append(resources, map[string]any{"id": fmt.Sprint(name, "-", i), "name": title, "format": strings.ToUpper(f[strings.LastIndex(f, ".")+1:]), "url": f, "description": ""})
	}
	c.packages = append(c.packages, map[string]any{
		"id": name, "name": name, "title": title, "notes": notes, "type": "dataset", "state": "active", "private": false, "url": "", "author": nil, "license_title": "CC BY 4.0",
		"organization": map[string]any{"name": "org", "title": publisher}, "tags": []any{}, "extras": []any{}, "groups": []any{}, "resources": resources, "num_resources": len(resources),
	})
}

// serve answers an action.
func (c *ckan) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch action := strings.TrimPrefix(r.URL.Path, "/api/3/action/"); action {
	case "package_search":
		rows, err := strconv.Atoi(q.Get("rows"))
		if q.Get("rows") == "" {
			rows, err = 10, nil
		}
		if err != nil || rows < 0 {
			ckanFails(w, http.StatusConflict, map[string]any{"__type": "Validation Error", "rows": []string{"Invalid integer"}})
			return
		}
		found := slices.DeleteFunc(slices.Clone(c.packages), func(p map[string]any) bool { return !matches(p, q.Get("q")) })
		ckanAnswers(w, r, map[string]any{"count": len(found), "facets": map[string]any{}, "results": found[:min(rows, len(found))], "sort": "score desc, metadata_modified desc", "search_facets": map[string]any{}})
	case "package_show":
		i := slices.IndexFunc(c.packages, func(p map[string]any) bool { return p["name"] == q.Get("id") && q.Get("id") != "" })
		if i < 0 {
			ckanFails(w, http.StatusNotFound, map[string]any{"__type": "Not Found Error", "message": "Not found"})
			return
		}
		ckanAnswers(w, r, c.packages[i])
	default:
		ckanFails(w, http.StatusBadRequest, map[string]any{"__type": "Bad request", "message": "Action name not known: " + action})
	}
}

func ckanAnswers(w http.ResponseWriter, r *http.Request, result any) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"help": "http://" + r.Host + "/api/3/action/help_show", "success": true, "result": result})
}

func ckanFails(w http.ResponseWriter, status int, what map[string]any) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"help": "", "success": false, "error": what})
}

// matches reports that a package has the words of a query: all of two, all but one of five, and
// four fifths of more, as the search of CKAN wants by default (mm=2<-1 5<80%).
func matches(p map[string]any, query string) bool {
	wanted := tokens(query)
	has := tokens(fmt.Sprint(p["title"], " ", p["notes"], " ", p["name"]))
	n := 0
	for _, word := range wanted {
		if slices.Contains(has, word) {
			n++
		}
	}
	needed := len(wanted)
	switch {
	case needed > 5:
		needed = needed * 8 / 10
	case needed > 2:
		needed--
	}
	return n >= needed
}

// metadata puts a catalogue of two datasets that are described in JSON-LD alone, of DCAT and of
// schema.org; search engines know the catalogue.
func (d *drawing) metadata(by *publisher) {
	entries := []any{}
	var links []*Dataset
	for i := range 2 {
		one := d.next(by)
		f := d.store(by, one, ".csv", one.Quote)
		about := map[string]any{
			"@context": "https://schema.org/", "@type": "Dataset", "name": one.Title, "description": one.Quote, "temporalCoverage": fmt.Sprintf("%d/%d", one.FirstYear, one.LastYear),
			"publisher": map[string]any{"@type": "Organization", "name": by.name}, "distribution": []any{map[string]any{"@type": "DataDownload", "encodingFormat": "text/csv", "contentUrl": f.url()}},
		}
		if i == 1 {
			about = map[string]any{"@context": map[string]any{"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/"}, "@graph": []any{
				map[string]any{"@id": "_:b1", "@type": "dcat:Distribution", "dct:format": "CSV", "dcat:downloadURL": map[string]any{"@id": f.url()}},
				map[string]any{"@id": "_:b0", "@type": "dcat:Dataset", "dct:title": []any{map[string]any{"@language": by.words.code, "@value": one.Title}}, "dct:description": one.Quote, "dct:publisher": map[string]any{"@id": "_:b2"}, "dcat:distribution": map[string]any{"@id": "_:b1"}},
				map[string]any{"@id": "_:b2", "foaf:name": by.name},
			}}
		}
		p := d.put(by, "document", d.path("/d/%d"), leaf{Title: one.Title, Metadata: about})
		p.indexed = false
		one.URL, one.Files = p.url(), []string{f.url()}
		d.tells(p.url(), one)
		links = append(links, one)
		entries = append(entries, map[string]any{"@type": "Dataset", "name": one.Title, "url": p.url(), "description": one.Quote})
	}
	c := d.put(by, "document", "/catalog", leaf{Title: by.name + " · " + d.List, Text: []string{d.Local + ": " + links[0].Title + "; " + links[1].Title}, Metadata: map[string]any{"@context": "https://schema.org/", "@type": "DataCatalog", "name": by.name, "dataset": entries}})
	for _, one := range links {
		d.told = append(d.told, told{c.url(), one, true})
	}
}

// zipFile is an archive of members, by name.
func zipFile(members map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(members[name])
		}
		if err != nil { // into memory
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// searchCKAN answers the pages of a catalogue's own search: a list of what matches.
func (s *Server) searchCKAN(w http.ResponseWriter, by *publisher, q url.Values) {
	var l leaf
	l.Title, l.Lang, l.Publisher, l.Generator, l.Root = by.name, by.words.code, by.name, "ckan 2.10.4", "http://"+by.host
	for _, p := range by.ckan.packages {
		if matches(p, q.Get("q")) {
			l.Links = append(l.Links, row{l.Root + "/dataset/" + fmt.Sprint(p["name"]), fmt.Sprint(p["title"]), ""})
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = shapeTemplates.ExecuteTemplate(w, "ckan", l)
}
