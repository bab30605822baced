package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// records is the part of the site by which owners of the catalogue read and change its
// records.
func (a *API) records() web.Part {
	path, record := web.InPath(productID.String(), "2f8f43243e7d37d751a99e434dbcad91"), web.InJSON(web.Ref("CatalogRecord"))
	by := web.InQuery("by", "Who does it, where the service does not know", web.Schema{Type: "string"})
	inStatus := web.InQuery("status", "How far they are trusted; rejected are what is left of records that people rejected or deleted", web.Enum(string(catalog.Confirmed), string(catalog.Imported), string(catalog.Unconfirmed), string(catalog.Rejected)))
	onRecord := append([]web.Code{recordAbsent, reviewsOff}, storeProblems...)
	return web.Part{
		Name: "catalog", About: "The catalogue's records, for whoever owns it",
		Routes: []web.Route{
			{
				ID: "listCatalogRecords", Method: http.MethodGet, Path: "/catalog", Do: a.listRecords, Role: caller.Reader, Summary: "The catalogue's records: those that words or a GTIN bring, else what was made last first",
				More: "q brings those with that name, GTIN or SKU, then those that begin with it, then similar ones, which costs one embedding. While next is there, send it as after to get the next page.",
				Parameters: append([]web.Parameter{
					web.InQuery("q", "A name or how it begins, a GTIN, an SKU, or words", web.Schema{Type: "string"}),
					inStatus,
					web.InQuery("brand", "All of a brand, in any spelling; without q and gtin", web.Schema{Type: "string"}),
					web.InQuery("gtin", "none: those without; without brand", web.Enum("none")),
					inShop,
				}, inPage(catalog.MaxPage)...),
				Answers:  []web.Reply{{Status: http.StatusOK, What: "A page of them", Media: web.InJSON(web.Ref("CatalogPage"))}},
				Problems: slices.Concat([]web.Code{web.BadCursor, web.BadOption, reviewsOff}, storeProblems, modelProblems),
			},
			{
				ID: "getCatalogStats", Method: http.MethodGet, Path: "/catalog-stats", Do: a.catalogStats, Role: caller.Reader, Summary: "How many records a shop has, by status and by embedding model",
				More:       "To see how much of a catalogue can be searched: records of another embedding model are not compared.",
				Parameters: []web.Parameter{inShop},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The numbers", Media: web.InJSON(web.Ref("CatalogStats"))}},
				Problems:   append([]web.Code{web.BadOption, reviewsOff}, storeProblems...),
			},
			{
				ID: "exportCatalog", Method: http.MethodGet, Path: "/catalog-export", Do: a.exportRecords, Role: caller.Owner, Summary: "All records of a shop, a line of JSON each, as an import restores them",
				More:       "Without vectors, which an import makes again. If it fails on the way, the connection is cut: an answer that ends is whole. As CSV they are a table of products, which is read as any other: without what people said of them.",
				Parameters: []web.Parameter{inShop, inStatus, web.InQuery("format", "How they are written", web.Enum("json", "csv"))},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The records ordered by ID, then what is left of rejected ones; it names people and, by their SHA-256, photos", Media: map[string]web.Schema{linesMedia: {Type: "string"}, "text/csv": {Type: "string"}}}},
				Problems:   append([]web.Code{web.BadOption, reviewsOff}, storeProblems...),
			},
			{
				ID: "getCatalogRecord", Method: http.MethodGet, Path: "/catalog/{id}", Do: a.oneRecord, Role: caller.Reader, Summary: "A record, and where it comes from",
				More:       "With its status, and the photos, results and files that it comes from.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The record", Media: record}}, Problems: onRecord,
			},
			{
				ID: "getCatalogRecordActs", Method: http.MethodGet, Path: "/catalog/{id}/acts", Do: a.recordActs, Role: caller.Reader, Summary: "Who did what to a record, with what it was before and after; it stays when the record is gone",
				More:       "All that is kept, the newest 50.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "What was done, oldest first", Media: web.InJSON(web.Ref("Acts"))}}, Problems: onRecord,
			},
			{
				ID: "confirmCatalogRecord", Method: http.MethodPost, Path: "/catalog/{id}/confirm", Do: a.confirmRecord, Role: caller.Reviewer, Summary: "Vouch for a record: it decides by its code alone",
				More:       "Photos that show its code are then named after it. Undoing a review does not revoke that.",
				Parameters: []web.Parameter{path},
				Body:       web.InJSON(web.Ref("Confirmation")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The record", Media: record}}, Problems: append([]web.Code{web.BadBody, web.TooManyBytes, badReview}, onRecord...),
			},
			{
				ID: "editCatalogRecord", Method: http.MethodPatch, Path: "/catalog/{id}", Do: a.editRecord, Role: caller.Owner, Summary: "Change what a record says, or hide it from searches",
				More:       "Fields that are left out stay. A changed name, brand, category or GTIN is confirmed by it, so that imports keep it. A hidden product is recognised on photos and found by no search, whatever a file says, until hidden is false. Its vectors follow with the next import.",
				Parameters: []web.Parameter{path},
				Body:       web.InJSON(web.Ref("CatalogEdit")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The record", Media: record}}, Problems: append([]web.Code{web.BadBody, web.TooManyBytes, badReview}, onRecord...),
			},
			{
				ID: "mergeCatalogRecord", Method: http.MethodPost, Path: "/catalog/{id}/merge", Do: a.mergeRecord, Role: caller.Owner, Summary: "Make one record of two",
				More:       "The record named by into gets the names of this one as aliases, and its code if it has none; this one is deleted. A file that has it brings it back: hide it, or take it out of the file.",
				Parameters: []web.Parameter{path},
				Body:       web.InJSON(web.Ref("CatalogMerge")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The record that stays", Media: record}}, Problems: append([]web.Code{web.BadBody, web.TooManyBytes, badReview}, onRecord...),
			},
			{
				ID: "renameCatalogBrand", Method: http.MethodPost, Path: "/catalog-brands/rename", Do: a.renameBrand, Role: caller.Owner, Summary: "Give a brand another name on all its records",
				More:       "Each is edited, and confirmed by it, so that imports keep the name. At most some hundreds are changed at once: ask again while more is true.",
				Parameters: []web.Parameter{inShop},
				Body:       web.InJSON(web.Ref("BrandRename")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "How many were changed", Media: web.InJSON(web.Ref("RenamedBrand"))}}, Problems: append([]web.Code{web.BadBody, web.BadOption, web.TooManyBytes, badReview, reviewsOff}, storeProblems...),
			},
			{
				ID: "deleteCatalogRecord", Method: http.MethodDelete, Path: "/catalog/{id}", Do: a.deleteRecord, Role: caller.Owner, Summary: "Remove a record; what was learnt is not learnt again",
				More:       "A learnt record leaves a tombstone without content, so that it is not learnt again; an imported one leaves nothing, and the next import brings it back. Whose confirmation it overrules is answered; what people said of photos still stands.",
				Parameters: []web.Parameter{path, by},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "It is gone", Media: web.InJSON(web.Ref("Deleted"))}}, Problems: onRecord,
			},
		},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: review.ErrRecord, Code: recordAbsent},
			web.Known{Err: review.ErrPlace, Code: web.BadCursor},
		),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"CatalogRecord": reflect.TypeFor[catalogRecord](), "CatalogPage": reflect.TypeFor[catalogPage](),
				"Confirmation": reflect.TypeFor[confirmation](), "CatalogEdit": reflect.TypeFor[recordEdit](), "CatalogMerge": reflect.TypeFor[recordMerge](),
				"BrandRename": reflect.TypeFor[brandRename](), "RenamedBrand": reflect.TypeFor[renamedBrand](), "Deleted": reflect.TypeFor[deletedRecord](), "CatalogStats": reflect.TypeFor[catalog.Stats](),
			})
		},
	}
}

