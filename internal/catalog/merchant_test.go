package catalog

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// blackFriday is when the feeds are read.
var blackFriday = time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)

func readAll(t *testing.T, file []byte, of Format) (all []Product, faults []Fault, err error) {
	t.Helper()
	of.Now = blackFriday
	var p Product
	for p, err = range ReadProducts(bytes.NewReader(file), of, func(f Fault) { faults = append(faults, f) }) {
		if err == nil {
			all = append(all, p)
		}
	}
	return all, faults, err
}

func merchantFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/merchant/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pieces(n int) *int { return &n }

// The products of the sample feeds.
var merchantProducts = map[string][]Product{
	"rss.xml": {
		{
			SKU: "MS-100-DEN", Availability: InStock, ProductName: "Kính mát Mira 100", Description: "Gọng titan nhẹ 14 g. Tròng phân cực", Brand: "Mira Sông", Category: "Kính mát", GTIN: "08801234567893",
			Price: Price{Amount: 1290000, Currency: "VND"}, ImageURI: "https://cdn.shop.example/mira-100-den.jpg?v=3", VariantOf: "MS-100", Provenance: []string{"https://shop.example/mira-100?mau=den&ref=feed"},
			Facets:      map[string]string{"color": "Đen|Vàng kim", "size": "52-18", "material": "titan", "gender": "unisex", "age_group": "adult", "brand": "mirasong"},
			KeyFeatures: []string{"Mira Sông", "Kính mát Mira 100", "Kính mát", "MS100D"},
		},
		{
			SKU: "MS-100-DO", ProductName: "Kính mát Mira 100", Description: "Màu đỏ", Brand: "Mira Sông", Price: Price{Amount: 1490000, Currency: "VND"}, Availability: OutOfStock, Stock: pieces(0), VariantOf: "MS-100",
			Provenance: []string{"https://shop.example/mira-100?mau=do"}, Facets: map[string]string{"color": "Đỏ", "brand": "mirasong"}, KeyFeatures: []string{"Mira Sông", "Kính mát Mira 100"},
		},
		{SKU: "MS-7", ProductName: "Hộp kính", Price: Price{Amount: 150000, Currency: "VND"}, KeyFeatures: []string{"Hộp kính"}},
	},
	"atom.xml": {
		{
			SKU: "T-2", Availability: Preorder, ProductName: "릿지 2 텐트", Description: "두 사람이 쓰는 가벼운 텐트", Brand: "Northfell", Category: "Tents", Price: Price{Amount: 249, Currency: "USD"}, ImageURI: "https://camp.example/t-2.jpg",
			Provenance: []string{"https://camp.example/t-2"}, Facets: map[string]string{"color": "Green|Grey", "brand": "northfell"}, KeyFeatures: []string{"Northfell", "릿지 2 텐트", "Tents"},
		},
		{SKU: "T-3", ProductName: "릿지 3 텐트", Price: Price{Amount: 199, Currency: "USD"}, Availability: InStock, Stock: pieces(4), KeyFeatures: []string{"릿지 3 텐트"}},
	},
	"feed.tsv": {
		{
			SKU: "A-1", Availability: InStock, ProductName: `Áo mưa 27" dài`, Description: "Chống nước, \"nhẹ\"\n\tvà bền", Brand: "Mưa", Category: "Raincoats", Price: Price{Amount: 15, Currency: "USD"}, ImageURI: "https://shop.example/a-1.jpg", VariantOf: "A",
			Provenance: []string{"https://shop.example/a-1"}, Facets: map[string]string{"color": "Red|Blue", "size": "S/M", "brand": "mua"}, KeyFeatures: []string{"Mưa", `Áo mưa 27" dài`, "Raincoats"},
		},
		{
			SKU: "A-2", Availability: Backorder, ProductName: "우비", Description: "가벼운 우비", Brand: "Mưa", Category: "Raincoats", Price: Price{Amount: 12.5, Currency: "USD"}, VariantOf: "A",
			Provenance: []string{"https://shop.example/a-2"}, Facets: map[string]string{"color": "파랑", "size": "L", "brand": "mua"}, KeyFeatures: []string{"Mưa", "우비", "Raincoats"},
		},
		{SKU: "A-3", ProductName: "Áo mưa", Brand: "Mưa", KeyFeatures: []string{"Mưa", "Áo mưa"}},
	},
}

// The faults of the sample feeds: place, attribute, reason, and whether the product is left out.
var merchantFaults = map[string][]Fault{
	"rss.xml": {
		{Record: "item 3", Line: 51, Field: "availability", Code: "8801234567890", Reason: WrongField, Why: `availability "sold" is none of in_stock, out_of_stock, preorder, backorder and unknown; the product is imported without it`},
		{Record: "item 3", Line: 51, Field: "gtin", Code: "8801234567890", Reason: WrongCode, Why: `gtin "8801234567890" is invalid (its check digit or its length is wrong); the product is imported without it`},
		{Record: "item 4", Line: 59, Field: "title", Reason: NoName, Why: "title is missing or empty", LeftOut: true},
	},
	"feed.tsv": {
		{Record: "line 5", Line: 5, Field: "price", Reason: WrongField, Why: `price "15 dollars" is no number above 0, as 15 or 12.50; the product is imported without it`},
		{Record: "line 5", Line: 5, Field: "availability", Reason: WrongField, Why: `availability "maybe" is none of in_stock, out_of_stock, preorder, backorder and unknown; the product is imported without it`},
		{Record: "line 6", Line: 6, Field: "id", Reason: Duplicate, Why: `id "A-1" is also that of line 2: each product has its own`, LeftOut: true},
	},
}

