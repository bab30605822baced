package catalog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// A row is what a file says of a product, or of a variant of one: a row of CSV, an item of a feed, an object
// of JSON.
type row struct {
	place  string
	line   int
	cells  []cell
	words  []string // those that were decoded from Windows-1252
	broken error    // it cannot be read
}

// A cell is a text under the name of its column.
type cell struct{ column, text string }

// values are the texts of a row by what its columns hold.
type values map[string][]string

func (v values) first(fields ...string) string {
	for _, field := range fields {
		if len(v[field]) > 0 {
			return v[field][0]
		}
	}
	return ""
}

// A member is a row of a file as its origin reads it.
type member struct {
	row
	values
}

// sampleRows is how many rows of a file are held until it is decided how they are read.
const sampleRows = 5000

// A Reading says what a file was taken for, and what is read from each of its columns.
type Reading struct {
	Origin   string       `json:"origin"`
	Columns  []ReadColumn `json:"columns"`
	Unread   []string     `json:"unread,omitempty"`
	Decimal  string       `json:"decimal,omitempty"`
	Currency string       `json:"currency,omitempty"`
}

// A ReadColumn is a column, what it holds, and the first text in it.
type ReadColumn struct {
	Column  string `json:"column"`
	Field   string `json:"field"`
	Example string `json:"example,omitempty"`
}

// A rowsReader reads rows as the records of products:
//
//	row → values by its origin's columns → with the rows of the same product → record
type rowsReader struct {
	format Format
	each   func(record) bool
	fault  func(Fault)
	header []string // of a table; other rows name their columns themselves
	feed   bool     // it is XML

	waiting []row // until the origin is known
	origin  *origin
	fields  map[string]string // by column
	style   money.Style

	family   []member            // the rows of the current product, where they stand together
	parents  map[string]member   // that other rows name as theirs, by SKU and ID
	children map[string][]member // of parents that have not come yet
	parentOf map[string]string   // SKUs of children that a parent names, and its SKU
	used     map[string]bool     // parents with a child
	unpriced int                 // rows whose price has no currency
}

func newRowsReader(format Format, header []string, each func(record) bool, fault func(Fault)) *rowsReader {
	return &rowsReader{format: format, header: header, each: each, fault: fault, fields: map[string]string{},
		parents: map[string]member{}, children: map[string][]member{}, parentOf: map[string]string{}, used: map[string]bool{}}
}

// add reads a row. It returns an error if the file cannot be read, or no more is wanted.
func (t *rowsReader) add(r row) error {
	if t.origin == nil {
		if t.waiting = append(t.waiting, r); len(t.waiting) < sampleRows {
			return nil
		}
		return t.begin()
	}
	return t.read(r)
}

// end reads what was held.
func (t *rowsReader) end() error {
	if t.origin == nil {
		if err := t.begin(); err != nil {
			return err
		}
	}
	if err := t.endFamily(); err != nil {
		return err
	}
	if err := t.endParents(); err != nil {
		return err
	}
	if t.unpriced > 0 {
		t.fault(Fault{Record: "the file", Field: "currency", Reason: WrongField, Why: fmt.Sprintf("no column, sign or setting names the currency of %d prices, and those products are imported without: --currency EUR says which", t.unpriced)})
	}
	return nil
}

// begin decides how the file is read, and reads the rows that were held.
func (t *rowsReader) begin() error {
	columns, examples := slices.Clone(t.header), map[string]string{}
	for _, r := range t.waiting {
		for _, c := range r.cells {
			if _, known := examples[c.column]; !known {
				examples[c.column] = c.text
				if t.header == nil {
					columns = append(columns, c.column)
				}
			}
		}
	}
	if len(columns) == 0 { // nothing but rows that are broken, if any
		t.origin = anyFile()
	} else if err := t.decide(columns); err != nil {
		return err
	}
	var sample money.Sample
	for _, r := range t.waiting {
		for _, c := range r.cells {
			if field := t.field(c.column); field == "price" || field == "sale_price" {
				sample.Note(c.text)
			}
		}
	}
	seen := sample.Style()
	t.style = money.Style{Decimal: cmp.Or(t.format.Decimal, seen.Decimal, t.origin.decimal), Currency: cmp.Or(t.format.Currency, seen.Currency)}
	t.tell(columns, examples)
	held := t.waiting
	t.waiting = nil
	for _, r := range held {
		if err := t.read(r); err != nil {
			return err
		}
	}
	return nil
}