// A catalogRecord is a catalogue record as its owner sees it.
type catalogRecord struct {
	ID          string    `json:"id"`
	ProductName string    `json:"product_name"`
	Brand       string    `json:"brand"`
	Category    string    `json:"category"`
	KeyFeatures []string  `json:"key_features"`
	GTIN        string    `json:"gtin,omitempty"`
	SKU         string    `json:"sku,omitempty"`
	Country     string    `json:"country"`
	Lang        string    `json:"lang"`
	Status      string    `json:"status"`                 // confirmed, imported or unconfirmed
	Source      string    `json:"source"`                 // import, google_search, review, …
	Provenance  []string  `json:"provenance"`             // the photos, results and files it comes from
	Probability float64   `json:"probability,omitempty"`  // of the recognition it was learnt from
	ConfirmedBy string    `json:"confirmed_by,omitempty"` // who confirmed it
	Hidden      bool      `json:"hidden,omitempty"`       // by its owner, from searches
	Verified    bool      `json:"confirmed_by_verified"`  // whether the service knew who that was
	Before      string    `json:"before,omitempty"`       // its status before the first review; new if a review created it
	Embedders   []string  `json:"embedders"`
	CreatedAt   time.Time `json:"created_at"`
}

func recordOf(p catalog.Product) catalogRecord {
	r := catalogRecord{
		ID: p.ID, ProductName: p.ProductName, Brand: p.Brand, Category: p.Category, KeyFeatures: append([]string{}, p.KeyFeatures...), GTIN: p.GTIN, SKU: p.SKU,
		Country: p.Country, Lang: p.Lang, Status: string(p.Status), Source: p.Source, Provenance: append([]string{}, p.Provenance...),
		Probability: p.Probability, ConfirmedBy: p.ConfirmedBy, Hidden: p.Hidden, Verified: p.ConfirmedVerified, Embedders: append([]string{}, p.Embedders()...), CreatedAt: p.CreatedAt,
	}
	switch {
	case p.Base != nil:
		r.Before = string(p.Base.Status)
	case p.Reviewed:
		r.Before = "new"
	}
	return r
}

