// Package index is what a shop sells as one SQLite file: words, filters, orders, counts and pages of a
// search are SQL, and vectors are compared here, exact and without a read of Firestore.
//
//	Firestore → Put, Delete → products, what they have, words, vectors → Find, Compare, Count, Values, Suggest
//
// The file is derived. It says of which database and shop it is, and up to which change of the catalogue:
// what came later is put over it, any number of times. An instance has its own copy, which is written
// only there; Snapshot writes the file that other instances begin with.
//
// A product's values are kept by facet and folded value, its words as Tokens makes them: FTS5 splits at
// spaces and knows no language. Of each product what a list shows is in the file, too, so that no
// document is read for a page.
package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// format changes with the tables and with Tokens: a file of another format is made anew.
const format = "2"

const tables = `
create table about(key text primary key, value text not null) without rowid;
create table products(
	id integer primary key, doc text not null unique, name text not null, sku text not null, name_key text not null, sku_key text not null, gtin text not null,
	currency text not null, price real not null, created integer not null, sold_out integer not null, in_stock integer not null, variant text not null, shown text not null);
create index products_name on products(name_key);
create index products_sku on products(sku_key);
create index products_gtin on products(gtin) where gtin != '';
create index products_variant on products(variant);
create table vectors(product integer primary key, text blob, picture blob);
create table vals(id integer primary key, facet text not null, key text not null, name text not null, unique(facet, key));
create table has(val integer not null, product integer not null, primary key(val, product)) without rowid;
create index has_product on has(product, val);
create virtual table words using fts5(names, texts, content='', contentless_delete=1, detail=column, prefix='2 3', tokenize="ascii tokenchars '+#.,/-'");
create virtual table terms using fts5vocab(words, row);
`

// An Index is a shop's products for sale. It is safe for concurrent use.
type Index struct {
	db      *sql.DB
	path    string
	space   string // of its vectors
	version atomic.Int64
	memory  memory
}

// An About says what an index is of.
type About struct {
	Database string    // the Firestore database
	Shop     string    //
	Space    string    // the ID of the space of the vectors
	Until    time.Time // changes of the catalogue before this are in it
}

// ErrOther is the error for a file of another database, shop, embedding model or format.
var ErrOther = errors.New("index: the file is of another database, shop, embedding model or format")

// Create makes an empty index at a path.
func Create(ctx context.Context, path string, of About) (*Index, error) {
	x, err := open(path, of)
	if err != nil {
		return nil, err
	}
	if _, err := x.db.ExecContext(ctx, tables); err != nil {
		return nil, errors.Join(fmt.Errorf("index: create: %w", err), x.Close())
	}
	if err := x.setAbout(ctx, of); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Open opens the file at a path. One that is of something else than wanted gives ErrOther.
func Open(ctx context.Context, path string, wanted About) (*Index, error) {
	x, err := open(path, wanted)
	if err != nil {
		return nil, err
	}
	is, err := x.about(ctx)
	if err != nil || is["format"] != format || is["database"] != wanted.Database || is["shop"] != wanted.Shop || is["space"] != wanted.Space {
		return nil, errors.Join(ErrOther, err, x.Close())
	}
	return x, nil
}

// open opens the file at a path without a journal on disk: the file is a copy, and a broken one is made anew.
func open(path string, of About) (*Index, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=journal_mode(memory)&_pragma=synchronous(off)&_pragma=cache_size(-8000)&_pragma=temp_store(memory)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, fmt.Errorf("index: open: %w", err)
	}
	db.SetMaxOpenConns(4)
	return &Index{db: db, path: path, space: of.Space}, nil
}

// Version is another number after each change of the products.
func (x *Index) Version() int64 { return x.version.Load() }

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

func (x *Index) about(ctx context.Context) (map[string]string, error) {
	is := map[string]string{}
	err := x.each(ctx, func(scan func(...any) error) error {
		var key, value string
		err := scan(&key, &value)
		is[key] = value
		return err
	}, "select key, value from about")
	return is, err
}

func (x *Index) setAbout(ctx context.Context, of About) error {
	_, err := x.db.ExecContext(ctx, "replace into about values('format', ?), ('database', ?), ('shop', ?), ('space', ?), ('until', ?)", format, of.Database, of.Shop, of.Space, of.Until.UTC().Format(time.RFC3339Nano))
	if err != nil {
		return fmt.Errorf("index: write: %w", err)
	}
	return nil
}

// Until returns up to which change of the catalogue the index is.
func (x *Index) Until(ctx context.Context) (time.Time, error) {
	is, err := x.about(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, is["until"])
}

