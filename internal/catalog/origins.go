package catalog

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// What a column of a file may hold besides the fields of a product (ProductFields). Each is read into them:
//
//	group, parent, children, kind    → which rows are variants of one product
//	option_name.N, option_value.N    → facets; of one column for all, separated by bars: option_names, option_values
//	pairs                            → facets, as Width:40 cm, Colour:red
//	id                               → sku, where it has none
//	sale_price, sale_from, sale_to, sale_dates, discount, surcharge → price
//	in_stock, tracked, backorders    → availability
//	link                             → where the record comes from
//
// An origin is a program that exports the products of a shop: how its files are recognised, and what their
// columns hold. Columns are named by their columnKey.
type origin struct {
	name     string
	marks    []string          // the columns that make it this origin: all of them
	columns  map[string]string // what each column holds
	options  [2]string         // names of the columns of an option and of its value, with # for the number
	grouped  bool              // rows without a name of their own, or with the group of the row before, belong to it
	first    bool              // the first row of a group is a variant, too
	path     string            // between the parts of a category
	list     string            // between several categories
	pictures string            // what is before the name of a picture that is no address
	decimal  string            // the decimal mark of its numbers
	adjust   func(values)      // what only its files need
}

// origins are tried in this order. Only imports need them.
var origins = sync.OnceValue(func() []*origin {
	return []*origin{
		{
			name: "a Shopify export", marks: []string{"handle", "title", "variant price"}, options: [2]string{"option # name", "option # value"},
			grouped: true, first: true, path: ">", decimal: ".", adjust: shopify,
			columns: map[string]string{
				"handle": "group", "title": "product_name", "body": "description", "vendor": "brand", "type": "category", "product category": "category", "standard product type": "category", "custom product type": "category",
				"published": "for_sale", "status": "for_sale", "variant id": "id", "variant sku": "sku", "variant barcode": "gtin", "variant price": "price", "variant inventory qty": "stock",
				"variant inventory tracker": "tracked", "variant inventory policy": "backorders", "image src": "image_uri", "variant image": "variant_image",
				"google shopping gender": "facets.gender", "google shopping age group": "facets.age_group", "google shopping mpn": "mpn",
			},
		}, {
			name: "a WooCommerce export", marks: []string{"type", "sku", "name", "published", "regular price"}, options: [2]string{"attribute # name", "attribute # value"},
			path: ">", list: ",", adjust: wooCommerce,
			columns: map[string]string{
				"id": "id", "type": "kind", "sku": "sku", "gtin upc ean or isbn": "gtin", "name": "product_name", "published": "for_sale", "visibility in catalog": "for_sale", "short description": "summary", "description": "description",
				"date sale price starts": "sale_from", "date sale price ends": "sale_to", "in stock": "in_stock", "stock": "stock", "backorders allowed": "backorders", "sale price": "sale_price", "regular price": "price",
				"categories": "category", "images": "image_uri", "parent": "parent", "brands": "brand",
			},
		}, {
			name: "a Magento export", marks: []string{"sku", "product type", "visibility", "price"}, path: "/", list: ",", decimal: ".", adjust: magento,
			columns: map[string]string{
				"sku": "sku", "store view code": "store_view", "product type": "kind", "categories": "category", "name": "product_name", "description": "description", "short description": "summary", "product online": "for_sale", "visibility": "visibility",
				"price": "price", "special price": "sale_price", "special price from date": "sale_from", "special price to date": "sale_to", "base image": "image_uri", "additional attributes": "attributes",
				"qty": "stock", "is in stock": "in_stock", "manage stock": "tracked", "use config manage stock": "tracked_by_default", "allow backorders": "backorders", "configurable variations": "children",
			},
		}, {
			name: "a PrestaShop file", marks: []string{"active", "name", "reference", "categories"}, path: "/", list: ",",
			columns: map[string]string{
				"product id": "id", "active": "for_sale", "name": "product_name", "categories": "category", "price tax excluded": "price", "price tax included": "price", "price tax excluded or price tax included": "price", "reference": "sku",
				"manufacturer": "brand", "brand": "brand", "ean 13": "gtin", "upc": "gtin", "mpn": "mpn", "quantity": "stock", "visibility": "for_sale", "summary": "summary", "short description": "summary", "description": "description",
				"image urls": "image_uri", "feature": "pairs", "available for order": "in_stock",
			},
		}, {
			name: "a BigCommerce export", marks: []string{"product name", "product code sku", "price"}, grouped: true, path: "/", list: ";", decimal: ".", adjust: bigCommerce,
			columns: map[string]string{
				"item type": "kind", "product id": "id", "product name": "product_name", "product code sku": "sku", "brand name": "brand", "product description": "description", "price": "price", "sale price": "sale_price",
				"product visible": "for_sale", "product availability": "availability", "allow purchases": "in_stock", "track inventory": "tracked", "current stock level": "stock", "stock level": "stock", "category": "category",
				"product image file 1": "image_uri", "product image url 1": "image_uri", "product upc ean": "gtin", "gtin": "gtin", "global trade number": "gtin", "manufacturer part number": "mpn", "product custom fields": "pairs", "product url": "link",
			},
		}, {
			name: "a Wix export", marks: []string{"handle id", "field type", "name", "price"}, options: [2]string{"product option name #", "product option description #"},
			grouped: true, list: ";", pictures: "https://static.wixstatic.com/media/", decimal: ".", adjust: wix,
			columns: map[string]string{
				"handle id": "group", "field type": "kind", "name": "product_name", "description": "description", "product image url": "image_uri", "collection": "category", "sku": "sku", "price": "price", "surcharge": "surcharge",
				"visible": "for_sale", "discount mode": "discount_mode", "discount value": "discount", "inventory": "availability", "brand": "brand",
			},
		}, {
			name: "a Squarespace export", marks: []string{"product id", "variant id", "title", "price"}, options: [2]string{"option name #", "option value #"},
			grouped: true, first: true, path: "/", list: ",", decimal: ".", adjust: squarespace,
			columns: map[string]string{
				"product id": "group", "variant id": "id", "title": "product_name", "description": "description", "sku": "sku", "gtin": "gtin", "mpn": "mpn", "price": "price", "sale price": "sale_price", "on sale": "on_sale", "stock": "stock",
				"categories": "category", "visible": "for_sale", "hosted image urls": "image_uri",
			},
		}, {
			name: "a Vendure file", marks: []string{"name", "slug", "option groups", "sku", "price"}, grouped: true, first: true, decimal: ".", adjust: vendure,
			columns: map[string]string{
				"name": "product_name", "slug": "group", "description": "description", "assets": "image_uri", "facets": "pairs", "option groups": "option_names", "option values": "option_values", "sku": "sku", "price": "price",
				"stock on hand": "stock", "track inventory": "tracked", "variant assets": "variant_image", "variant facets": "pairs", "enabled": "for_sale",
			},
		}, {
			name: "an Odoo export", marks: []string{"default code", "name"}, grouped: true, first: true, path: "/", columns: odoo(),
		}, {
			name: "an Odoo export", marks: []string{"internal reference", "name"}, grouped: true, first: true, path: "/", columns: odoo(),
		}, {
			// Google Merchant Center and Facebook: https://support.google.com/merchants/answer/7052112
			name: "a feed of Google or Facebook", marks: []string{"id", "title"}, path: ">", decimal: ".", adjust: merchantFeed,
			columns: map[string]string{
				"id": "sku", "title": "product_name", "description": "description", "summary": "description", "content": "description", "link": "link", "image link": "image_uri", "image url": "image_uri", "product type": "category", "google product category": "google_category", "fb product category": "google_category",
				"price": "price", "sale price": "sale_price", "sale price effective date": "sale_dates", "availability": "availability", "quantity": "stock", "quantity to sell on facebook": "stock", "inventory": "stock", "brand": "brand", "gtin": "gtin", "mpn": "mpn",
				"item group id": "variant_of", "product detail": "pairs", "currency": "currency", "visibility": "for_sale", "status": "for_sale",
			},
		},
	}
})

