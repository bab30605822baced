package catalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/textfold"
)

// What only the files of one origin need, before their rows are read like all others.

func (v values) set(field, text string) {
	if delete(v, field); text != "" {
		v[field] = []string{text}
	}
}

// shopify: what no program tracks can always be bought.
func shopify(v values) {
	switch {
	case v.first("tracked") != "":
		v.set("tracked", "yes")
	case v.first("stock") != "":
		v.set("tracked", "no")
	}
	v.set("backorders", map[string]string{"continue": "yes", "deny": "no"}[v.first("backorders")])
}

// wooCommerce: a variable product is described by its variations.
func wooCommerce(v values) {
	switch kind := v.first("kind"); {
	case strings.Contains(kind, "variable"):
		v.set("kind", "parent")
	case strings.Contains(kind, "variation"):
		v.set("kind", "child")
	default:
		v.set("kind", "")
		v.set("parent", "") // of a group, which is no product of variants
	}
	for i, text := range v["for_sale"] {
		if text == "-1" {
			v["for_sale"][i] = "draft"
		}
	}
	if v.first("stock") == "parent" {
		v.set("stock", "")
	}
}

// technical are attributes of Magento that describe no product.
var technical = regexp.MustCompile(`^(has_options|required_options|.*_type|.*_date|.*_id|url_.*|gift_.*|msrp.*|ts_.*|links_.*)$`)

// attributeStart matches where the next attribute of a list begins: a value may hold commas, too.
var attributeStart = regexp.MustCompile(`(?:^|,)([a-z][a-z0-9_]*)=`)

// magento: a configurable product names the simple ones that are its variants, which stand before it and are
// not visible on their own.
func magento(v values) {
	if v.first("store_view") != "" && v.first("kind") == "" {
		v.set("kind", "skip") // a translation of a product
	}
	children := v.first("children")
	delete(v, "children")
	for variation := range strings.SplitSeq(children, "|") {
		for part := range strings.SplitSeq(variation, ",") {
			if sku, ok := strings.CutPrefix(part, "sku="); ok {
				v["children"] = append(v["children"], sku)
			}
		}
	}
	switch kind := v.first("kind"); {
	case kind == "configurable" && len(v["children"]) > 0:
		v.set("kind", "parent")
	case kind == "skip":
	case textfold.String(v.first("visibility")) == "notvisibleindividually":
		v.set("kind", "child")
		v.set("alone", "hidden")
	default:
		v.set("kind", "")
	}
	if v.first("for_sale") == "2" {
		v.set("for_sale", "disabled")
	}
	if v.first("tracked_by_default") == "1" {
		v.set("tracked", "")
	}
	list := v.first("attributes")
	at := attributeStart.FindAllStringSubmatchIndex(list, -1)
	for i, m := range at {
		end := len(list)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if name := list[m[2]:m[3]]; !technical.MatchString(name) {
			v["facets."+name] = append(v["facets."+name], list[m[1]:end])
		}
	}
}

// optionOfSKU matches an option in the name of an SKU's row, as [S]Size=Small.
var optionOfSKU = regexp.MustCompile(`(?:\[[A-Z]+\])?([^=,\[\]]+)=([^,]+)`)

// bigCommerce: rows of SKUs have their options in place of a name, and follow their product.
func bigCommerce(v values) {
	kind := textfold.String(v.first("kind"))
	v.set("kind", "")
	switch kind {
	case "sku", "variant":
		v.set("kind", "child")
		for i, m := range optionOfSKU.FindAllStringSubmatch(v.first("product_name"), -1) {
			v.set("option_name."+strconv.Itoa(i+1), m[1])
			v.set("option_value."+strconv.Itoa(i+1), m[2])
		}
		v.set("product_name", "")
	case "rule", "image", "video":
		pictures := v["image_uri"]
		clear(v)
		if v.set("kind", "extra"); kind == "image" {
			v["image_uri"] = pictures
		}
	}
	if tracked := textfold.String(v.first("tracked")); tracked != "" {
		v.set("tracked", map[bool]string{true: "no", false: "yes"}[slices.Contains([]string{"none", "n", "no", "false"}, tracked)])
	}
}

// paint matches what Wix has before the name of a colour, as #b81616: or rgb(1,2,3):
var paint = regexp.MustCompile(`(?:#[0-9a-fA-F]{3,8}|rgba?\([^)]*\)):`)

// wix: the options of a product are lists, those of a variant one each; a variant costs more by its surcharge.
func wix(v values) {
	v.set("kind", map[bool]string{true: "child"}[textfold.String(v.first("kind")) == "variant"])
	for field := range v {
		if strings.HasPrefix(field, "option_value.") {
			v.set(field, strings.ReplaceAll(paint.ReplaceAllString(v.first(field), ""), ";", valueSeparator))
		}
	}
	price, err := strconv.ParseFloat(v.first("price"), 64)
	off, wrong := strconv.ParseFloat(v.first("discount"), 64)
	if err != nil || wrong != nil || off <= 0 {
		return
	}
	if v.first("discount_mode") == "PERCENT" {
		off = price * off / 100
	}
	v.set("sale_price", strconv.FormatFloat(price-off, 'f', 2, 64))
}

func squarespace(v values) {
	if is := forSale[textfold.String(v.first("on_sale"))]; !is {
		v.set("sale_price", "")
	}
	if textfold.String(v.first("stock")) == "unlimited" {
		v.set("tracked", "no")
	}
}

func vendure(v values) {
	if v.first("tracked") == "inherit" {
		v.set("tracked", "")
	}
}

// merchantFeed: the shop's own category counts before Google's, of which a number says nothing to people.
func merchantFeed(v values) {
	if google := v.first("google_category"); v.first("category") == "" && strings.Trim(google, "0123456789") != "" {
		v.set("category", google)
	}
	for i, text := range v["pairs"] {
		if parts := strings.Split(text, ":"); len(parts) == 3 { // section:name:value
			v["pairs"][i] = parts[1] + ":" + parts[2]
		}
	}
}