// A catalogPage is a page of records.
type catalogPage struct {
	Records []catalogRecord `json:"records"`
	Next    string          `json:"next,omitempty"` // the cursor of the next page, for after
	Note    string          `json:"note,omitempty"` // what to do, of a list without entries
}

// A confirmation names the person who confirms a record, where the service does not know.
type confirmation struct {
	By string `json:"by,omitempty"`
}

// A recordEdit is what an owner changes of a record.
type recordEdit struct {
	ProductName *string `json:"product_name,omitempty"`
	Brand       *string `json:"brand,omitempty"`
	Category    *string `json:"category,omitempty"`
	GTIN        *string `json:"gtin,omitempty"`   // "" removes it
	Hidden      *bool   `json:"hidden,omitempty"` // from searches, whatever a file says
	By          string  `json:"by,omitempty"`     // who does it, where the service does not know
}

// A recordMerge names the record that another becomes a part of.
type recordMerge struct {
	Into string `json:"into"`
	By   string `json:"by,omitempty"` // who does it, where the service does not know
}

// A brandRename gives a brand another name.
type brandRename struct {
	From string `json:"from"` // in any spelling
	To   string `json:"to"`
	By   string `json:"by,omitempty"` // who does it, where the service does not know
}

// A renamedBrand says how many records have another brand now.
type renamedBrand struct {
	Changed int  `json:"changed"`
	More    bool `json:"more"` // there are others: ask again
}

// A deletedRecord is the answer to the removal of a record.
type deletedRecord struct {
	ID string `json:"id"`
	catalog.Deletion
}

