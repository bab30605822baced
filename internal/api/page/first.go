package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"
)

// languages are those that the page speaks, each with its dictionary; the first is for
// visitors who read none of them.
var languages = []language.Tag{language.English, language.Korean, language.Vietnamese}

// languageCookie names the language that a visitor has chosen.
const languageCookie = "whatis.lang"

// languageOf returns the language for a visitor: the one chosen on the page, else by the
// header Accept-Language.
func languageOf(r *http.Request) string {
	var wanted []string
	if c, err := r.Cookie(languageCookie); err == nil {
		wanted = append(wanted, c.Value)
	}
	_, at := language.MatchStrings(language.NewMatcher(languages), append(wanted, r.Header.Get("Accept-Language"))...)
	return languages[at].String()
}

// firstWords returns the name of the dictionary of the first view.
func firstWords(lang string) string { return lang + ".first.json" }

// word matches a name in a script, and a text of one word with its quotes.
var word = regexp.MustCompile(`'\w+'|\w+`)

// wordsOf returns the part of a dictionary that the modules of the first view ask for, beside
// what stands in the page: phrases that they name, and tables that one of them imports.
// words.js itself uses counts, remedies and sources. The other tables are empty.
func wordsOf(files map[string]asset, lang string) ([]byte, error) {
	named := map[string]bool{"counts": true, "remedies": true, "sources": true}
	phrases := map[string]bool{}
	for _, module := range modules(files, "app.js") {
		for _, word := range word.FindAllString(string(files[module].data), -1) {
			phrases[strings.Trim(word, "'")] = true
			named[word] = named[word] || module != "words.js" // which names every table
		}
	}
	return filtered(files[lang+".json"].data, func(table string, words json.RawMessage) (json.RawMessage, bool) {
		kept, err := filtered(words, func(phrase string, text json.RawMessage) (json.RawMessage, bool) {
			return text, named[table] || table == "phrases" && phrases[phrase]
		})
		return kept, err == nil // words were read as JSON with the whole
	})
}

// filtered returns a JSON object with what keep makes of each value, in the same order, in
// which the page shows them.
func filtered(object []byte, keep func(key string, value json.RawMessage) (json.RawMessage, bool)) ([]byte, error) {
	from := json.NewDecoder(bytes.NewReader(object))
	if _, err := from.Token(); err != nil {
		return nil, err
	}
	var fields []string
	for from.More() {
		key, err := from.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := from.Decode(&value); err != nil {
			return nil, err
		}
		if kept, ok := keep(fmt.Sprint(key), value); ok {
			fields = append(fields, fmt.Sprintf("%q:%s", key, kept))
		}
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

// A firstPage is the page as it is sent, once for each language, with its words in it and the
// files that it needs named ahead.
type firstPage struct {
	made  map[string]func() asset // by language
	words map[string]func() asset // the dictionaries of the first view, by file name
}

// firstPageOf returns the page of files, whose addresses are below root. Each language is made
// when it is asked for first.
func firstPageOf(files map[string]asset, root string) firstPage {
	p := firstPage{map[string]func() asset{}, map[string]func() asset{}}
	for _, tag := range languages {
		lang := tag.String()
		p.made[lang] = made("index.html", func() ([]byte, error) { return written(files, root, lang) })
		p.words[firstWords(lang)] = made(firstWords(lang), func() ([]byte, error) { return wordsOf(files, lang) })
	}
	return p
}

// made returns a function that makes a file once. What it is made of is embedded in the
// program and tested.
func made(name string, data func() ([]byte, error)) func() asset {
	return sync.OnceValue(func() asset {
		data, err := data()
		if err != nil {
			panic(fmt.Sprintf("page: %s: %v", name, err))
		}
		return newAsset(name, data)
	})
}

// ServeHTTP sends the page in the visitor's language.
func (p firstPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept-Language, Cookie")
	p.made[languageOf(r)]().ServeHTTP(w, r)
}

// written returns index.html with the words of a language.
func written(files map[string]asset, root, lang string) ([]byte, error) {
	var dictionary struct{ Phrases map[string]string }
	if err := json.Unmarshal(files[lang+".json"].data, &dictionary); err != nil {
		return nil, err
	}
	text := bytes.ReplaceAll(files["index.html"].data, []byte(`"/page/`), []byte(`"`+root))
	document, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false)) // so that noscript holds elements
	if err != nil {
		return nil, err
	}
	for n := range document.Descendants() {
		switch n.DataAtom {
		case atom.Html:
			set(n, "lang", lang)
		case atom.Head:
			preload(n, files, root, lang)
		}
		fill(n, dictionary.Phrases)
	}
	var b bytes.Buffer
	err = html.Render(&b, document)
	return b.Bytes(), err
}

// preload adds links that fetch the modules of the first view and the dictionary at once,
// which a browser would otherwise find one after the other.
func preload(head *html.Node, files map[string]asset, root, lang string) {
	link := func(attributes ...html.Attribute) {
		attributes = append(attributes, html.Attribute{Key: "fetchpriority", Val: "low"}) // style sheets, and so the first words, go before
		head.AppendChild(&html.Node{Type: html.ElementNode, Data: "link", DataAtom: atom.Link, Attr: attributes})
	}
	for _, module := range modules(files, "app.js") {
		link(html.Attribute{Key: "rel", Val: "modulepreload"}, html.Attribute{Key: "href", Val: root + module})
	}
	link(html.Attribute{Key: "rel", Val: "preload"}, html.Attribute{Key: "as", Val: "fetch"}, html.Attribute{Key: "crossorigin"}, html.Attribute{Key: "href", Val: root + firstWords(lang)})
}

var imported = regexp.MustCompile(`(?m)^import .*from '\./([\w-]+\.js)';$`)

// modules returns a module and those that it imports, directly or not, by name.
func modules(files map[string]asset, name string) []string {
	found := []string{name}
	for i := 0; i < len(found); i++ {
		for _, m := range imported.FindAllSubmatch(files[found[i]].data, -1) {
			if module := path.Base(string(m[1])); !slices.Contains(found, module) {
				found = append(found, module)
			}
		}
	}
	slices.Sort(found)
	return found
}

// fill gives n the words that its attributes name, as the script does: data-t its text, in
// which {0} is its first child, data-t-placeholder that attribute.
func fill(n *html.Node, phrases map[string]string) {
	for _, a := range slices.Clone(n.Attr) {
		switch name, ok := strings.CutPrefix(a.Key, "data-t-"); {
		case ok:
			set(n, name, phrases[a.Val])
		case a.Key == "data-t":
			fillText(n, phrases[a.Val])
		}
	}
}

var hole = regexp.MustCompile(`\{\d\}`)

// fillText gives n a text, with its children in the place of {0}, {1} and so on.
func fillText(n *html.Node, text string) {
	var children []*html.Node
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode {
			children = append(children, child)
		}
	}
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	add := func(text string) {
		if text != "" {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		}
	}
	at := 0
	for _, m := range hole.FindAllStringIndex(text, -1) {
		add(text[at:m[0]])
		if i := int(text[m[0]+1] - '0'); i < len(children) {
			n.AppendChild(children[i])
		}
		at = m[1]
	}
	add(text[at:])
}

func set(n *html.Node, key, value string) {
	n.Attr = append(slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key }), html.Attribute{Key: key, Val: value})
}
