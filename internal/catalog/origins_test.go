package catalog

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// brief returns what an import is compared by: SKU, name, price, whether it can be bought, and its facets.
func brief(p Product) string {
	var parts []string
	add := func(name, text string) {
		if text != "" {
			parts = append(parts, name+text)
		}
	}
	add("", p.SKU)
	add("", p.ProductName)
	add("", p.Plain())
	if p.NotForSale {
		add("", "hidden")
	}
	add("", string(p.Availability))
	if p.Stock != nil {
		add("", fmt.Sprint(*p.Stock))
	}
	add("of ", p.VariantOf)
	add("by ", p.Brand)
	add("in ", p.Category)
	add("gtin ", p.GTIN)
	add("", strings.TrimPrefix(p.ImageURI, "https://"))
	for _, facet := range slices.Sorted(maps.Keys(p.Facets)) {
		if facet != brandFacet {
			add(facet+"=", p.Facets[facet])
		}
	}
	add("", p.Description)
	return strings.Join(parts, "; ")
}

// A shop's export is read as it is: every priced row keeps its price, every variant its options, and what is
// not published is hidden.
func TestOrigins(t *testing.T) {
	const shirt, boots, ridge = "by Northfell; in Shirts; ", "by Northfell; in Boots; gtin 09520015000051; store.example/hb.jpg; ", "of ridge; in Jackets; shop.example/"
	for _, test := range []struct {
		file, origin string
		format       Format
		want         []string
		faults       string // place, field and the begin of why
	}{
		{"shopify.csv", "a Shopify export", Format{Currency: "EUR"}, []string{
			"DS-1/S/Sand; Dune Shirt; 39 EUR; in_stock; 4; of dune-shirt; " + shirt + "gtin 09520015000051; cdn.example/dune-sand.jpg; color=Sand; size=S; Linen & cotton. Washable Two pockets",
			"DS-1/M/Sand; Dune Shirt; 39 EUR; out_of_stock; 0; of dune-shirt; " + shirt + "cdn.example/dune-1.jpg; color=Sand; size=M; Linen & cotton. Washable Two pockets",
			"DS-1/L/Sand; Dune Shirt; 41.5 EUR; backorder; of dune-shirt; " + shirt + "cdn.example/dune-1.jpg; color=Sand; size=L; Linen & cotton. Washable Two pockets",
			"tide-mug; Tide Mug; 12.5 EUR; hidden; in_stock; by Lune; cdn.example/mug.jpg; color=blue|white; Holds 300 ml",
			"TB-1; Tide Bowl; hidden; in_stock; 3; by Lune",
		}, `line 8 Variant Price: Variant Price "0.00" is no number above 0`},
		{"woocommerce.csv", "a WooCommerce export", Format{Currency: "EUR"}, []string{
			"ridge-red; Ridge Jacket; 79.9 EUR; in_stock; 5; " + ridge + "red.jpg; category=Jackets|Outdoor|Rain, wind & snow; color=Red; size=M|L; A jacket for rain.",
			"id:33; Ridge Jacket; 99.9 EUR; out_of_stock; 0; " + ridge + "r1.jpg; category=Jackets|Outdoor|Rain, wind & snow; color=Green; size=L; A jacket for rain.",
			"card; Gift Card; 1020 EUR; hidden; backorder; in Gifts; For friends",
			"id:35; Draft Tent; 249 EUR; hidden; in_stock; in Tents",
		}, ""},
		{"magento.csv", "a Magento export", Format{Currency: "USD"}, []string{
			"CP-S-Red; Cliff Pullover; 52 USD; in_stock; 100; of CP; in Tops; category=Tops|Sale; climate=Cool|Windy; color=Red; note=wash|dry; size=S; Warm.",
			"CP-M-Red; Cliff Pullover; 52 USD; hidden; out_of_stock; 0; of CP; in Tops; category=Tops|Sale; climate=Cool|Windy; color=Red; note=wash|dry; size=M; Warm.",
			"BAG; Joust Bag; 30 USD; in_stock; 12; in Bags",
			"LOOSE; Loose Strap; 5 USD; hidden; in_stock; 3; in Bags",
		}, ""},
		{"prestashop.csv", "a PrestaShop file", Format{Currency: "EUR"}, []string{
			"TH-1; Théière; 1249 EUR; in_stock; 16; by Lune; in Cuisine; gtin 09520015000051; boutique.example/1.jpg; category=Cuisine|Cadeaux; matière=Fonte; volume=1 l; Ronde.",
			"TA-1; Tasse; 12.5 EUR; hidden; in_stock; 3; by Lune; in Cuisine",
			"CO-1; Coffret; 1300 EUR; hidden; out_of_stock; 0; by Lune; in Accueil",
		}, ""},
		{"bigcommerce.csv", "a BigCommerce export", Format{Currency: "USD"}, []string{
			"HB-41; Harbor Boots; 99 USD; in_stock; 4; of HB; by Northfell; in Boots; store.example/hb.jpg; category=Boots|Sale; color=Brown; size=41; Leather boots",
			"HB-42; Harbor Boots; 99 USD; out_of_stock; 0; of HB; by Northfell; in Boots; store.example/hb.jpg; category=Boots|Sale; color=Brown; size=42; Leather boots",
			"OL; Old Lamp; 40 USD; hidden; in_stock; by Lune; in Lamps",
		}, ""},
		{"wix.csv", "a Wix export", Format{Currency: "GBP"}, []string{
			"product_a/Red; Fox Scarf; 15 GBP; in_stock; 4; of product_a; by Lune; in Scarves; static.wixstatic.com/media/a1~mv2.jpg; category=Scarves|Winter; color=Red; Wool scarf",
			"product_a/Cream; Fox Scarf; 20 GBP; hidden; out_of_stock; 0; of product_a; by Lune; in Scarves; static.wixstatic.com/media/a1~mv2.jpg; category=Scarves|Winter; color=Cream; Wool scarf",
			"FP-1; Fox Print; 8 GBP; hidden; in_stock; 12; in Prints",
		}, ""},
		{"squarespace.csv", "a Squarespace export", Format{Currency: "USD"}, []string{
			"OS-N; Oak Stool; 60 USD; in_stock; 5; of p1; in stools; images.example/1.jpg; category=stools|sale; finish=Natural; Solid oak",
			"v2; Oak Stool; 85 USD; in_stock; of p1; in stools; images.example/1.jpg; category=stools|sale; finish=Dark; Solid oak",
			"OB; Oak Bench; 150 USD; hidden; out_of_stock; 0; in benches",
		}, ""},
		{"vendure.csv", "a Vendure file", Format{Currency: "USD"}, []string{
			"SL-138; Slate Laptop; 1299 USD; in_stock; 100; of slate-laptop; by Lune; in Electronics; category=Electronics|Computers; ram=8GB; screen_size=13 inch; Fast, and light.",
			"SL-1516; Slate Laptop; 1399 USD; in_stock; of slate-laptop; by Lune; in Electronics; category=Electronics|Computers; ram=16GB; screen_size=15 inch; Fast, and light.",
			"SP-1; Slate Pad; 45 USD; out_of_stock; 0; in Electronics; category=Electronics",
		}, ""},
		{"odoo.csv", "an Odoo export", Format{Currency: "EUR"}, []string{
			"FURN_1; Corner Desk; 1085 EUR; in_stock; 12; in Office Furniture; gtin 09520015000051; With drawers",
			"__export__.product_template_2; Old Chair; 70.5 EUR; hidden; out_of_stock; 0; in All",
		}, ""},
		{"facebook.csv", "a feed of Google or Facebook", Format{}, []string{
			"F-1; Reef Sandals; 30 USD; in_stock; of F; by Lune; in sandals; shop.example/f-1.jpg; size=38; Light. Dries & folds.",
			"F-2; Reef Sandals; 24 USD; out_of_stock; 0; of F; by Lune; in sandals; shop.example/f-2.jpg; size=39; Light.",
		}, ""},
		{"google.xml", "a feed of Google or Facebook", Format{}, []string{
			"G-1; Salt & Pepper Set; 18 EUR; in_stock; height=12 cm", "G-3; Grinder; 1249 EUR; in Kitchen",
		}, "item 2 : it is no XML"},
		{"list.xml", "a table", Format{}, []string{
			"W-1; Wheelset; 2999 SEK; in_stock; by Lune; hjul.example/w-1.jpg; Strong & light", "W-2; Hub; 499 SEK; out_of_stock; 0",
		}, ""},
		{"eshop.json", "a table", Format{Currency: "USD"}, []string{
			"1; Moor Boots; 109.99 USD; in_stock; 7; by Daylight; in Footwear; For wet paths.", "2; Moor Jacket; 1.249 USD; by Daylight; in Jackets",
		}, ""},
		{"typed.csv", "a table", Format{}, []string{
			"FL-1; Fog Lamp; 39.95 EUR; in Lamps; shop.example/a,b.jpg", "AH-1; Air Horn; 89 EUR; in physical; shop.example/h.jpg",
		}, ""},
		{"table.csv", "a table", Format{}, []string{
			"M-1; Mesa; 1249 EUR; in_stock; 4; by Lune; color=Blanco", "S-1; Silla; 79.9 EUR; out_of_stock; 0; by Lune; color=Negro",
			"C-1; Cojín; 1050 EUR; in_stock; 9; by Lune; color=Gris",
		}, "line 4 : it has a quote that does not close"},
	} {
		file, err := os.ReadFile("testdata/shops/" + test.file)
		if err != nil {
			t.Fatal(err)
		}
		var of Reading
		test.format.Reading = func(r Reading) { of = r }
		all, faults, err := readAll(t, file, test.format)
		var got, told []string
		for _, p := range all {
			got = append(got, brief(p))
		}
		for _, f := range faults {
			if f.Reason != Unread {
				told = append(told, fmt.Sprintf("%s %s: %s", f.Record, f.Field, f.Why))
			}
		}
		for i := range max(len(got), len(test.want)) {
			is, want := "", ""
			if i < len(got) {
				is = got[i]
			}
			if i < len(test.want) {
				want = test.want[i]
			}
			if is != want {
				t.Errorf("%s, product %d is\n%s, want\n%s", test.file, i, is, want)
			}
		}
		if err != nil || of.Origin != test.origin || !strings.HasPrefix(strings.Join(told, "; "), test.faults) || len(told) > 0 && test.faults == "" {
			t.Errorf("%s is read as %s, %v, reports %q; want %s, %q", test.file, of.Origin, err, told, test.origin, test.faults)
		}
	}
}

