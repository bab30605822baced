package accuracy

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/textfold"
)

// A RecordedSet is where recorded answers are: files ID.STEP.json, one for each step that was
// asked about a photo (read, judge, search and finding).
type RecordedSet struct {
	Answers []string // folders; a file takes the place of one of the same name in an earlier folder
	Photos  string   // the folder of the photos; "" for none
	Truth   string   // truth.tsv; "" for that beside or above the first of Answers
}

// Read returns the photos of which the last folder has an answer. A photo that is not there has
// a drawn picture in its place, without codes.
func (s RecordedSet) Read() ([]Photo, error) {
	truths, err := s.truths()
	if err != nil {
		return nil, err
	}
	files, asked, err := s.files()
	if err != nil {
		return nil, err
	}
	mode := filepath.Base(s.Answers[len(s.Answers)-1])
	var photos []Photo
	for _, id := range asked {
		i := slices.IndexFunc(truths, func(t truth) bool { return t["id"] == id })
		if i < 0 {
			return nil, fmt.Errorf("%s: the truth has no line for it: add one, or take its answers out", id)
		}
		p, err := s.photo(truths[i], truths, files[id], mode)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		photos = append(photos, p)
	}
	return photos, nil
}

// files returns the paths by ID and step, each before those that it replaces, and the IDs of
// the last folder.
func (s RecordedSet) files() (files map[string]map[string][]string, last []string, err error) {
	files = map[string]map[string][]string{}
	for _, folder := range s.Answers {
		found, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil || len(found) == 0 {
			return nil, nil, fmt.Errorf("%s: there are no answers, such as ID.read.json", folder)
		}
		ids := map[string]bool{}
		for _, path := range found {
			name := strings.Split(filepath.Base(path), ".")
			if len(name) != 3 || !slices.Contains(steps, name[1]) {
				return nil, nil, fmt.Errorf("%s: want ID.STEP.json, with a step of %s", path, strings.Join(steps, ", "))
			}
			if files[name[0]] == nil {
				files[name[0]] = map[string][]string{}
			}
			ids[name[0]] = true
			files[name[0]][name[1]] = append([]string{path}, files[name[0]][name[1]]...)
		}
		last = slices.Sorted(maps.Keys(ids))
	}
	return files, last, nil
}

var steps = []string{"read", "judge", "search", "finding"}

// photo returns the photo of a line of the truth, with its label and its answers.
func (s RecordedSet) photo(t truth, all []truth, files map[string][]string, mode string) (p Photo, err error) {
	readings, err := t.readings(files["read"])
	if err != nil {
		return p, err
	}
	right := readings[len(readings)-1:]
	if mode == translated || mode == elsewhere {
		right = readings
	}
	p = Photo{Label: t.label(right, mode), Recording: &answers.Recording{Read: readings[0].raw}, Reading: &readings[0].Analysis}
	for step, into := range map[string]any{"judge": &p.Recording.Judge, "finding": &p.Recording.Finding, "search": &p.Recording.Search} {
		for _, path := range files[step][:min(1, len(files[step]))] {
			if err := readJSON(path, into); err != nil {
				return p, err
			}
		}
	}
	if p.Recording.Judge, err = shortJudgement(p.Recording.Judge); err != nil {
		return p, err
	}
	if p.Recording.Judge == nil && len(readings) > 1 && mode != translated && mode != elsewhere {
		if p.Recording.Judge, err = lookOf(readings[len(readings)-1].Analysis, readings[0].Analysis); err != nil {
			return p, err
		}
	}
	data, err := s.picture(t, all)
	if err != nil {
		return p, err
	}
	if p.StandIn = data == nil; p.StandIn {
		drawn, err := samples.Pack(samples.Print{Name: p.File})
		if err != nil {
			return p, err
		}
		data = drawn.Bytes()
	}
	p.Data = func() ([]byte, error) { return data, nil }
	prepared, err := photo.Prepare(data, photo.Limits{})
	if err != nil {
		return p, err
	}
	sum := sha256.Sum256(prepared.Sent)
	p.Recording.Shown = hex.EncodeToString(sum[:])
	return p, nil
}

// lookOf is the second look of somebody who reads right, at a picture of which spoiled is a
// reading that was spoiled on purpose.
func lookOf(right, spoiled analyze.Analysis) (json.RawMessage, error) {
	return json.Marshal(analyze.Judgement{
		Seen: right.BrandAsPrinted + " " + right.NameAsPrinted, NameAsPrinted: right.NameAsPrinted, BrandAsPrinted: right.BrandAsPrinted,
		ProductName: right.ProductName, Brand: right.Brand, Category: right.Category, SubBrands: right.SubBrands,
		ProductNameConfidence: right.ProductNameConfidence, BrandConfidence: right.BrandConfidence,
		Confirmed: right.NameAsPrinted == spoiled.NameAsPrinted && right.Brand == spoiled.Brand,
	})
}