// SetUntil records that changes of the catalogue before that time are in the index.
func (x *Index) SetUntil(ctx context.Context, at time.Time) error {
	_, err := x.db.ExecContext(ctx, "replace into about values('until', ?)", at.UTC().Format(time.RFC3339Nano))
	return err
}

// Snapshot writes the index as it is, and no half of a change, to a new file at a path.
func (x *Index) Snapshot(ctx context.Context, path string) error {
	if _, err := x.db.ExecContext(ctx, "vacuum into ?", path); err != nil {
		return fmt.Errorf("index: snapshot: %w", err)
	}
	return nil
}

// A shown is what a list shows of a product.
type shown struct {
	Name         string               `json:"n"`
	Brand        string               `json:"b,omitempty"`
	Category     string               `json:"c,omitempty"`
	Features     []string             `json:"k,omitempty"`
	GTIN         string               `json:"g,omitempty"`
	Status       catalog.Status       `json:"s,omitempty"`
	SKU          string               `json:"u,omitempty"`
	Description  string               `json:"d,omitempty"`
	Price        catalog.Price        `json:"p"`
	Availability catalog.Availability `json:"a,omitempty"`
	Stock        *int                 `json:"q,omitempty"`
	ImageURI     string               `json:"i,omitempty"`
	VariantOf    string               `json:"v,omitempty"`
	Facets       map[string]string    `json:"f,omitempty"`
	Created      time.Time            `json:"t,omitzero"`
	Aliases      []string             `json:"w,omitempty"` // these and the next are only found
	BrandAliases []string             `json:"x,omitempty"`
}

// product returns a product of which a list shows that.
func (s shown) product(shop, id string) catalog.Product {
	return catalog.Product{
		ID: id, Shop: shop, ProductName: s.Name, Brand: s.Brand, Category: s.Category, KeyFeatures: s.Features, GTIN: s.GTIN, Status: s.Status, SKU: s.SKU, Description: s.Description,
		Price: s.Price, Availability: s.Availability, Stock: s.Stock, ImageURI: s.ImageURI, VariantOf: s.VariantOf, Facets: s.Facets, CreatedAt: s.Created,
	}
}

// Put adds products, or replaces those that have changed. Those that are not for sale are removed.
func (x *Index) Put(ctx context.Context, products ...catalog.Product) error {
	return x.write(ctx, func(w *writer) error {
		for _, p := range products {
			p = american(p)
			row, vectors := rowOf(p), packedOf(p, x.space)
			same, err := w.id("select id from products p join vectors v on v.product = p.id where doc = ? and shown = ? and v.text is ? and v.picture is ?", p.ID, row, vectors[0], vectors[1])
			if err != nil {
				return err
			}
			if same > 0 && p.Sold() {
				continue
			}
			id, err := w.remove(p.ID)
			if err != nil {
				return err
			}
			if !p.Sold() {
				continue
			}
			if err := w.add(id, p, row, vectors); err != nil {
				return fmt.Errorf("%s: %w", p.ID, err)
			}
		}
		return nil
	})
}

