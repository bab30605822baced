package page_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/whatis/internal/api"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// brings has the catalogue import what is sent at once, and not by a task.
func brings(w *whatis, t *testing.T, c *api.Config) {
	model, space := w.model(t)
	embed := func(ctx context.Context, texts []string) ([][]float32, error) {
		return model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: texts})
	}
	im := catalog.Import{Catalog: catalog.New(w.FirestoreClient(t)), Shop: "test", Space: space, Country: "US", Lang: "en", Embed: embed, EmbedDocuments: embed}
	var done catalog.Imports
	of := func(file *api.ImportFile) catalog.Import {
		im := im
		if file.URI != "" { // it is fetched
			file.Reader = strings.NewReader("title,price\nHat,3\n")
		}
		im.Format, im.From, im.Shop = file.Format, file.Name, cmp.Or(file.Shop, im.Shop)
		return im
	}
	c.Imports = api.Imports{
		Compare: func(ctx context.Context, file api.ImportFile, fault func(catalog.Fault), tell func(catalog.Difference)) error {
			im := of(&file)
			im.Fault, im.Differ = fault, tell
			_, err := im.Run(ctx, file)
			return err
		},
		Start: func(ctx context.Context, file api.ImportFile) (id string, err error) {
			if !file.Format.Pictures {
				return "", errors.New("pictures are ticked")
			}
			file.Format.Pictures = false
			done, err = of(&file).Run(ctx, io.Reader(file))
			return strings.Repeat("a", 32), err
		},
		State: func(_ context.Context, id string) (api.ImportState, error) {
			return api.ImportState{ID: id, State: jobs.Done, Imports: done}, nil
		},
	}
}

// A shop's file is dropped on the catalogue, looked at, and imported; a record of it is edited, its brand
// renamed everywhere, and two records become one.
func TestCatalogueIsFilled(t *testing.T) {
	t.Parallel()
	w := serve(t, false, brings)
	b := open(t, w.url+"/#catalogue")
	b.shows("#records-state .empty", "The catalogue is empty.")
	b.do(chromedp.SetValue(chromedp.CSS("#records-bring [name=currency]"), "EUR"))
	b.click("#records-bring [name=pictures]")
	choose := func(name, file string) {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const files = new DataTransfer();
			files.items.add(new File([%q], %q));
			const input = document.querySelector("#bring-file");
			input.files = files.files;
			input.dispatchEvent(new Event("change"));
		})()`, file, name)))
	}
	choose("export.csv", "Handle,Title,Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\na,Shirt,Acme Inc,Size,S,S-1,39.00,active\na,,,,M,S-2,x,\nb,Mug,Acme Inc,Title,Default Title,M,4.00,draft\n")
	b.shows("#bring-state", "export.csv is a Shopify export.", "Variant Price → price", "3 new", "Shirt", "is no number")
	b.fits("a file that is looked at")
	b.named("a file that is looked at")
	if n := eval[int](b, `document.querySelectorAll("#records li").length`); n != 0 {
		t.Errorf("before it is imported there are %d records", n)
	}
	b.click("#bring-it")
	b.shows("#bring-state", "3 imported, 0 changed, 0 known before, 0 left out")
	b.until(`document.querySelectorAll("#records li").length === 3`)
	b.allow("422")
	choose("broken.csv", "a,b\n1,2\n")
	b.shows("#bring-state .problem", "product_name")

	b.do(chromedp.SetValue(chromedp.CSS("#records-bring [name=address]"), "https://shop.example/feed.xml"))
	b.click("#records-bring form button")
	b.shows("#bring-state", "https://shop.example/feed.xml is a table.", "1 new", "Hat")

	b.click("#records-none") // none has a code
	b.until(`document.querySelectorAll("#records:not([aria-busy]) li").length === 3`)
	b.do(chromedp.Click(chromedp.CSS(`#records li:last-child a`)))
	b.click("#record-edit")
	b.do(chromedp.SetValue(chromedp.CSS("#record [name=brand]"), "Acme"))
	b.click("#record [name=everywhere]")
	b.click("#record .rv-form button:not(.secondary)")
	b.shows("#record dl", "Acme")
	b.until(`!document.querySelector("#record .rv-form")`)
	b.fits("a record that was edited")
	records, err := w.FirestoreClient(t).Collection("products").Where("shop", "==", "test").Where("brand_key", "==", "acme").Documents(t.Context()).GetAll()
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records of Acme, %v; want all three", len(records), err)
	}
	here := eval[string](b, `location.hash.split("/")[1]`)
	other := records[0].Ref.ID
	if other == here {
		other = records[1].Ref.ID
	}
	b.click("#record-edit")
	b.do(chromedp.SetValue(chromedp.CSS("#record [name=into]"), other))
	b.click("#record .rv-form button:not(.secondary)")
	b.until(fmt.Sprintf(`location.hash === "#catalogue/%s"`, other))
	if _, err := w.FirestoreClient(t).Doc("products/" + here).Get(t.Context()); err == nil {
		t.Error("after the merge both records are there")
	}

	b = open(t, w.url+"/#catalogue") // as yet of the service's own shop
	b.until(`document.querySelectorAll("#records:not([aria-busy]) li").length === 2`)
	b.do(chromedp.SetValue(chromedp.CSS("#records-shop [name=shop]"), "second"))
	b.click("#records-shop button")
	b.shows("#records-state .empty", "The catalogue is empty.")
	b.allow("422")
	b.click("#records-bring [name=pictures]")
	choose("second.csv", "product_name,sku,price,currency\nLamp,L-1,9.00,EUR\n")
	b.shows("#bring-state", "1 new", "Lamp")
	b.click("#bring-it")
	b.until(`document.querySelectorAll("#records:not([aria-busy]) li").length === 1`)
	b.fits("another shop")
	b.do(chromedp.Evaluate[chromedp.Void](`location.hash = "search"`))
	b.shows("#search-shop", "Shop: second")
	b.ask("lamp")
	b.found("Lamp")
	b.click("#search-shop a")
	b.until(`location.search === "" && location.hash === "#search"`)
}