// decide finds the origin of a file with these columns.
func (t *rowsReader) decide(columns []string) error {
	var named bool
	t.origin, named = originOf(columns, t.feed)
	for _, field := range slices.Sorted(maps.Keys(t.format.Columns)) {
		column := t.format.Columns[field]
		switch {
		case !isFileField(field):
			return fmt.Errorf("%w: %q is no field of a product: want one of %s, or facets.NAME", ErrFile, field, strings.Join(csvFields, ", "))
		case !slices.Contains(columns, column):
			return fmt.Errorf("%w: it has no column %q for %s: its columns are %s", ErrFile, column, field, strings.Join(columns, ", "))
		}
		t.fields[column] = field
		named = named || field == "product_name"
	}
	if !named {
		return fmt.Errorf("%w: none of its columns is known to have the names of products: --map COLUMN=product_name says which one has; its columns are %s", ErrFile, listed(columns))
	}
	return nil
}

// field returns what a column holds. What Format.Columns names holds nothing else, and its field is held by
// no other column.
func (t *rowsReader) field(column string) string {
	field, known := t.fields[column]
	if !known {
		if field = t.origin.field(column); t.format.Columns[field] != "" {
			field = ""
		}
		t.fields[column] = field
	}
	return field
}

// tell reports what is read from each column.
func (t *rowsReader) tell(columns []string, examples map[string]string) {
	told := Reading{Origin: t.origin.name, Decimal: t.style.Decimal, Currency: t.style.Currency}
	for _, column := range columns {
		switch field := t.field(column); {
		case field != "":
			told.Columns = append(told.Columns, ReadColumn{column, field, fmt.Sprintf("%.80s", examples[column])})
		case examples[column] != "":
			told.Unread = append(told.Unread, column)
		}
	}
	if len(told.Unread) > 0 && t.origin == anyFile() { // of a known origin, they are known not to be needed
		var quoted []string
		for _, column := range told.Unread {
			quoted = append(quoted, fmt.Sprintf("%.40q", column))
		}
		unread := Fault{Record: "products", Reason: Unread, Why: fmt.Sprintf("fields that are not read: %s; --map FIELD=OURS reads one", listed(quoted))}
		if t.header != nil {
			unread = Fault{Record: "line 1", Line: 1, Reason: Unread, Why: fmt.Sprintf("columns that are not read: %s; --map COLUMN=FIELD reads one as a field of a product", listed(quoted))}
		}
		t.fault(unread)
	}
	if t.format.Reading != nil {
		t.format.Reading(told)
	}
}

// read reads a row, and gives the product that is complete with it.
func (t *rowsReader) read(r row) error {
	if r.broken != nil {
		if err := t.endFamily(); err != nil {
			return err
		}
		return t.give(record{place: r.place, line: r.line, broken: r.broken})
	}
	m := member{r, values{}}
	for _, c := range r.cells {
		field, language, _ := strings.Cut(t.field(c.column), ":")
		text := strings.TrimSpace(c.text)
		switch {
		case field == "" || text == "":
		case language != "" && len(m.values[field]) > 0: // the first language of the file is its own
			if field == "product_name" {
				m.values["aliases"] = append(m.values["aliases"], text)
			}
		default:
			m.values[field] = append(m.values[field], text)
		}
	}
	if len(m.values) == 0 {
		if len(r.cells) > 0 && !t.origin.grouped || t.header == nil { // others are empty, or say more of the product before
			return t.give(record{place: r.place, line: r.line, broken: because(NoName, "it has none of the columns that are read")})
		}
		return nil // an empty row
	}
	if t.origin.adjust != nil {
		t.origin.adjust(m.values)
	}
	switch {
	case t.origin.grouped:
		return t.group(m)
	case m.first("kind") == "skip":
		return nil
	case m.first("parent") != "" || m.first("kind") == "parent" || m.first("kind") == "child":
		return t.relate(m)
	}
	return t.product(m, nil)
}