// Delete removes products by their IDs. Missing ones are no error.
func (x *Index) Delete(ctx context.Context, ids ...string) error {
	return x.write(ctx, func(w *writer) error {
		for _, id := range ids {
			if _, err := w.remove(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// A key is a folded value of a facet.
type key struct{ facet, folded string }

// A writer writes within one transaction. It prepares each statement once.
type writer struct {
	ctx   context.Context
	tx    *sql.Tx
	known map[string]*sql.Stmt
	vals  map[key]int64

	written map[int64]compared // by number; without an ID it is removed
}

func (x *Index) write(ctx context.Context, with func(*writer) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("index: write: %w", err)
	}
	defer tx.Rollback() // after a commit this does nothing
	w := &writer{ctx: ctx, tx: tx, known: map[string]*sql.Stmt{}, vals: map[key]int64{}, written: map[int64]compared{}}
	if err := with(w); err != nil {
		return fmt.Errorf("index: write: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("index: write: %w", err)
	}
	if len(w.written) > 0 {
		x.memory.update(w.written)
		x.version.Add(1)
	}
	return nil
}

func (w *writer) prepared(query string) (*sql.Stmt, error) {
	if s := w.known[query]; s != nil {
		return s, nil
	}
	s, err := w.tx.PrepareContext(w.ctx, query)
	w.known[query] = s
	return s, err
}

func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	s, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(w.ctx, args...)
}

// id returns the number that a query selects, 0 if it selects none.
func (w *writer) id(query string, args ...any) (id int64, err error) {
	s, err := w.prepared(query)
	if err != nil {
		return 0, err
	}
	if err = s.QueryRowContext(w.ctx, args...).Scan(&id); errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// remove removes a product, if it is there, and returns its number.
func (w *writer) remove(doc string) (int64, error) {
	id, err := w.id("select id from products where doc = ?", doc)
	if err != nil || id == 0 {
		return 0, err
	}
	w.written[id] = compared{}
	for _, from := range []string{"delete from products where id = ?", "delete from vectors where product = ?", "delete from has where product = ?", "delete from words where rowid = ?"} {
		if _, err := w.exec(from, id); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// american returns a product whose colour is its color, as the vocabularies of shops call that facet.
func american(p catalog.Product) catalog.Product {
	for _, name := range []string{"colour", "Colour", "Color"} {
		if value := p.Facets[name]; value != "" && p.Facets["color"] == "" {
			p.Facets = maps.Clone(p.Facets)
			delete(p.Facets, name)
			p.Facets["color"] = value
		}
	}
	return p
}

// rowOf returns what the file has of a product.
func rowOf(p catalog.Product) string {
	data, _ := json.Marshal(shown{p.ProductName, p.Brand, p.Category, p.KeyFeatures, p.GTIN, p.Status, p.SKU, p.Description, p.Price, p.Availability, p.Stock, p.ImageURI, p.VariantOf, p.Facets, p.CreatedAt, p.Aliases, p.BrandAliases}) // cannot fail: the values are texts and finite numbers
	return string(data)
}

// add adds a product, under the number that it had before if that is not 0.
func (w *writer) add(number int64, p catalog.Product, row string, vectors [2][]byte) error {
	variant, ok := p.VariantKey()
	if !ok {
		variant = p.ID
	}
	price := p.Price
	if !price.Known() {
		price = catalog.Price{}
	}
	done, err := w.exec("insert into products(id, doc, name, sku, name_key, sku_key, gtin, currency, price, created, sold_out, in_stock, variant, shown) values(nullif(?, 0),?,?,?,?,?,?,?,?,?,?,?,?,?)",
		number, p.ID, p.ProductName, p.SKU, textfold.Name(p.ProductName), textfold.Name(p.SKU), p.GTIN, price.Currency, price.Amount, p.CreatedAt.UnixMicro(),
		p.Availability == catalog.OutOfStock, p.Availability == catalog.InStock, variant, row)
	if err != nil {
		return err
	}
	id, _ := done.LastInsertId()
	w.written[id] = compared{p.ID, vectors}
	if _, err := w.exec("insert into vectors values(?, ?, ?)", id, vectors[0], vectors[1]); err != nil {
		return err
	}
	values := p.Values()
	for facet, held := range values {
		for _, name := range held {
			if err := w.have(id, key{facet, textfold.Name(name)}, name); err != nil {
				return err
			}
		}
	}
	names, texts := wordsOf(p, values)
	_, err = w.exec("insert into words(rowid, names, texts) values(?, ?, ?)", id, names, texts)
	return err
}

// have records that a product has a value.
func (w *writer) have(product int64, of key, name string) (err error) {
	if of.folded == "" {
		return nil
	}
	id, known := w.vals[of]
	if !known {
		if id, err = w.id("select id from vals where facet = ? and key = ?", of.facet, of.folded); err != nil {
			return err
		}
		if id == 0 {
			done, err := w.exec("insert into vals(facet, key, name) values(?, ?, ?)", of.facet, of.folded, name)
			if err != nil {
				return err
			}
			id, _ = done.LastInsertId()
		}
		w.vals[of] = id
	}
	_, err = w.exec("insert or ignore into has values(?, ?)", id, product)
	return err
}

// wordsOf returns the tokens of what a product is called, and of what else is said of it, between spaces.
func wordsOf(p catalog.Product, values map[string][]string) (names, texts string) {
	row := func(all ...string) string {
		var tokens []string
		for _, text := range all {
			tokens = append(tokens, Tokens(text)...)
		}
		return strings.Join(append(tokens, Apart(tokens)...), " ")
	}
	called := append([]string{p.ProductName, p.Brand, p.SKU}, slices.Concat(p.Aliases, p.BrandAliases)...)
	said := append([]string{p.Category, p.Description}, p.KeyFeatures...)
	for _, held := range values {
		said = append(said, strings.ReplaceAll(strings.Join(held, " "), "_", " "))
	}
	names = row(called...)
	if sku := textfold.Name(p.SKU); sku != "" {
		names += " " + sku
	}
	return names, row(said...)
}

// each calls read for each row of a query.
func (x *Index) each(ctx context.Context, read func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("index: query: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return fmt.Errorf("index: query: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("index: query: %w", err)
	}
	return nil
}
