package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
)

// An openFoodFacts is a record as Open Food Facts and its siblings (Open Beauty Facts, Open
// Pet Food Facts, Open Products Facts) export it, and as their API answers:
// https://wiki.openfoodfacts.org/API_Fields. Of its about two hundred fields these are
// used:
//
//	code                            → GTIN, which identifies the record
//	product_name, else product_name_LANG → ProductName; those of other languages → Aliases
//	brands, the first               → Brand; the others → BrandAliases
//	categories_tags, the last of en: → Category
//	lang; countries_tags, if one    → Lang; Country
//	brands, names, quantity, generic_name, categories, labels, packaging → KeyFeatures
type openFoodFacts map[string]json.RawMessage

// openFoodFacts returns the record in that form if it has a code and no key_features.
func (r record) openFoodFacts() (openFoodFacts, bool) {
	var o openFoodFacts
	if err := json.Unmarshal(r.data, &o); err != nil {
		return nil, false
	}
	return o, o["code"] != nil && o["key_features"] == nil
}

// text returns a field's text on one line, "" if there is none.
func (o openFoodFacts) text(field string) string {
	text, err := plainText(o[field])
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// list returns the comma-separated texts of a field.
func (o openFoodFacts) list(field string) []string {
	return withoutBlank(trimmed(strings.Split(o.text(field), ",")))
}

// tags returns a field's English tags without their prefix: en:body-creams gives "body
// creams".
func (o openFoodFacts) tags(field string) (tags []string) {
	var all []string
	_ = json.Unmarshal(o[field], &all)
	for _, tag := range all {
		if english, ok := strings.CutPrefix(tag, "en:"); ok && english != "" {
			tags = append(tags, strings.ReplaceAll(english, "-", " "))
		}
	}
	return tags
}

// product returns the record as a product identified by its code.
func (o openFoodFacts) product() (Product, error) {
	gtin, ok := gs1.GTIN(o.text("code"))
	if !ok {
		return Product{}, because(WrongCode, "code %.40s is no GTIN (its check digit or its length is wrong)", o["code"])
	}
	p := Product{GTIN: gtin, Identity: ByGTIN, Status: Imported, Source: "import", Lang: o.lang(), Country: o.country(), Provenance: []string{o.page()}}
	names := o.names(p.Lang)
	if len(names) == 0 {
		return p, because(NoName, "it has no product_name in any language")
	}
	p.ProductName, p.Aliases = names[0], withoutBlank(names[1:min(len(names), maxAliases+1)])
	if brands := distinct(o.list("brands"), maxAliases+1); len(brands) > 0 {
		p.Brand, p.BrandAliases = brands[0], withoutBlank(brands[1:])
	}
	if categories := o.tags("categories_tags"); len(categories) > 0 {
		p.Category = capitalised(categories[len(categories)-1])
	}
	p.KeyFeatures = o.features(p)
	return p, p.checkLengths()
}

// maxAliases is the largest number of other names of each kind.
const maxAliases = 8

// otherName matches the fields that hold the name in one language.
var otherName = regexp.MustCompile(`^product_name_[a-z]{2,3}$`)

// names returns the distinct names of the product, that in its own language first.
func (o openFoodFacts) names(lang string) []string {
	fields := slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(field string) bool { return !otherName.MatchString(field) })
	all := []string{o.text("product_name"), o.text("product_name_" + lang)}
	for _, field := range fields {
		all = append(all, o.text(field))
	}
	return distinct(all, len(all))
}

// lang returns the language of the record, "" if unknown.
func (o openFoodFacts) lang() string {
	tag, err := language.Parse(cmp.Or(o.text("lang"), o.text("lc")))
	if base, _ := tag.Base(); err == nil && len(base.String()) == 2 && base.String() != "xx" {
		return base.String()
	}
	return ""
}

// country returns the country in which the product is sold, "" for none or several.
func (o openFoodFacts) country() string {
	tags := o.tags("countries_tags")
	if len(tags) != 1 {
		return ""
	}
	return countries()[textfold.String(tags[0])]
}

// countries maps folded English country names to ISO 3166-1 codes.
var countries = sync.OnceValue(func() map[string]string {
	codes, names := map[string]string{}, display.English.Regions()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if region, err := language.ParseRegion(string([]rune{a, b})); err == nil && region.IsCountry() && region.String() == string([]rune{a, b}) {
				codes[textfold.String(names.Name(region))] = region.String()
			}
		}
	}
	return codes
})

// sites are the sites that show the record, by product_type.
var sites = map[string]string{"beauty": "openbeautyfacts", "petfood": "openpetfoodfacts", "product": "openproductsfacts"}

// page returns the address of the record's page.
func (o openFoodFacts) page() string {
	return fmt.Sprintf("https://world.%s.org/product/%s", cmp.Or(sites[o.text("product_type")], "openfoodfacts"), o.text("code"))
}

// How many items of each list become features. The limits let brand and name, which every
// pack shows in large print, outweigh what only some packs say.
const (
	maxCategoryFeatures = 1
	maxLabelFeatures    = 2
	maxPackFeatures     = 1
)

// features returns the key features of the product, those printed on it first.
func (o openFoodFacts) features(p Product) []string {
	first := func(list []string, most int) []string { return list[:min(len(list), most)] }
	amount := o.text("quantity")
	if !strings.ContainsFunc(amount, unicode.IsDigit) {
		amount = ""
	}
	categories := slices.DeleteFunc(o.list("categories"), tagged)
	slices.Reverse(categories)
	return distinct(slices.Concat(
		[]string{p.Brand, p.ProductName}, p.Aliases, p.BrandAliases, []string{amount, o.text("generic_name")},
		first(categories, maxCategoryFeatures), first(slices.DeleteFunc(o.list("labels"), tagged), maxLabelFeatures), first(slices.DeleteFunc(o.list("packaging"), tagged), maxPackFeatures),
	), MaxFeatures)
}

// tagged reports whether a text has a language prefix, like en:soaps, and so is not printed
// on packs.
func tagged(text string) bool { return len(text) > 3 && text[2] == ':' }

// distinct returns at most `most` texts, without empty ones and without those that fold
// like an earlier one.
func distinct(texts []string, most int) []string {
	var out, keys []string
	for _, text := range texts {
		if key := textfold.String(text); key != "" && len(out) < most && !slices.Contains(keys, key) {
			out, keys = append(out, text), append(keys, key)
		}
	}
	return out
}

// capitalised returns s with an upper-case first letter.
func capitalised(s string) string {
	for i, r := range s {
		if i == 0 {
			return string(unicode.ToUpper(r)) + s[len(string(r)):]
		}
	}
	return s
}