// Feeds of Google Merchant Center are read as they come, compressed and in UTF-16 too.
func TestMerchantFeeds(t *testing.T) {
	for name, want := range merchantProducts {
		file := merchantFile(t, name)
		wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(bytes.TrimPrefix(file, []byte("\ufeff")))
		if err != nil {
			t.Fatal(err)
		}
		for form, file := range map[string][]byte{"as it is": file, "compressed": zipped(t, file), "UTF-16": wide} {
			all, faults, err := readAll(t, file, Format{})
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
			}
			for i := range all {
				all[i].Status, all[i].Source = "", ""
			}
			if !reflect.DeepEqual(all, want) {
				t.Errorf("%s, %s holds\n%+v, want\n%+v", name, form, all, want)
			}
			if !reflect.DeepEqual(faults, merchantFaults[name]) {
				t.Errorf("%s, %s has the faults\n%+v, want\n%+v", name, form, faults, merchantFaults[name])
			}
		}
	}
}

// feedOf returns a feed of one product that has these elements too.
func feedOf(elements string) []byte {
	return []byte(`<rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title>Tea</title>` + elements + `</item></channel></rss>`)
}

// Prices and words as feeds of real shops have them, beside what Google asks for.
func TestFeedsOfShops(t *testing.T) {
	for text, want := range map[string]Price{
		"15 USD": {Amount: 15, Currency: "USD"}, "1,250.00 SAR": {Amount: 1250, Currency: "SAR"}, "1.299,00 EUR": {Amount: 1299, Currency: "EUR"}, "79,90 EUR": {Amount: 79.9, Currency: "EUR"},
		"1,800 INR": {Amount: 1800, Currency: "INR"}, "EUR24.99": {Amount: 24.99, Currency: "EUR"}, "EUR 199,00": {Amount: 199, Currency: "EUR"}, "24.99\u00a0eur": {Amount: 24.99, Currency: "EUR"},
		"29 euros": {}, "1,299.00": {}, "EUR": {}, "0.00 USD": {},
	} {
		all, faults, err := readAll(t, feedOf("<g:price>"+text+"</g:price>"), Format{})
		if err != nil || len(all) != 1 || all[0].Price != want || (len(faults) == 0) != want.Known() {
			t.Errorf("%q: %+v, %v, %v; want %+v", text, all, faults, err, want)
		}
	}
	for text, want := range map[string]Availability{
		"in stock": InStock, "https://schema.org/OnlineOnly": InStock, "InStoreOnly": InStock, "limited_availability": InStock, "download": InStock, "available": InStock,
		"http://schema.org/SoldOut": OutOfStock, "Reserved": OutOfStock, "Discontinued": OutOfStock,
		"PreSale": Preorder, "MadeToOrder": Backorder, "on_display_to_order": Backorder, "available for order": Backorder, "BackOrder": Backorder,
	} {
		all, faults, err := readAll(t, feedOf("<g:availability>"+text+"</g:availability>"), Format{})
		if err != nil || len(all) != 1 || all[0].Availability != want || len(faults) > 0 {
			t.Errorf("%q: %+v, %v, %v; want %s", text, all, faults, err, want)
		}
	}
}

func TestSalePrice(t *testing.T) {
	const sale = "<g:price>20 USD</g:price><g:sale_price>15.50 usd</g:sale_price>"
	for dates, want := range map[string]float64{
		"": 15.5,
		"2026-11-24T11:07+0100/2026-11-29T23:07-0800":   15.5,
		"2026-11-25T09:00:00Z/2026-11-26T00:00:00Z":     15.5,
		"2026-11-25T16:01+0700/2026-11-30T00:00+0700":   20,
		"2026-11-24/2026-11-25T09:00Z":                  20,
		"2026-11-20T00:00+07:00/2026-12-01T00:00+07:00": 15.5,
		"2026-11-20/2026-12-01":                         15.5,
		"now":                                           20,
		"2026-11-20":                                    20,
	} {
		elements := sale
		if dates != "" {
			elements += "<g:sale_price_effective_date>" + dates + "</g:sale_price_effective_date>"
		}
		all, faults, err := readAll(t, feedOf(elements), Format{})
		if err != nil || len(all) != 1 || all[0].Amount != want || all[0].Currency != "USD" {
			t.Errorf("%s: %+v, %v; want the price %v", dates, all, err, want)
		}
		if wrong := dates == "now" || dates == "2026-11-20"; (len(faults) == 1) != wrong {
			t.Errorf("%s: faults %+v", dates, faults)
		}
	}
}

