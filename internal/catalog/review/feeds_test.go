package review_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

// importer returns an import into the catalogue of b.
func (b *bench) importer() catalog.Import {
	return catalog.Import{
		Catalog: b.catalog, Shop: shop, Space: b.space, Country: "KR", Lang: "ko",
		Embed: func(ctx context.Context, texts []string) (all [][]float32, err error) {
			for _, text := range texts {
				v, err := b.Embed(ctx, []string{text[:min(len(text), 3000)]})
				if err != nil {
					return nil, err
				}
				all = append(all, v)
			}
			return all, nil
		},
	}
}

// feed imports products with a status.
func (b *bench) feed(status catalog.Status, products ...string) catalog.Imports {
	b.Helper()
	im := b.importer()
	im.Status = status
	done, err := im.Run(b.Context(), strings.NewReader(`{"products":[`+strings.Join(products, ",")+`]}`))
	if err != nil {
		b.Fatal(err)
	}
	return done
}

// fed returns a product of a file.
func fed(name, more string) string {
	return `{"product_name":"` + name + `","brand":"Lotte","category":"Tea","key_features":["green tea","` + name + `","500 ml"]` + more + `}`
}

// sold are the records of the shop: name, SKU, GTIN, price, stock and status of each.
func (b *bench) sold() string {
	b.Helper()
	all, _, err := b.Browse(b.Context(), review.Search{Limit: 20})
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for _, p := range all {
		line := []string{p.ProductName, p.SKU, strings.TrimLeft(p.GTIN, "0"), p.Currency, string(p.Status)}
		if p.Price.Known() {
			line[3] = fmt.Sprint(p.Amount, p.Currency)
		}
		if p.Stock != nil {
			line = append(line, fmt.Sprint(*p.Stock))
		}
		lines = append(lines, strings.Join(slices.DeleteFunc(line, func(s string) bool { return s == "" }), " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

// decides checks whether a photo with a code is decided by a record.
func (b *bench) decides(gtin string, want bool) {
	b.Helper()
	known, err := b.catalog.Known(b.Context(), catalog.Keys{Shop: shop, GTIN: gtin})
	if err != nil || (known.Record != nil) != want {
		b.Errorf("a photo with the code %s is decided by %+v, %v; want by a record: %t", gtin, known.Record, err, want)
	}
}

const (
	gtin1 = "09520011000017"
	gtin2 = "09520011000024"
	offer = `,"sku":"S-1","gtin":"9520011000017","price":10,"currency":"USD","stock":5`
	later = `,"sku":"S-1","gtin":"9520011000017","price":8,"currency":"USD","stock":0`
)

// What a product is is as people say, and what is offered as the shop's files say, in whatever order
// they say it.
func TestReviewsAndFeeds(t *testing.T) {
	none, other := "", "9520011000024"
	accept := func(b *bench) { b.say("a", review.Accept, nil) }
	reject := func(b *bench) { b.say("a", review.Reject, nil) }
	undo := func(b *bench) { b.say("a", review.Undo, nil) }
	learnt := func(b *bench) { b.record(tea("Onul"), catalog.Unconfirmed) }
	feed := func(products ...string) func(*bench) {
		return func(b *bench) { b.feed(catalog.Imported, products...) }
	}
	gtin := func(gtin *string) func(*bench) {
		return func(b *bench) { b.say("a", review.Correct, &review.Fields{GTIN: gtin}) }
	}
	confirm := func(b *bench) {
		all, _, err := b.Browse(b.Context(), review.Search{Limit: 1})
		if err == nil {
			_, err = b.Confirm(b.Context(), all[0].ID, review.Signature{By: "owner"})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	decided := func(code string, want bool) func(*bench) { return func(b *bench) { b.decides(code, want) } }
	tests := []struct {
		name  string
		steps []func(*bench)
		want  string
	}{
		{"accepted, then in a file", []func(*bench){accept, feed(fed("Onul", offer)), decided(gtin1, true)}, "Onul S-1 9520011000017 10USD confirmed 5"},
		{"learnt, accepted, then in a file", []func(*bench){learnt, accept, feed(fed("Onul", offer))}, "Onul S-1 9520011000017 10USD confirmed 5"},
		{"accepted, then in a file that knows only its name and price", []func(*bench){accept, feed(fed("Onul", `,"price":3,"currency":"EUR"`))}, "Onul 3EUR confirmed"},
		{"accepted, in a file, taken back", []func(*bench){accept, feed(fed("Onul", offer)), undo}, "Onul S-1 9520011000017 10USD imported 5"},
		{"a wrong guess of one photo, then in a file", []func(*bench){learnt, reject, feed(fed("Onul", offer)), feed(fed("Onul", later)), decided(gtin1, true)}, "Onul S-1 9520011000017 8USD imported 0"},
		{"a wrong guess, then a name in a file", []func(*bench){learnt, reject, feed(fed("Onul", ""))}, ""},
		{"in files, accepted between", []func(*bench){feed(fed("Onul", offer)), accept, feed(fed("Onul", later))}, "Onul S-1 9520011000017 8USD confirmed 0"},
		{"and taken back", []func(*bench){feed(fed("Onul", offer)), accept, feed(fed("Onul", later)), undo}, "Onul S-1 9520011000017 8USD imported 0"},
		{"renamed by a file after it was accepted", []func(*bench){feed(fed("Onul", offer)), accept, feed(fed("Onul 2", later))}, "Onul S-1 9520011000017 8USD confirmed 0"},
		{"and taken back", []func(*bench){feed(fed("Onul", offer)), accept, feed(fed("Onul 2", later)), undo}, "Onul 2 S-1 9520011000017 8USD imported 0"},
		{"confirmed by its owner", []func(*bench){feed(fed("Onul", offer)), confirm, feed(fed("Onul 2", later))}, "Onul S-1 9520011000017 8USD confirmed 0"},
		{"its code is wrong", []func(*bench){feed(fed("Onul", offer)), gtin(&none), decided(gtin1, false)}, "Onul S-1 10USD confirmed 5"},
		{"its code is wrong, whatever files say", []func(*bench){feed(fed("Onul", offer)), gtin(&none), feed(fed("Onul", later)), decided(gtin1, false)}, "Onul S-1 8USD confirmed 0"},
		{"and taken back", []func(*bench){feed(fed("Onul", offer)), gtin(&none), feed(fed("Onul", later)), undo, decided(gtin1, true)}, "Onul S-1 9520011000017 8USD imported 0"},
		{"the code that identifies it is wrong", []func(*bench){feed(fed("Onul", `,"gtin":"9520011000017"`)), gtin(&none), feed(fed("Onul", `,"gtin":"9520011000017"`)), decided(gtin1, false)}, "Onul confirmed"},
		{"the code that identifies it is another", []func(*bench){feed(fed("Onul", `,"gtin":"9520011000017"`)), gtin(&other), decided(gtin1, false), decided(gtin2, true)}, "Onul 9520011000024 confirmed"},
	}
	for _, test := range tests {
		b := open(t)
		for _, step := range test.steps {
			p := tea("Onul")
			all, _, err := b.Browse(t.Context(), review.Search{Limit: 2})
			if err != nil {
				t.Fatal(err)
			}
			if b.result("a", p); len(all) > 0 { // the photo is found to show the record
				s := b.subjects["a"]
				s.Record, s.Product.GTIN = all[0].ID, all[0].GTIN
				b.subjects["a"] = s
			}
			step(b)
		}
		if got := b.sold(); got != test.want {
			t.Errorf("%s: the shop has %q, want %q", test.name, got, test.want)
		}
	}
}

// What a record is searched by is embedded again once people take back what they corrected, and not
// before.
func TestEmbeddedAsItIs(t *testing.T) {
	b := open(t)
	b.feed(catalog.Imported, fed("Onul", ""))
	b.result("a", tea("Onul"))
	b.result("b", tea("Onul"))
	steps := []struct {
		what string
		do   func()
		want catalog.Imports // of the file, once more
	}{
		{"accepted", func() { b.say("a", review.Accept, nil) }, catalog.Imports{Known: 1}},
		{"corrected", func() { b.say("a", review.Correct, &review.Fields{KeyFeatures: []string{"barley"}}) }, catalog.Imports{Known: 1}},
		{"corrected, with a price", func() { b.feed(catalog.Imported, fed("Onul", offer)) }, catalog.Imports{Known: 1}},
		{"accepted on another photo", func() { b.say("b", review.Accept, nil) }, catalog.Imports{Known: 1}},
		{"the first taken back", func() { b.say("a", review.Undo, nil) }, catalog.Imports{Known: 1}},
		{"both", func() { b.say("b", review.Undo, nil); b.say("a", review.Undo, nil) }, catalog.Imports{Changed: 1}},
		{"again", func() {}, catalog.Imports{Known: 1}},
	}
	file := fed("Onul", "")
	for i, step := range steps {
		if step.do(); i == 2 {
			file = fed("Onul", offer)
		}
		if got := b.feed(catalog.Imported, file); got != step.want {
			t.Errorf("%s: the file once more gives %v, want %v", step.what, got, step.want)
		}
	}
}

// A record that its owner has deleted stays deleted, whatever stands on photos, until somebody
// confirms the product again; and the deletion says what it overrules.
func TestDeletedRecordStaysDeleted(t *testing.T) {
	p := tea("Onul")
	tests := []struct {
		name   string
		before func(*bench)
		want   catalog.Status // after the deletion, and after a rejection
		again  catalog.Status // once a file has it again
	}{
		{"learnt", func(b *bench) { b.record(p, catalog.Unconfirmed) }, catalog.Rejected, catalog.Rejected},
		{"imported", func(b *bench) { b.feed(catalog.Imported, fed("Onul", "")) }, catalog.Gone, catalog.Imported},
		{"known by reviews alone", func(*bench) {}, catalog.Gone, catalog.Imported},
	}
	for _, test := range tests {
		b := open(t)
		test.before(b)
		b.result("a", p)
		b.result("b", p)
		b.result("c", p)
		id := b.say("a", review.Accept, nil).Records[0].ID
		if done, err := b.Delete(t.Context(), id, review.Signature{By: "owner"}); err != nil || done.Overrules != "kim" || done.Photos != 1 {
			t.Errorf("%s: Delete = %+v, %v; want that it overrules kim, by one photo", test.name, done, err)
		}
		b.is(p, test.want)
		for range 2 {
			if _, err := b.Give(t.Context(), "b", review.Request{Verdict: review.Reject, By: "lee"}); err != nil {
				t.Errorf("%s: reject on another photo: %v", test.name, err)
			}
			b.is(p, test.want)
		}
		b.feed(catalog.Imported, fed("Onul", ""))
		b.is(p, test.again)
		if _, err := b.Forget(t.Context(), b.subjects["a"], false); err != nil {
			t.Fatal(err)
		}
		b.is(p, test.again)
		b.say("c", review.Accept, nil)
		b.is(p, catalog.Confirmed)
	}
}

// A product whose name was read from the print is that which a file has under its SKU or GTIN, if that is
// the only one of that name.
func TestReadNameIsTheFilesProduct(t *testing.T) {
	code := `,"gtin":"9520011000017"`
	for _, test := range []struct {
		file    []string
		verdict string
		gtin    string
		want    string
	}{
		{[]string{fed("Onul", offer)}, review.Accept, "", "Onul S-1 9520011000017 10USD confirmed 5"},
		{[]string{fed("Onul", code)}, review.Accept, "", "Onul 9520011000017 confirmed"},
		{[]string{fed("Haneul", offer)}, review.Correct, "", "Haneul S-1 9520011000017 10USD confirmed 5"},
		{[]string{fed("Onul", offer)}, review.Reject, "", "Onul S-1 9520011000017 10USD imported 5"},
		{[]string{fed("Onul", offer)}, review.Accept, gtin2, "Onul 9520011000024 confirmed, Onul S-1 9520011000017 10USD imported 5"},
		{[]string{fed("Onul", offer), fed("Onul", `,"sku":"S-2"`)}, review.Accept, "", "Onul S-1 9520011000017 10USD imported 5, Onul S-2 imported, Onul confirmed"},
		{[]string{fed("Onul+", offer)}, review.Accept, "", "Onul confirmed, Onul+ S-1 9520011000017 10USD imported 5"},
	} {
		b := open(t)
		b.feed(catalog.Imported, test.file...)
		p := tea("Onul")
		p.GTIN = test.gtin
		b.result("a", p)
		var fields *review.Fields
		if name := "Haneul"; test.verdict == review.Correct {
			fields = &review.Fields{ProductName: &name}
		}
		if b.say("a", test.verdict, fields); b.sold() != test.want {
			t.Errorf("%s of Onul with the code %q: %q; want %q", test.verdict, test.gtin, b.sold(), test.want)
		}
	}
}

// The owner of the catalogue decides of its records, and reviews of what photos show.
func TestReviewsAndTheOwner(t *testing.T) {
	owner := review.Signature{By: "owner"}
	for _, test := range []struct {
		what  string
		then  func(b *bench, record string)
		want  catalog.Status
		shows string
	}{
		{"vouched for", func(*bench, string) {}, catalog.Confirmed, "Onul"},
		{"vouched for, taken back", func(b *bench, _ string) { b.say("a", review.Undo, nil) }, catalog.Confirmed, ""},
		{"vouched for, rejected", func(b *bench, _ string) { b.say("a", review.Reject, nil) }, catalog.Confirmed, ""},
		{"vouched for, and the photo forgotten", func(b *bench, _ string) {
			if _, err := b.Forget(b.Context(), b.subjects["a"], false); err != nil {
				b.Fatal(err)
			}
		}, catalog.Confirmed, ""},
		{"deleted", func(b *bench, record string) {
			if _, err := b.Delete(b.Context(), record, owner); err != nil {
				b.Fatal(err)
			}
		}, catalog.Gone, ""},
		{"deleted, accepted by the same person again", func(b *bench, record string) {
			if _, err := b.Delete(b.Context(), record, owner); err != nil {
				b.Fatal(err)
			}
			b.say("a", review.Accept, nil)
		}, catalog.Confirmed, "Onul"},
	} {
		t.Run(test.what, func(t *testing.T) {
			b := open(t)
			p := tea("Onul")
			b.result("a", p)
			record := b.say("a", review.Accept, nil).Records[0].ID
			if _, err := b.Confirm(t.Context(), record, owner); err != nil {
				t.Fatal(err)
			}
			test.then(b, record)
			b.is(p, test.want)
			b.shows("photoa", test.shows)
		})
	}
}

// What a file says of a record that was learnt, or that it knows without its SKU, is all of it.
func TestNothingOfTheRecordBefore(t *testing.T) {
	b := open(t)
	b.record(tea("Onul"), catalog.Unconfirmed)
	for _, row := range []string{
		fed("Onul", `,"sku":"S-1","gtin":"9520011000017","facets":{"color":"red"}`),
		`{"product_name":"Onul","brand":"Haneul","category":"Tea","key_features":["green tea"],"gtin":"9520011000017"}`,
	} {
		b.feed(catalog.Imported, row)
	}
	all, _, err := b.Browse(t.Context(), review.Search{Limit: 2})
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if p := all[0]; p.Probability != 0 || p.Facets["brand"] != "haneul" || p.Facets["color"] != "red" || strings.Contains(strings.ToLower(p.SearchText()), "lotte") {
		t.Errorf("the record is %+v", p)
	}
}