// shortJudgement leaves out of a second look what it need not say: empty fields, and a reason of
// what was not picked.
func shortJudgement(raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	var j analyze.Judgement
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, err
	}
	if j.Pick == 0 {
		j.Reason = ""
	}
	return json.Marshal(j)
}

// picture returns the bytes of the photo that t names, or that has its ID for a name; nil if
// it is not there.
func (s RecordedSet) picture(t truth, all []truth) ([]byte, error) {
	if s.Photos == "" {
		return nil, nil
	}
	named, _ := filepath.Glob(filepath.Join(s.Photos, t["id"]+".*"))
	named = slices.DeleteFunc(named, func(path string) bool { // one set's ID may be another's file
		return slices.ContainsFunc(all, func(o truth) bool { return filepath.Join(s.Photos, o["file"]) == path })
	})
	for _, path := range append([]string{filepath.Join(s.Photos, t["file"])}, named...) {
		if data, err := readPhoto(path); !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	return nil, nil
}

// A truth is what is on one photo, by the columns of truth.tsv.
type truth map[string]string

// truths reads the lines of truth.tsv.
func (s RecordedSet) truths() (all []truth, err error) {
	path := s.Truth
	first, err := filepath.Abs(s.Answers[0])
	if err != nil {
		return nil, err
	}
	for folder := first; path == ""; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, truthFile)); err == nil {
			path = filepath.Join(folder, truthFile)
		} else if folder == filepath.Dir(folder) {
			return nil, fmt.Errorf("%s: there is no %s in it or above: name it with --truth", s.Answers[0], truthFile)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.Comma, lines.LazyQuotes = '\t', true
	rows, err := lines.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, row := range rows[min(1, len(rows)):] {
		t := truth{}
		for i, column := range rows[0] {
			t[column] = row[i]
		}
		all = append(all, t)
	}
	return all, nil
}

const truthFile = "truth.tsv"

// The folders of readings that were asked for in another language than the pack's: their names
// are right, too. Those of elsewhere were asked for in another country as well.
const (
	translated = "translated"
	elsewhere  = "wrong"
)

// countries are where packs are sold whose language begins their note.
var countries = map[string]string{"ko": "KR", "th": "TH", "ar": "SA", "fa": "IR", "zh": "CN"}

// label returns what is right: what the truth says is printed, in its words or those of right
// readings. A date or code that is not printed is wrong.
func (t truth) label(right []recordedReading, mode string) Label {
	l := Label{File: t["id"], Note: t["note"], Country: "GB", Lang: "en"}
	if lang, _, _ := strings.Cut(t["note"], ";"); countries[lang] != "" {
		l.Country, l.Lang = countries[lang], lang
	}
	switch {
	case mode == elsewhere && l.Lang == "ko":
		l.Country, l.Lang = "GB", "en"
	case mode == elsewhere:
		l.Country, l.Lang = "KR", "ko"
	}
	if l.NoProduct = slices.Contains([]string{"nonproduct", "receipt"}, t["kind"]); l.NoProduct {
		return l
	}
	accept := func(printed string, read func(a recordedReading) []string) (all Accepted) {
		if printed == "" {
			return nil
		}
		all = Accepted{printed}
		for _, a := range right {
			all = append(all, read(a)...)
		}
		return slices.DeleteFunc(all, func(s string) bool { return s == "" })
	}
	l.Name = accept(t["name"], func(a recordedReading) []string { return []string{a.ProductName, a.NameAsPrinted, a.NameLocal} })
	l.Brand = accept(t["brand"], func(a recordedReading) []string { return []string{a.Brand, a.BrandAsPrinted, a.BrandLocal} })
	l.Category = accept(t["category"], func(a recordedReading) []string { return []string{a.Category} })
	l.Expiry = Accepted{strings.ReplaceAll(t["date"], "-", ".")}
	if t["gtin"] != "" || len(right[0].Codes) == 0 { // bars whose digits nobody wrote down may be read
		l.GTIN = Accepted{t["gtin"]}
	}
	return l
}

// A recordedReading is an answer of image_analyzer, as a file has it and decoded.
type recordedReading struct {
	raw json.RawMessage
	analyze.Analysis
}