// group adds a row to the family that it belongs to, or begins another.
func (t *rowsReader) group(m member) error {
	group, name := m.first("group"), m.first("product_name")
	if len(t.family) > 0 {
		head := t.family[0].first("group")
		if group != "" && group == head || group == "" && name == "" {
			t.family = append(t.family, m)
			return nil
		}
	}
	if err := t.endFamily(); err != nil {
		return err
	}
	t.family = append(t.family[:0:0], m)
	return nil
}

// perVariant are fields of a variant alone: another variant of the product has its own.
var perVariant = []string{"id", "sku", "gtin", "price", "sale_price", "sale_from", "sale_to", "stock", "availability", "in_stock", "tracked", "backorders", "variant_image", "surcharge", "option_values"}

// isVariant reports whether a row is of a variant, and not only of one more picture.
func (m member) isVariant() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(m.values)), func(field string) bool {
		return slices.Contains([]string{"id", "sku", "price", "option_values", "surcharge"}, field) || strings.HasPrefix(field, "option_value.")
	}) || m.first("kind") == "child"
}

// endFamily gives the products of the family.
func (t *rowsReader) endFamily() error {
	family := t.family
	t.family = nil
	if len(family) == 0 {
		return nil
	}
	head := family[0]
	var variants []member
	if t.origin.first || len(family) == 1 {
		variants = append(variants, head)
	}
	for _, m := range family[1:] {
		if m.isVariant() {
			variants = append(variants, m)
		}
		if len(m.values["image_uri"]) > 0 && m.first("kind") != "child" {
			head.values["image_uri"] = append(head.values["image_uri"], m.values["image_uri"]...)
		}
	}
	if len(variants) == 0 { // further rows are of pictures, or rules
		variants = append(variants, head)
	}
	group := cmp.Or(head.first("group"), head.first("sku"), head.first("id"))
	skus := map[string]int{}
	for i, m := range variants {
		if m.line != head.line {
			m = m.under(head, t.origin.first)
		}
		m.values = maps.Clone(m.values)
		if len(variants) > 1 {
			m.values["variant_of"] = []string{group}
		}
		variants[i] = m
		skus[m.first("sku")]++
	}
	for _, m := range variants {
		if n := skus[m.first("sku")]; n > 1 || m.first("sku") == "" {
			m.identify(cmp.Or(m.first("sku"), group))
		}
		if err := t.product(m, nil); err != nil {
			return err
		}
	}
	return nil
}

// identify gives a variant an SKU of its own: its ID, else what all have in common with its options.
func (m member) identify(common string) {
	id := m.first("id")
	if id == "" {
		id = strings.Join(slices.Concat([]string{common}, m.optionValues()), "/")
	}
	if id != "" {
		m.values["sku"] = []string{id}
	}
}

// optionValues returns the values of the options of a variant, in the order of its columns.
func (m member) optionValues() (all []string) {
	for _, o := range m.options(nil) {
		all = append(all, o.value)
	}
	return all
}

// under returns a variant with what its product says and it does not.
func (m member) under(head member, headIsVariant bool) member {
	all := maps.Clone(m.values)
	for field, texts := range head.values {
		alone := slices.Contains(perVariant, field) || strings.HasPrefix(field, "option_value.")
		if len(all[field]) > 0 || alone && headIsVariant || field == "id" || field == "sku" || field == "gtin" || field == "kind" || field == "surcharge" && len(all["price"]) > 0 {
			continue
		}
		all[field] = texts
	}
	if headIsVariant { // a picture in the row of a variant is one more of the product
		all["image_uri"] = head.values["image_uri"]
	}
	if len(m.values["for_sale"]) > 0 { // the product and the variant both have to be
		all["for_sale"] = slices.Concat(head.values["for_sale"], m.values["for_sale"])
	}
	m.values = all
	return m
}

// relate gives rows that name their product, and rows whose product names them.
func (t *rowsReader) relate(m member) error {
	if m.first("kind") == "parent" {
		return t.parent(m)
	}
	parent := cmp.Or(m.first("parent"), t.parentOf[m.first("sku")])
	if head, known := t.parents[parent]; known {
		return t.child(m, head)
	}
	t.children[cmp.Or(parent, "sku:"+m.first("sku"))] = append(t.children[cmp.Or(parent, "sku:"+m.first("sku"))], m)
	return nil
}