// odoo are the columns of Odoo by their technical names and by their English ones.
var odoo = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"id": "id", "external id": "id", "name": "product_name", "default code": "sku", "internal reference": "sku", "barcode": "gtin", "list price": "price", "lst price": "price", "sales price": "price", "sale price": "price", "verkaufspreis": "price",
		"sale ok": "for_sale", "active": "for_sale", "can be sold": "for_sale", "product category": "category", "categ id": "category", "category": "category", "description sale": "description", "sales description": "description", "website description": "description",
		"qty available": "stock", "quantity on hand": "stock", "strichcode": "gtin", "currency": "currency", "currency id": "currency", "brand": "brand", "product tmpl id": "variant_of", "product brand id": "brand",
	}
})

// anyFile are the columns of a file of no known origin, in words that people give them.
var anyFile = sync.OnceValue(func() *origin {
	return &origin{name: "a table", path: ">", list: "|", columns: func() map[string]string {
		columns := map[string]string{}
		for field, words := range map[string]string{
			"product_name": "name,title,product,product title,item name,item title,nombre,nom,nome,naam,nazwa,bezeichnung,artikelbezeichnung,produktname,имя,название,наименование,商品名,상품명,tên sản phẩm",
			"brand":        "vendor,manufacturer,marke,hersteller,marque,marca,merk,marka,бренд,производитель,브랜드,thương hiệu,brand name",
			"category":     "categories,product category,product type,kategorie,categoría,catégorie,categoria,kategoria,categorie,категория,категории,카테고리,danh mục,category name",
			"type":         "type",
			"sku":          "article number,item number,product code,reference,artikelnummer,referencia,référence,artikul,артикул,mã sản phẩm,product sku",
			"gtin":         "ean,upc,barcode,ean 13,isbn,gtin 13,strichcode,código de barras,code barres,штрихкод",
			"description":  "body,body html,long description,product description,beschreibung,descripción,descrição,descrizione,opis,omschrijving,описание,설명,mô tả,details",
			"summary":      "short description,краткое описание",
			"price":        "regular price,unit price,retail price,preis,verkaufspreis,precio,prix,preço,prezzo,cena,prijs,цена,базовая цена,가격,giá,sales price",
			"sale_price":   "special price,discounted price,акционная цена",
			"currency":     "currency code,price currency,währung,moneda,devise,валюта",
			"stock":        "quantity,qty,inventory,inventory level,stock quantity,stock level,available stock,bestand,existencias,menge,остаток,재고,tồn kho,quantity on hand",
			"in_stock":     "in stock,is in stock,в наличии",
			"for_sale":     "active,is active,published,visible,status,enabled,aktiv,опубликован,видимость в каталоге",
			"image_uri":    "image,images,image url,image urls,picture,picture url,picture uri,img,photo,bild,bilder,imagen,изображения,image src,thumbnail,main image,image link",
			"link":         "url,product url,product link,permalink",
			"variant_of":   "parent,parent sku,parent id,item group id,group id",
			"id":           "product id,item id,id",
		} {
			for word := range strings.SplitSeq(words, ",") {
				columns[word] = field
			}
		}
		for _, f := range ProductFields {
			columns[columnKey(f.Name)] = f.Name
		}
		return columns
	}()}
})