// maxWords is the longest query for records, in bytes.
const maxWords = 200

func (a *API) listRecords(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	q := review.Search{Words: v.Get("q"), Brand: v.Get("brand"), NoGTIN: v.Get("gtin") == "none"}
	switch {
	case len(q.Words) > maxWords || len(q.Brand) > maxWords:
		return fmt.Errorf("%w: q or brand is too long: want %d bytes at most", web.ErrOption, maxWords)
	case q.Brand != "" && (q.Words != "" || q.NoGTIN):
		return fmt.Errorf("%w: brand: want no q and no gtin beside it", web.ErrOption)
	case v.Get("gtin") != "" && !q.NoGTIN:
		return fmt.Errorf("%w: gtin: want none; q finds the record of a code", web.ErrOption)
	}
	var err error
	if q.Shop, q.Status, err = recordsOf(v); err != nil {
		return err
	}
	if q.After, q.Limit, err = pageOf(v, catalog.MaxPage); err != nil {
		return err
	}
	reviews, err := a.reviewService(r.Context())
	if err != nil {
		return err
	}
	found, next, err := reviews.Browse(r.Context(), q)
	if err != nil {
		return err
	}
	empty := "the shop has no records yet: whatisit catalog import FILE brings its products, and photos that are identified by a search add theirs"
	if q.Words != "" || q.Status != "" || q.Brand != "" || q.NoGTIN {
		empty = "no record is as asked: leave out q, status, brand or gtin, or name another shop"
	}
	page := catalogPage{Records: []catalogRecord{}, Next: next, Note: noteOf(len(found), q.After, empty)}
	for _, p := range found {
		page.Records = append(page.Records, recordOf(p))
	}
	web.WriteJSON(w, http.StatusOK, page)
	return nil
}

// recordsOf returns the shop and the status of the records that a request is about, "" for the
// configured shop and for any status.
func recordsOf(v url.Values) (shop string, status catalog.Status, err error) {
	shop, status = v.Get("shop"), catalog.Status(v.Get("status"))
	switch {
	case len(shop) > maxWords:
		return "", "", fmt.Errorf("%w: shop is too long: want %d bytes at most", web.ErrOption, maxWords)
	case status != "" && !slices.Contains([]catalog.Status{catalog.Confirmed, catalog.Imported, catalog.Unconfirmed, catalog.Rejected}, status):
		return "", "", fmt.Errorf("%w: status %q: want confirmed, imported, unconfirmed or rejected", web.ErrOption, usererror.Short(string(status), usererror.Quoted))
	}
	return shop, status, nil
}

func (a *API) catalogStats(w http.ResponseWriter, r *http.Request) error {
	shop, _, err := recordsOf(r.URL.Query())
	if err != nil {
		return err
	}
	reviews, err := a.reviewService(r.Context())
	if err != nil {
		return err
	}
	stats, err := reviews.Catalog.Stats(r.Context(), cmp.Or(shop, reviews.Shop))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, stats)
	return nil
}

// linesMedia is the media type of JSON Lines.
const linesMedia = "application/x-ndjson"

// exportRecords answers with the records of a shop as lines of JSON, or as a table.
func (a *API) exportRecords(w http.ResponseWriter, r *http.Request) error {
	shop, status, err := recordsOf(r.URL.Query())
	if err != nil {
		return err
	}
	kind, asTable, err := formatOf(r)
	if err != nil {
		return err
	}
	if !asTable {
		kind = linesMedia
	}
	reviews, err := a.reviewService(r.Context())
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", kind)
		return nil
	}
	out := &download{ResponseWriter: w, kind: kind}
	if shop = cmp.Or(shop, reviews.Shop); asTable {
		err = reviews.Catalog.WriteCSV(r.Context(), out, shop, status)
	} else {
		err = writeRecords(out, reviews.Catalog.Exported(r.Context(), shop, status))
	}
	if err != nil && out.begun {
		return cut(w)
	}
	return err
}