// parent notes a product of which other rows are variants, and gives those that came before.
func (t *rowsReader) parent(m member) error {
	names := withoutBlank([]string{m.first("sku"), prefixed("id:", m.first("id"))})
	var children []member
	for _, name := range names {
		t.parents[name] = m
		children = append(children, t.children[name]...)
		delete(t.children, name)
	}
	for _, sku := range m.values["children"] {
		t.parentOf[sku] = names[0]
		children = append(children, t.children["sku:"+sku]...)
		delete(t.children, "sku:"+sku)
	}
	for _, child := range children {
		if err := t.child(child, m); err != nil {
			return err
		}
	}
	return nil
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// child gives a variant of a product. Its name is that of the product: its own has the options in it.
func (t *rowsReader) child(m, head member) error {
	t.used[fmt.Sprint(head.line)] = true
	own := options(m.values, head.values)
	for _, o := range options(head.values, nil) { // of which the variant is any
		if !slices.ContainsFunc(own, func(other option) bool { return other.name == o.name }) {
			own = append(own, o)
		}
	}
	m = m.under(head, false)
	if name := head.first("product_name"); name != "" {
		m.values["product_name"] = []string{name}
	}
	m.values["variant_of"] = withoutBlank([]string{cmp.Or(head.first("sku"), prefixed("id:", head.first("id")))})
	return t.product(m, own)
}

func firstOf(texts []string) []string { return texts[:min(1, len(texts))] }

// endParents gives the products of which no row is a variant, and the variants without a product.
func (t *rowsReader) endParents() error {
	var rest []member
	for _, m := range t.parents {
		if !t.used[fmt.Sprint(m.line)] && !slices.ContainsFunc(rest, func(o member) bool { return o.line == m.line && o.place == m.place }) {
			rest = append(rest, m)
		}
	}
	for _, some := range t.children {
		rest = append(rest, some...)
	}
	slices.SortFunc(rest, func(a, b member) int { return cmp.Compare(a.line, b.line) })
	for _, m := range rest {
		if m.first("alone") != "" {
			m.values["for_sale"] = m.values["alone"]
		}
		if err := t.product(m, nil); err != nil {
			return err
		}
	}
	return nil
}

// give hands a record on.
func (t *rowsReader) give(r record) error {
	if !t.each(r) {
		return errStop
	}
	return nil
}

// An option is a property that tells variants apart, or another property of a product.
type option struct{ name, value string }

func (m member) options(head values) []option { return options(m.values, head) }

// options returns the options of a variant; the names may be those of its product alone.
func options(v, head values) (all []option) {
	add := func(name, value string) {
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); name != "" && value != "" && !(name == "Title" && value == "Default Title") {
			all = append(all, option{name, value})
		}
	}
	for n := range 20 {
		value := fmt.Sprintf("option_value.%d", n+1)
		name := fmt.Sprintf("option_name.%d", n+1)
		if len(v[value]) > 0 {
			add(cmp.Or(v.first(name), head.first(name)), v.first(value))
		}
	}
	names := strings.Split(cmp.Or(v.first("option_names"), head.first("option_names")), valueSeparator)
	for i, value := range strings.Split(v.first("option_values"), valueSeparator) {
		if i < len(names) {
			add(names[i], value)
		}
	}
	return all
}

// product gives the record of a product, or of a variant with these options besides its own.
func (t *rowsReader) product(m member, variant []option) error {
	p := productRow{member: m, origin: t.origin, style: t.style, now: t.format.now(), fields: map[string]any{}, facets: map[string]string{}, columns: map[string]string{}}
	for column, field := range t.fields {
		if field == "product_name" {
			p.columns[field] = column
		}
	}
	for _, c := range m.cells {
		if field, _, _ := strings.Cut(t.field(c.column), ":"); field != "" && p.columns[field] == "" && strings.TrimSpace(c.text) != "" {
			p.columns[field] = c.column
		}
	}
	p.texts()
	p.properties(variant)
	p.price()
	p.stock()
	if p.unpriced {
		t.unpriced++
	}
	data, err := json.Marshal(p.fields)
	if err != nil {
		panic(fmt.Sprintf("catalog: a row of texts is no JSON: %v", err))
	}
	return t.give(record{place: m.place, line: m.line, data: data, words: m.words, wrong: p.wrong, columns: p.columns, page: p.page(), otherSKU: p.otherSKU()})
}