// openFoodFactsCSV is CSV of Open Food Facts and its siblings.
var openFoodFactsCSV = &origin{name: "an export of Open Food Facts", columns: func() map[string]string {
	columns := map[string]string{}
	for _, name := range csvFields {
		columns[columnKey(name)] = name
	}
	return columns
}()}

// facetColumns are properties that columns of any origin may hold.
var facetColumns = map[string]string{
	"color": "color", "colour": "color", "farbe": "color", "size": "size", "größe": "size", "material": "material", "pattern": "pattern", "gender": "gender", "age group": "age_group",
}

// field returns what a column holds, "" if it is not read.
func (o *origin) field(column string) string {
	if facet, ok := strings.CutPrefix(column, facetField); ok && facet != "" {
		return column
	}
	key := columnKey(column)
	if field := o.columns[key]; field != "" {
		return field
	}
	if name, value := o.option(key); name != "" || value != "" {
		return name + value
	}
	if facet := facetColumns[key]; facet != "" {
		return facetField + facet
	}
	if base, language := translated(column); language != "" && o.columns[base] != "" {
		return o.columns[base] + ":" + language
	}
	return ""
}

var digits = regexp.MustCompile(`\d+`)

// option returns the field of a column with the name of an option, or with its value.
func (o *origin) option(key string) (name, value string) {
	n := digits.FindString(key)
	switch form := strings.Replace(key, n, "#", 1); {
	case n == "" || o.options[0] == "":
	case form == o.options[0]:
		return "option_name." + n, ""
	case form == o.options[1]:
		return "", "option_value." + n
	}
	return "", ""
}

// languageSuffix matches columns in several languages, as name:en.
var languageSuffix = regexp.MustCompile(`^(.+):([a-z]{2}(?:[_-]\w+)?)$`)

func translated(column string) (base, language string) {
	if m := languageSuffix.FindStringSubmatch(strings.TrimSpace(column)); m != nil {
		return columnKey(m[1]), m[2]
	}
	return "", ""
}

// originOf returns the origin of a file with these columns, and whether a column of it has names of
// products.
func originOf(columns []string, feed bool) (*origin, bool) {
	keys := map[string]bool{}
	for _, column := range columns {
		keys[columnKey(column)] = true
		if base, language := translated(column); language != "" {
			keys[base] = true
		}
	}
	has := func(key string) bool { return keys[key] }
	if slices.Contains(columns, "product_name") { // in our own words
		if has("code") {
			return openFoodFactsCSV, true
		}
		return anyFile(), true
	}
	for _, o := range origins() {
		if all := !slices.ContainsFunc(o.marks, func(mark string) bool { return !has(mark) }); all && (o.name != "a feed of Google or Facebook" || feed || has("link") || has("image link") || has("availability")) {
			return o, true
		}
	}
	return anyFile(), slices.ContainsFunc(slices.Collect(maps.Keys(keys)), func(key string) bool { return anyFile().columns[key] == "product_name" })
}

// inBrackets matches what explains the name of a column, as (HTML) and [Non Editable].
var inBrackets = regexp.MustCompile(`\([^()]*\)|\[[^\[\]]*\]`)

// columnKey returns the words of a column's name, in lower case: "variant image" for Variant Image,
// "image link" for g:image_link, "option 1 name" for Option1 Name and "handle id" for handleId.
func columnKey(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range inBrackets.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(name), "g:"), " ") {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before), unicode.IsLetter(before) && unicode.IsDigit(r), unicode.IsDigit(before) && unicode.IsLetter(r):
			b.WriteByte(' ')
		}
		before = r
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
