package review_test

import (
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

// move copies the vectors of b to those of another embedding model.
func (b *bench) move() catalog.Move {
	b.Helper()
	to, err := catalog.VectorSpaceOf("gemini-embedding-001")
	if err != nil {
		b.Fatal(err)
	}
	m := catalog.Move{Import: b.importer(), From: b.space}
	m.Space = to
	if _, err = m.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	return m
}

// with returns b with services of another embedding model.
func (b *bench) with(space catalog.VectorSpace) *bench {
	b.Helper()
	c := b.Config
	c.Space = space
	s, err := review.New(c)
	if err != nil {
		b.Fatal(err)
	}
	return &bench{T: b.T, Service: s, catalog: b.catalog, space: space, subjects: b.subjects, answered: b.answered, spread: b.spread}
}

// What people have said holds whichever embedding model the catalogue is in, and before, while and after
// it moves.
func TestReviewsOutliveTheModel(t *testing.T) {
	p := tea("Onul")
	learnt := func(b *bench) { b.record(p, catalog.Unconfirmed) }
	say := func(id, verdict string) func(*bench) { return func(b *bench) { b.say(id, verdict, nil) } }
	remove := func(b *bench) {
		if _, err := b.Delete(t.Context(), p.ID, review.Signature{By: "owner"}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name                 string
		before, while, after []func(*bench)
		want                 catalog.Status
	}{
		{"accepted, and taken back", []func(*bench){learnt, say("a", review.Accept)}, nil, []func(*bench){say("a", review.Undo)}, catalog.Unconfirmed},
		{"accepted, and rejected on another photo", []func(*bench){learnt, say("a", review.Accept)}, nil, []func(*bench){say("b", review.Reject)}, catalog.Confirmed},
		{"rejected, and learnt again", []func(*bench){learnt, say("a", review.Reject)}, nil, []func(*bench){learnt}, catalog.Rejected},
		{"accepted while it moves", []func(*bench){learnt}, []func(*bench){say("a", review.Accept)}, nil, catalog.Confirmed},
		{"deleted while it moves", []func(*bench){learnt}, []func(*bench){remove}, []func(*bench){learnt}, catalog.Rejected},
		{"made while it moves", nil, []func(*bench){say("a", review.Accept)}, nil, catalog.Confirmed},
	}
	for _, test := range tests {
		b := open(t)
		for _, id := range []string{"a", "b"} {
			b.result(id, p)
		}
		of := p
		of.Shop = shop
		p.ID = of.Identify()
		for _, step := range test.before {
			step(b)
		}
		b.move()
		for _, step := range test.while {
			step(b)
		}
		m := b.move()
		if _, left, err := m.Drop(t.Context()); err != nil || left > 0 {
			t.Fatalf("Drop leaves %d, %v", left, err)
		}
		after := b.with(m.Space)
		for _, step := range test.after {
			step(after)
		}
		t.Log(test.name)
		after.is(p, test.want)
		if old, err := b.catalog.Named(t.Context(), shop, b.space.ID(), p.ProductName); err != nil || len(old) > 0 {
			t.Errorf("%s: in the space of the first model there is %v, %v; want nothing", test.name, old, err)
		}
	}
}

// While a catalogue moves, services of either model find each record, and each once; one that is changed
// is found by whoever changes it, and by all after another run.
func TestFoundInBothSpaces(t *testing.T) {
	b := open(t)
	p := tea("Onul")
	b.feed(catalog.Imported, fed("Onul", `,"price":10,"currency":"USD"`))
	b.result("a", p)
	m := b.move()
	other := b.with(m.Space)
	b.is(p, catalog.Imported)
	other.is(p, catalog.Imported)
	if all := b.sold(); all != "Onul 10USD imported" {
		t.Errorf("the shop has %q, want one record", all)
	}
	features := []string{"barley", "roasted"}
	price := func(price string) func() {
		return func() { b.feed(catalog.Imported, fed("Onul", `,"price":`+price+`,"currency":"USD"`)) }
	}
	for i, change := range []struct {
		do       func()
		embedded int
	}{
		{func() { b.say("a", review.Correct, &review.Fields{KeyFeatures: features}) }, 1},
		{price("8"), 1}, // the text by which it is searched has the corrected features
		{price("7"), 0},
	} {
		change.do()
		p.KeyFeatures = features
		b.is(p, catalog.Confirmed)
		if again, err := m.Run(t.Context()); err != nil || again.New != change.embedded {
			t.Errorf("change %d: Run again = %v, %v; want %d embedded", i, again, err, change.embedded)
		}
		other.is(p, catalog.Confirmed)
	}
}