// A productRow is a row on its way to the JSON of a product.
type productRow struct {
	member
	origin   *origin
	style    money.Style
	now      time.Time
	fields   map[string]any
	facets   map[string]string
	columns  map[string]string // the column of each field
	wrong    []error
	unpriced bool
}

func (p *productRow) set(field, text string) {
	if text != "" {
		p.fields[field] = text
	}
}

// texts sets what is text: plain, with its entities undone.
func (p *productRow) texts() {
	for _, field := range []string{"product_name", "brand"} {
		p.set(field, strings.Join(strings.Fields(plainHTML(p.first(field))), " "))
	}
	for _, field := range []string{"country", "lang", "variant_of", "code", "brands", "quantity", "generic_name", "categories", "labels", "packaging"} {
		p.set(field, p.first(field))
	}
	for _, field := range listFields {
		var all []string
		for _, text := range p.values[field] {
			all = append(all, strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '|' })...)
		}
		if all = withoutBlank(trimmed(all)); all != nil {
			p.fields[field] = all
		}
	}
	for _, field := range tagFields {
		if all := withoutBlank(trimmed(strings.Split(p.first(field), ","))); all != nil {
			p.fields[field] = all
		}
	}
	description, err := cutText(plainHTML(cmp.Or(p.first("description"), p.first("summary"))))
	if err != nil && p.columns["description"]+p.columns["summary"] != "" { // reported once, and not for each variant
		p.wrong = append(p.wrong, err)
	}
	p.set("description", description)
	id := p.first("id")
	if p.origin == anyFile() || strings.Trim(id, "0123456789") != "" {
		p.set("sku", cmp.Or(p.first("sku"), id))
	} else {
		p.set("sku", cmp.Or(p.first("sku"), prefixed("id:", id)))
	}
	p.set("gtin", p.gtin())
	p.pictures()
}

// gtin returns the first code that is one, else the first.
func (p *productRow) gtin() string {
	codes := slices.Clone(p.values["gtin"])
	for i, code := range codes {
		codes[i] = strings.Trim(code, `'"= `) // '0123456789012 and ="0123456789012" keep a spreadsheet from making it a number
		if _, ok := gs1.GTIN(codes[i]); ok {
			return codes[i]
		}
	}
	return strings.Join(firstOf(codes), "")
}

// nextAddress matches where another address of a list begins: addresses have commas too.
var nextAddress = regexp.MustCompile(`[\s,;|]+(?:https?|gs)://`)

// pictures sets the picture: the variant's own, else the product's first. What is neither an address nor,
// in a table of no known origin, a path beside the file is left out.
func (p *productRow) pictures() {
	for _, list := range slices.Concat(p.values["variant_image"], p.values["image_uri"]) {
		texts := []string{list}
		if at := nextAddress.FindStringIndex(list); at != nil {
			texts[0] = list[:at[0]]
		} else if p.origin.pictures != "" {
			texts = strings.Split(list, ";")
		}
		for _, text := range trimmed(texts) {
			if text != "" && !strings.Contains(text, "://") {
				if p.origin != anyFile() && p.origin.pictures == "" {
					continue
				}
				text = p.origin.pictures + text
			}
			if p.fields["image_uri"] == nil {
				p.set("image_uri", text)
			}
		}
	}
}

// page returns the address of the product's page, if it is one that a record may have.
func (p *productRow) page() string {
	if link := p.first("link"); IsWebAddress(link) && len(link) <= MaxText {
		return link
	}
	return ""
}

// otherSKU returns what identifies the row if its SKU is that of another row, too.
func (p *productRow) otherSKU() string {
	id := cmp.Or(p.first("id"), p.first("group"))
	if p.first("sku") == "" || id == "" || p.first("sku") == id {
		return ""
	}
	return strings.Join(slices.Concat([]string{p.first("sku"), id}, p.optionValues()), "/")
}