// readings reads files of image_analyzer's answer.
func (t truth) readings(paths []string) (all []recordedReading, err error) {
	for _, path := range paths {
		var a map[string]any
		if err := readJSON(path, &a); err != nil {
			return nil, err
		}
		t.convert(a)
		var r recordedReading
		if r.raw, err = json.Marshal(a); err == nil {
			err = json.Unmarshal(r.raw, &r.Analysis)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no read.json: name the folder that has it before the others, with --answers")
	}
	return all, nil
}

// convert makes a reading of the former schema, which had no side, one of the present: there
// clear was written of each line, all print was, with boxes for more of it, a date had no kind,
// print was kept of what is no product, and what says nothing was not left out.
func (t truth) convert(a map[string]any) {
	if a["side"] != nil {
		return
	}
	if a["side"] = sides[t["kind"]]; a["side"] == nil {
		a["side"] = analyze.SideFront
	}
	if a["not_product"] == true {
		a["visible_text"], a["codes"], a["dates"], a["key_features"] = []any{}, []any{}, []any{}, []any{}
	}
	shorten(a)
	for _, date := range objects(a["dates"]) {
		label, _ := date["label"].(string)
		i := slices.IndexFunc(dateKinds, func(k dateKind) bool { return k.label.MatchString(label) })
		date["kind"] = dateKinds[i].kind
		leaveOut(date, "label")
	}
	leaveOut(a, "codes", "sub_brands", "dates", "not_product", "description")
}

// leaveOut deletes those fields of an object that say nothing.
func leaveOut(object map[string]any, fields ...string) {
	for _, name := range fields {
		switch v := object[name]; v {
		case "", false:
			delete(object, name)
		default:
			if list, ok := v.([]any); ok && len(list) == 0 {
				delete(object, name)
			}
		}
	}
}

// What the prompt asks for of the print: so many lines, of so many letters.
const (
	mostLines   = 25
	longestLine = 80
)

// amount is a row's figure in a table of contents: a number and what it is a number of.
var amount = regexp.MustCompile(`(?i)\d\s?(m?c?g|µg|kcal|kj|%)(\W|$)|\d\.\d$`)

// shorten leaves of the print what the prompt asks for now: of a table, which is three rows with
// figures and more, the heading alone, lines without their ends, boxes where names, dates and
// injected lines are, and clear where it is false. Lines with a word of the names, dates and
// numbers come before others that are too many.
func shorten(a map[string]any) {
	names := map[string]bool{}
	for _, field := range []string{"name_as_printed", "brand_as_printed", "product_name", "brand"} {
		text, _ := a[field].(string)
		for _, word := range textfold.Words(text) {
			names[word] = true
		}
	}
	dated := map[any]bool{}
	for _, date := range objects(a["dates"]) {
		dated[date["text"]], dated[date["label"]] = true, true
	}
	all := objects(a["visible_text"])
	kept := make([]any, 0, len(all))
	for i, line := range all {
		text, _ := line["text"].(string)
		own := slices.ContainsFunc(textfold.Words(text), func(word string) bool { return names[word] }) || dated[text] || line["machine_directed"] == true
		if !own && tableRow(all, i) {
			continue
		}
		if line["clear"] == true {
			delete(line, "clear")
		}
		if !own {
			delete(line, "box")
			if r := []rune(text); len(r) > longestLine {
				line["text"] = string(r[:longestLine])
			}
		}
		kept = append(kept, line)
	}
	for i := len(kept) - 1; i >= 0 && len(kept) > mostLines; i-- {
		line := kept[i].(map[string]any)
		if line["box"] == nil && !digits.MatchString(line["text"].(string)) {
			kept = slices.Delete(kept, i, i+1)
		}
	}
	a["visible_text"] = kept
}

// digits is what may be a date, a code or a quantity.
var digits = regexp.MustCompile(`\d{2}`)

// tableRow reports whether line i is one of three or more in a row that hold figures of contents.
func tableRow(all []map[string]any, i int) bool {
	row := func(i int) bool {
		if i < 0 || i >= len(all) {
			return false
		}
		text, _ := all[i]["text"].(string)
		return amount.MatchString(text)
	}
	first, last := i, i
	for row(first - 1) {
		first--
	}
	for row(last + 1) {
		last++
	}
	return row(i) && last-first >= 2
}

// sides are the sides by the kinds of the truth; the others are a front.
var sides = map[string]any{
	"back": analyze.SideBack, "nutrition": analyze.SideNutrition, "ingredients": analyze.SideIngredients, "barcode": analyze.SideCode,
	"shelf": analyze.SideShelf, "multi": analyze.SideShelf, "receipt": analyze.SideDocument, "nonproduct": analyze.SideDocument,
}

// dateKinds are the kinds of dates by the words beside them.
var dateKinds = []dateKind{
	{regexp.MustCompile(`(?i)best before|^BB|préférence`), "best_before"},
	{regexp.MustCompile(`(?i)use by|jusqu'au`), "use_by"},
	{regexp.MustCompile(`(?i)fabrication|부터`), "production"},
	{regexp.MustCompile(`(?i)^exp|유통 ?기한`), "expiry"},
	{regexp.MustCompile(`(?i)limite de vente|sell by`), "sale"},
	{regexp.MustCompile(``), "other"},
}

type dateKind struct {
	label *regexp.Regexp
	kind  string
}

// objects returns the objects of a list.
func objects(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, one := range list {
		if object, ok := one.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