// writeRecords writes a line of JSON for each record.
func writeRecords(w io.Writer, records iter.Seq2[catalog.Product, error]) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for p, err := range records {
		if err == nil {
			err = lines.Encode(p.Export())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownRecord returns the review service, and the record ID in the request's path.
func (a *API) ownRecord(r *http.Request) (*review.Service, string, error) {
	id, err := web.PathID(r, productID, review.ErrRecord)
	if err != nil {
		return nil, "", err
	}
	reviews, err := a.reviewService(r.Context())
	return reviews, id, err
}

func (a *API) oneRecord(w http.ResponseWriter, r *http.Request) error {
	reviews, id, err := a.ownRecord(r)
	if err != nil {
		return err
	}
	p, err := reviews.Record(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, recordOf(p))
	return nil
}

// recordActs answers with what was done to a record, which may be gone.
func (a *API) recordActs(w http.ResponseWriter, r *http.Request) error {
	reviews, id, err := a.ownRecord(r)
	if err != nil {
		return err
	}
	return writeActs(w, r, reviews, id)
}

// actOn reads what is to be done to the record in the request's path, called what and as in the example, has
// it done, and answers with the record as it is then.
func actOn[T any](a *API, w http.ResponseWriter, r *http.Request, what, example string, do func(of *review.Service, id string, asked T) (catalog.Product, error)) error {
	var asked T
	if err := web.ReadJSON(w, r, maxReview, &asked, what, example); err != nil {
		return err
	}
	reviews, id, err := a.ownRecord(r)
	if err != nil {
		return err
	}
	p, err := do(reviews, id, asked)
	if err == nil {
		web.WriteJSON(w, http.StatusOK, recordOf(p))
	}
	return err
}

func (a *API) confirmRecord(w http.ResponseWriter, r *http.Request) error {
	return actOn(a, w, r, "confirmation", `{"by":"kim"}`, func(of *review.Service, id string, said confirmation) (catalog.Product, error) {
		return of.Confirm(r.Context(), id, signed(r, said.By))
	})
}

func (a *API) editRecord(w http.ResponseWriter, r *http.Request) error {
	return actOn(a, w, r, "edit", `{"hidden":true,"by":"kim"}`, func(of *review.Service, id string, e recordEdit) (catalog.Product, error) {
		return of.Edit(r.Context(), id, catalog.Edit{ProductName: e.ProductName, Brand: e.Brand, Category: e.Category, GTIN: e.GTIN, Hidden: e.Hidden}, signed(r, e.By))
	})
}

func (a *API) mergeRecord(w http.ResponseWriter, r *http.Request) error {
	return actOn(a, w, r, "merge", `{"into":"2f8f43243e7d37d751a99e434dbcad91","by":"kim"}`, func(of *review.Service, id string, m recordMerge) (catalog.Product, error) {
		return of.Merge(r.Context(), id, m.Into, signed(r, m.By))
	})
}

func (a *API) renameBrand(w http.ResponseWriter, r *http.Request) error {
	var b brandRename
	if err := web.ReadJSON(w, r, maxReview, &b, "rename", `{"from":"Acme Inc","to":"Acme","by":"kim"}`); err != nil {
		return err
	}
	shop, _, err := recordsOf(r.URL.Query())
	if err != nil {
		return err
	}
	reviews, err := a.reviewService(r.Context())
	if err != nil {
		return err
	}
	changed, more, err := reviews.RenameBrand(r.Context(), shop, b.From, b.To, signed(r, b.By))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, renamedBrand{changed, more})
	return nil
}

func (a *API) deleteRecord(w http.ResponseWriter, r *http.Request) error {
	reviews, id, err := a.ownRecord(r)
	if err != nil {
		return err
	}
	done, err := reviews.Delete(r.Context(), id, signed(r, r.URL.Query().Get("by")))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, deletedRecord{id, done})
	return nil
}