// properties sets the category and the facets: options first.
func (p *productRow) properties(variant []option) {
	categories := p.categories()
	if len(categories) > 0 {
		p.fields["category"] = categories[0]
	}
	own := variant
	if own == nil {
		own = p.options(nil)
	}
	var others []option
	for _, field := range slices.Sorted(maps.Keys(p.values)) {
		if name, ok := strings.CutPrefix(field, facetField); ok {
			for _, text := range p.values[field] {
				others = append(others, option{name, text})
			}
		}
	}
	for _, list := range p.values["pairs"] {
		others = append(others, pairsOf(list)...)
	}
	p.addFacets(own)
	p.addFacets(slices.DeleteFunc(others, func(o option) bool { return p.facets[facetName(o.name)] != "" }))
	if p.fields["category"] == nil && p.facets[categoryFacet] != "" {
		p.fields["category"], _, _ = strings.Cut(p.facets[categoryFacet], valueSeparator)
	}
	if len(categories) > 1 && p.facets[categoryFacet] == "" {
		p.facets[categoryFacet] = strings.Join(categories, valueSeparator)
	}
	if len(p.facets) > 0 {
		p.fields["facets"] = p.facets
	}
	if p.fields["key_features"] == nil && p.fields["code"] == nil {
		features := []string{}
		for _, field := range []string{"brand", "product_name", "category"} {
			if text, ok := p.fields[field].(string); ok {
				features = append(features, text)
			}
		}
		p.fields["key_features"] = append(features, p.values["mpn"]...)
	}
}

// addFacets adds properties: several of one name are several values.
func (p *productRow) addFacets(all []option) {
	for _, o := range all {
		name := facetName(o.name)
		value := facetValue(name, o.value)
		switch {
		case name == brandFacet && p.fields["brand"] == nil:
			p.set("brand", value)
		case name == "" || name == brandFacet || value == "":
		case p.facets[name] != "":
			p.facets[name] += valueSeparator + value
		case len(p.facets) >= maxFacets-1:
			p.wrong = append(p.wrong, because(Cut, "%w", inField("facets", "are more than %d: %s is not kept", maxFacets-1, name)))
		default:
			p.facets[name] = value
		}
	}
}