// A quote that does not close, and what else breaks a row or an item, costs that row alone.
func TestBrokenRows(t *testing.T) {
	const head = "sku,name,price,stock\n"
	for _, test := range []struct{ name, file, want, out string }{
		{"a quote that opens and does not close", head + "1,\"Tent,99,1\n2,Lamp,12,1\n3,Rope,5,1\n", "Lamp Rope", "line 2"},
		{"before a quoted name", head + "1,\"Tent,99,1\n2,\"Lamp\",12,1\n3,Rope,5,1\n", "Lamp Rope", "line 2"},
		{"inches in quotes", head + "1,\"Tent 12\" long\",99,1\n2,\"Lamp\",12,1\n", "Tent 12\" long Lamp", ""},
		{"inches before a name in quotes", head + "1,\"Tent 12\" long,99,1\n2,\"Lamp\",12,1\n3,Rope,5,1\n", "Lamp Rope", "line 2"},
		{"inches", head + "1,Tent 12\" long,99,1\n2,Lamp,12,1\n", "Tent 12\" long Lamp", ""},
		{"the last", head + "1,Tent,99,1\n2,\"Lamp,12,1\n", "Tent", "line 3"},
		{"two", head + "1,\"Tent,99,1\n2,\"Lamp,12,1\n3,Rope,5,1\n", "Rope", "line 2 line 3"},
		{"lines within quotes", head + "1,\"Tent\nfor two, light\",99,1\n2,Lamp,12,1\n", "Tent for two, light Lamp", ""},
		{"a field too many", head + "1,Tent, green,99,1\n2,Lamp,12,1\n", "Lamp", "line 2"},
		{"fields too few", head + "1,Tent\n2,Lamp,12,1,,\n", "Tent Lamp", ""},
		{"an item that is not closed", "<rss><item><id>1</id><title>Tent</title><item><id>2</id><title>Lamp</title></item></rss>", "Lamp", "item 1"},
		{"an item with a tag that is not closed", "<rss><item><id>1</id><title>Tent<br></title></item><item><id>2</id><title>Lamp</title></item></rss>", "Lamp", "item 1"},
		{"an item with signs", "<rss><item><id>1</id><title>A & B &amp; C &nbsp;D</title></item></rss>", "A & B & C D", ""},
	} {
		all, faults, err := readAll(t, []byte(test.file), Format{Currency: "EUR"})
		var names, out []string
		for _, p := range all {
			names = append(names, p.ProductName)
		}
		for _, f := range faults {
			if f.LeftOut {
				out = append(out, f.Record)
			}
		}
		if err != nil || strings.Join(names, " ") != test.want || strings.Join(out, " ") != test.out {
			t.Errorf("%s: %q without %q, %v, %+v; want %q without %q", test.name, names, out, err, faults, test.want, test.out)
		}
	}
}

// Prices of which nothing says the currency are told once, and what may be read in two ways with its row.
func TestPricesWithoutCurrency(t *testing.T) {
	const file = "sku,name,price\n1,Tent,99\n2,Lamp,12.50\n"
	if all, faults, err := readAll(t, []byte(file), Format{}); err != nil || len(all) != 2 || all[0].Known() || len(faults) != 1 || !strings.Contains(faults[0].Why, "currency of 2 prices") {
		t.Errorf("%+v, %+v, %v; want two products and one fault", all, faults, err)
	}
	_, faults, err := readAll(t, []byte("sku,name,price\n1,Tent,\"1,249\"\n"), Format{Currency: "EUR"})
	if err != nil || len(faults) != 1 || faults[0].Line != 2 || faults[0].Field != "price" || faults[0].LeftOut {
		t.Errorf("a price that may be two: %+v, %v", faults, err)
	}
	all, faults, err := readAll(t, []byte("sku,name,price\n1,Tent,\"1,249\"\n"), Format{Currency: "EUR", Decimal: "."})
	if err != nil || len(faults) != 0 || len(all) != 1 || all[0].Amount != 1249 {
		t.Errorf("with its decimal mark: %+v, %+v, %v", all, faults, err)
	}
}