// A long description is cut and reported; what is behind Unicode's ASCII counts by characters.
func TestLongDescription(t *testing.T) {
	all, faults, err := readAll(t, feedOf("<description>"+strings.Repeat("가벼운 우비 ", 700)+"</description>"), Format{})
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].Description, "가벼운 우비") || strings.HasSuffix(all[0].Description, " ") {
		t.Fatalf("%+v, %v", all, err)
	}
	if n := len([]rune(all[0].Description)); n > MaxText || n < MaxText-10 {
		t.Errorf("%d characters are kept", n)
	}
	if len(faults) != 1 || faults[0].Reason != Cut || faults[0].Field != "description" || faults[0].LeftOut {
		t.Errorf("faults %+v", faults)
	}
}

// A feed in another character set that it declares is read in it.
func TestFeedInEUCKR(t *testing.T) {
	text := strings.Replace(string(feedOf("<g:brand>북쪽</g:brand>")), "Tea", "보리차", 1)
	file, err := korean.EUCKR.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for head, of := range map[string]Format{`<?xml version="1.0" encoding="euc-kr"?>`: {}, "": {Charset: "euc-kr"}, `<?xml version="1.0" encoding="EUC-KR" ?>`: {Charset: "euc-kr"}} {
		if all, _, err := readAll(t, []byte(head+file), of); err != nil || len(all) != 1 || all[0].ProductName != "보리차" || all[0].Brand != "북쪽" {
			t.Errorf("%s %+v: %+v, %v", head, of, all, err)
		}
	}
	if all, faults, err := readAll(t, []byte(file), Format{}); err != nil || len(all) != 0 || len(faults) != 1 || !strings.Contains(faults[0].Why, "name its character set") {
		t.Errorf("without its character set: %v, %+v, %v", all, faults, err)
	}
}

// What is no feed, or made to cost, is an ErrFile that says where; what stands before it is read.
func TestBrokenFeeds(t *testing.T) {
	good := string(feedOf(""))
	for name, test := range map[string]struct {
		file string
		read int
		want string
	}{
		"another XML":            {"<html><body><item/></body></html>", 0, `XML of "html"`},
		"only a comment":         {"<!-- nothing -->", 0, "EOF"},
		"broken off":             {good[:len(good)-3], 1, "breaks off"},
		"an open item":           {"<rss>\n<item><title>Tea</title>", 0, "line 2"},
		"XML 1.1":                {`<?xml version="1.1"?><rss/>`, 0, "unsupported version"},
		"a character set":        {`<?xml version="1.0" encoding="klingon"?><rss/>`, 0, `"klingon" is unknown`},
		"nested":                 {good[:len(good)-len("</channel></rss>")] + strings.Repeat("<a>", 100), 1, "breaks off"},
		"nested without an item": {strings.Repeat("<a>", 100), 0, "nested deeper"},
		"a huge element":         {good[:len(good)-len("</channel></rss>")] + "<item><title>" + strings.Repeat("x", 2<<20), 1, "more than 1048576 bytes"},
		"a huge DTD":             {"<!DOCTYPE r [" + strings.Repeat("<!ENTITY a 'a'>", 200_000), 0, "more than 1048576 bytes"},
	} {
		all, _, err := readAll(t, []byte(test.file), Format{})
		if !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), test.want) || len(all) != test.read {
			t.Errorf("%s: %d products, %v; want %d and %q", name, len(all), err, test.read, test.want)
		}
	}
	if all, _, err := readAll(t, []byte("<rss><channel/></rss>"), Format{}); err != nil || len(all) != 0 {
		t.Errorf("an empty feed: %+v, %v", all, err)
	}
}

func FuzzMerchantXML(f *testing.F) {
	f.Add(merchantFile(f, "rss.xml"))
	f.Add(merchantFile(f, "atom.xml"))
	f.Add(feedOf(`<g:price>1e999 USD</g:price><description>&lt;b&gt;&nbsp;<![CDATA[<script>]]></description><g:color>/|/</g:color>`))
	f.Add([]byte(`<?xml version="1.0" encoding="euc-kr"?><rss><item><title>` + "\xba\xb8" + `</title><price>1 KRW</price></item></rss>`))
	f.Fuzz(func(t *testing.T, file []byte) { checkRepeated(t, file, nil) })
}

func FuzzMerchantTable(f *testing.F) {
	f.Add(merchantFile(f, "feed.tsv"))
	f.Add([]byte("id,title,link,price,sale price,sale price effective date\n1,\"Tea, green\",https://a/b,1 USD,0.5 USD,2026-01-01/2027-01-01\n"))
	f.Add([]byte("g:id|g:title|g:availability\n1|Tea|out of stock\n\"|\n"))
	f.Fuzz(func(t *testing.T, file []byte) { checkRepeated(t, file, nil) })
}