// categories returns the last part of each category.
func (p *productRow) categories() (all []string) {
	list := cmp.Or(p.first("category"), p.first("type"))
	lists := withoutBlank([]string{list})
	if p.origin.list != "" {
		for text := range strings.SplitSeq(strings.ReplaceAll(list, `\,`, "\x00"), p.origin.list) {
			all = append(all, strings.ReplaceAll(text, "\x00", ","))
		}
		lists, all = all, nil
	}
	for _, text := range lists {
		if p.origin.path != "" {
			text = text[strings.LastIndex(strings.TrimRight(text, p.origin.path+" "), p.origin.path)+1:]
		}
		if text = plainHTML(strings.Trim(text, p.origin.path+" ")); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// pairsOf returns properties as Width:40 cm, Colour:red and as category:Electronics|brand:Lune.
func pairsOf(list string) (all []option) {
	parts := strings.Split(list, valueSeparator)
	if !strings.Contains(list, valueSeparator) {
		parts = strings.Split(list, ",")
	}
	for _, part := range parts {
		if name, value, ok := strings.Cut(part, ":"); ok {
			value, _, _ = strings.Cut(value, ":") // PrestaShop's position
			all = append(all, option{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return all
}

// facetName returns the name of a facet as searches have it.
func facetName(name string) string {
	name = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "pa_")
	if known := facetColumns[strings.ReplaceAll(name, "_", " ")]; known != "" {
		return known
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" .~*/[]`:", r) }), "_")
}

// slashed are facets of which feeds have several values with slashes between them, as Red/Blue.
var slashed = []string{"color", "material"}

// facetValue returns the values of a facet with vertical bars between them.
func facetValue(name, text string) string {
	text = plainHTML(text)
	if slices.Contains(slashed, name) {
		text = strings.ReplaceAll(text, "/", valueSeparator)
	}
	if !strings.Contains(text, valueSeparator) && (strings.Contains(text, ", ") || strings.Contains(text, "; ")) && len(text) < MaxText {
		text = strings.NewReplacer(", ", valueSeparator, "; ", valueSeparator).Replace(text)
	}
	return strings.Join(withoutBlank(trimmed(strings.Split(text, valueSeparator))), valueSeparator)
}

// price sets the price: that of a sale while it lasts, if it is lower.
func (p *productRow) price() {
	style := p.style
	if code := strings.ToUpper(p.first("currency")); code != "" {
		if money.IsCurrency(code) {
			style.Currency = code
		} else {
			p.wrong = append(p.wrong, inField("currency", "%.40q is no code of ISO 4217, as VND or USD", p.first("currency")))
		}
	}
	read := func(field string) (amount money.Money) {
		text := p.first(field)
		if text == "" {
			return money.Money{}
		}
		amount, err := style.Read(text)
		switch {
		case errors.Is(err, money.ErrNoCurrency):
			p.unpriced = true
			return money.Money{}
		case err != nil && p.columns[field] != "": // its own, and not that of its product
			p.wrong = append(p.wrong, inField(field, "%.40q %w; the product is imported without it", text, err))
			return money.Money{}
		case err != nil:
			return money.Money{}
		}
		return amount
	}
	price := read("price")
	if sale := read("sale_price"); sale.Known() && p.onSale() {
		if order, comparable := sale.Compare(price); !price.Known() || comparable && order < 0 {
			price = sale
		}
	}
	if more, err := style.Read(p.first("surcharge")); err == nil { // on top of nothing, it is the price
		price = more.Plus(price)
	}
	if price.Known() {
		p.fields["price"], p.fields["currency"] = price.Amount, price.Currency
	}
}

// onSale reports whether the time is within the dates of the sale; without dates it is.
func (p *productRow) onSale() bool {
	from, to := p.first("sale_from"), p.first("sale_to")
	field := "sale_from"
	if dates := p.first("sale_dates"); dates != "" {
		field = "sale_dates"
		var both bool
		if from, to, both = strings.Cut(dates, "/"); !both {
			p.wrong = append(p.wrong, inField(field, "%.80q is not as 2026-11-24T11:07+0100/2026-11-29T23:07+0100; the price without the sale counts", dates))
			return false
		}
	}
	begin, wrong := saleTime(from)
	end, err := saleTime(to)
	if err = cmp.Or(wrong, err); err != nil {
		p.wrong = append(p.wrong, inField(field, "%.80q is not as 2026-11-24T11:07+0100; the price without the sale counts", cmp.Or(from, to)))
		return false
	}
	return !p.now.Before(begin) && (end.IsZero() || p.now.Before(end))
}

// saleTimes are the forms of the ends of a sale.
var saleTimes = []string{"2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z0700", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, time.DateOnly, "1/2/06", "1/2/2006"}

// saleTime parses an end of a sale, in UTC if it has no time zone; none is the zero time.
func saleTime(text string) (at time.Time, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return at, nil
	}
	for _, form := range saleTimes {
		if at, err = time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return at, err
}

// stock sets whether the product is for sale, and whether it can be bought.
func (p *productRow) stock() {
	for _, text := range p.values["for_sale"] {
		is, known := forSale[textfold.String(text)]
		switch {
		case !known:
			p.wrong = append(p.wrong, inField("for_sale", "%.40q is neither true nor false, nor as active, hidden, draft or archived; the product is imported as one for sale", text))
		case !is:
			p.fields["for_sale"] = false
		}
	}
	word, pieces := p.first("availability"), p.first("stock")
	if is, known := forSale[textfold.String(p.first("in_stock"))]; known {
		word = cmp.Or(word, map[bool]Availability{true: InStock, false: OutOfStock}[is].String())
	} else {
		word = cmp.Or(word, p.first("in_stock")) // a word, as WooCommerce's backorder
	}
	if isPieces(word) {
		word, pieces = "", cmp.Or(pieces, word)
	}
	if tracked, known := forSale[textfold.String(p.first("tracked"))]; known && !tracked {
		pieces, word = "", cmp.Or(word, InStock.String())
	}
	pieces = wholePieces(pieces)
	if backorders, known := forSale[textfold.String(p.first("backorders"))]; (backorders || !known && p.first("backorders") != "") && pieces == "0" && (word == "" || word == InStock.String()) {
		word, pieces = Backorder.String(), ""
	} else if pieces == "0" && word == InStock.String() && p.origin != anyFile() && p.first("tracked") != "" {
		word = ""
	}
	p.set("availability", word)
	p.set("stock", pieces)
}

func isPieces(text string) bool { return text != "" && strings.Trim(text, "0123456789.-") == "" }

// wholePieces returns a number of pieces: 12 of 12.0000, and 0 of -3, which were sold before they came.
func wholePieces(text string) string {
	if whole, decimals, ok := strings.Cut(text, "."); ok && strings.Trim(decimals, "0") == "" {
		text = whole
	}
	if strings.HasPrefix(text, "-") && isPieces(text) {
		return "0"
	}
	return text
}
