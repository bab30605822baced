package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"reflect"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// An ImportFile is a file of products that is sent, or that lies in a bucket or on the web.
type ImportFile struct {
	io.Reader        // nil if it lies elsewhere
	URI       string // gs://bucket/object, or an address on the web; "" if it is sent
	Name      string // the provenance of its products
	Shop      string // "" is the configured one
	Format    catalog.Format
	Status    catalog.Status
}

// Imports compares files with the catalogue and has them imported; its functions are nil if that is not
// configured.
type Imports struct {
	// Compare tells what an import of the file would do. It writes nothing.
	Compare func(ctx context.Context, file ImportFile, fault func(catalog.Fault), tell func(catalog.Difference)) error
	// Prune finds the records of earlier versions of the file, and removes them, as p says.
	Prune func(ctx context.Context, file ImportFile, fault func(catalog.Fault), p catalog.Prune) (catalog.Pruned, error)
	// Start stores a file that is sent, and has it imported by a task. It returns the import's ID.
	Start func(ctx context.Context, file ImportFile) (id string, err error)
	// State tells how far an import is, or returns jobs.ErrNotFound.
	State func(ctx context.Context, id string) (ImportState, error)
	// Reembed has a task move the catalogue to another embedding model. It returns the ID by which State tells of it.
	Reembed func(ctx context.Context, move Reembedding) (id string, err error)
	// Index has a task write the index of a shop, of all its products; nil where there is no bucket for it.
	Index func(ctx context.Context, shop string) error
}

// A Reembedding moves the catalogue from one embedding model to another.
type Reembedding struct {
	From string `json:"from"`
	To   string `json:"to"`
	Drop bool   `json:"drop,omitempty"` // afterwards remove the vectors of the first
}

var (
	importsOff = web.Code{Name: "imports_not_configured", Status: http.StatusNotImplemented, Cause: "The service has no topic for tasks, no catalogue, or no bucket for the index that is asked for."}
	badFile    = web.Code{Name: "bad_file", Status: http.StatusUnprocessableEntity, Cause: "The file cannot be read as products, or none was sent."}
)

// errNoImports is the error of a service that imports nothing.
var errNoImports = errors.New("imports are not configured")

// maxTold is how many differences, and how many faults, an answer lists.
const maxTold = 100

// An importPreview is what an import of a file would do.
type importPreview struct {
	Reading     catalog.Reading        `json:"reading"`
	Counts      map[catalog.Effect]int `json:"counts"`
	Differences []catalog.Difference   `json:"differences"` // the first 100
	LeftOut     int                    `json:"left_out"`    // rows
	Faults      []catalog.Fault        `json:"faults"`      // the first 100
}

// A startedImport is the ID of an import that a task does.
type startedImport struct {
	ID string `json:"id"`
}

// An ImportState is how far an import is, or what became of it.
type ImportState struct {
	ID              string     `json:"id"`
	State           jobs.State `json:"state"`         // working, done or failed
	URI             string     `json:"uri,omitempty"` // where the file lies, of an import that has ended
	catalog.Imports            // so far
	ImportFindings             // of an import that has ended
	Message         string     `json:"message,omitempty"` // why it failed
}

// ImportFindings are what an import has found of its file.
type ImportFindings struct {
	Reading *catalog.Reading `json:"reading,omitempty"`
	Faults  []catalog.Fault  `json:"faults,omitempty"`  // the first 100
	Dropped int              `json:"dropped,omitempty"` // records without their former vectors now, of a move to another embedding model
}

// Add adds a fault, if they are not too many.
func (i *ImportFindings) Add(f catalog.Fault) {
	if len(i.Faults) < maxTold {
		i.Faults = append(i.Faults, f)
	}
}

// A prunedFile is what a file no longer has.
type prunedFile struct {
	Records []prunedRecord  `json:"records"`  // the first 1,000
	InFile  int             `json:"in_file"`  // records that the file has
	Goes    int             `json:"goes"`     // records that are to be removed
	Kept    int             `json:"kept"`     // others that the file does not have: people have said something of them
	LeftOut int             `json:"left_out"` // rows, of which nobody knows whose records they are
	Removed int             `json:"removed"`
	Faults  []catalog.Fault `json:"faults"` // the first 100
}

// A prunedRecord is a record that a file no longer has.
type prunedRecord struct {
	ID          string `json:"id"`
	ProductName string `json:"product_name"`
	SKU         string `json:"sku,omitempty"`
	GTIN        string `json:"gtin,omitempty"`
	Kept        string `json:"kept,omitempty"` // why it stays
}

// A startedIndex says that a task writes an index.
type startedIndex struct {
	Started bool `json:"started"`
}

// maxPruned is how many records an answer lists.
const maxPruned = 1000

// imports is the part of the site by which owners bring files into the catalogue.
func (a *API) imports() web.Part {
	text, yes := web.Schema{Type: "string"}, web.Enum("true", "false")
	file := map[string]web.Schema{}
	for _, kind := range []string{"text/csv", "text/tab-separated-values", web.JSONMedia, linesMedia, "application/xml", "text/xml", "application/gzip", "application/octet-stream"} {
		file[kind] = web.Schema{Type: "string", Format: "binary"}
	}
	ofFile := []web.Parameter{
		web.InQuery("uri", "gs://bucket/object or https://shop.example/feed.xml, in place of a body", text), web.InQuery("name", "The file's name, which its records name as their provenance", text), inShop,
		web.InQuery("map", "COLUMN=FIELD: the column that holds a field, where the file's origin is not known; may be repeated", text), web.InQuery("currency", "Of prices that have none, as EUR", text), web.InQuery("decimal", "What separates decimals in prices that may be read in two ways", web.Enum("point", "comma")),
		web.InQuery("charset", "The file's character set, if it is not recognised", text), web.InQuery("status", "confirmed if you vouch for the file", web.Enum(string(catalog.Imported), string(catalog.Confirmed))),
		web.InQuery("restore", "true restores the lines of an export with their status, reviews and tombstones; only for your own file: it decides what is confirmed", yes),
	}
	ofReembedding := []web.Parameter{
		web.InQuery("from", "The embedding model that made the vectors", text), web.InQuery("to", "The embedding model to make the new ones", text),
		web.InQuery("drop", "true afterwards removes the vectors of the first; after the switch", yes),
	}
	return web.Part{
		Name: "imports", About: "Files of products for the catalogue",
		Routes: []web.Route{{
			ID: "importCatalog", Method: http.MethodPost, Path: "/catalog-imports", Do: a.importCatalog, Role: caller.Owner, Summary: "Import a shop's export, or see what an import would change",
			More: "The body is the file, up to 32 MiB. A larger one, or one that a shop writes anew from time to time, is named by uri: an object that the service account may read, or an address on the web, from which up to 256 MiB are fetched. With diff=true nothing is written: the answer says what the file was taken for, what is read from its columns, what would change and what is left out. Otherwise a task imports it, and GET /catalog-imports/{id} tells how far it is.",
			Parameters: append([]web.Parameter{
				web.InQuery("diff", "true only compares", yes),
				web.InQuery("pictures", "true fetches the first picture of each product that is on the web, once, so that searches by picture find it", yes),
			}, ofFile...),
			Body: file,
			Answers: []web.Reply{
				{Status: http.StatusOK, What: "What an import would do", Media: web.InJSON(web.Ref("ImportPreview"))},
				{Status: http.StatusAccepted, What: "A task imports it", Media: web.InJSON(web.Ref("StartedImport"))},
			},
			Problems: append([]web.Code{web.BadOption, web.TooManyBytes, objectNotFound, badFile, importsOff}, storeProblems...),
		}, {
			ID: "getCatalogImport", Method: http.MethodGet, Path: "/catalog-imports/{id}", Do: a.importState, Role: caller.Owner, Summary: "How far an import is, or what became of it",
			More:       "It is found once the task has begun, some seconds after it was started.",
			Parameters: []web.Parameter{web.InPath(resultID.String(), "2f8f43243e7d37d751a99e434dbcad91")},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "Its state", Media: web.InJSON(web.Ref("ImportState"))}},
			Problems:   append([]web.Code{resultNotFound, importsOff}, storeProblems...),
		}, {
			ID: "pruneCatalog", Method: http.MethodPost, Path: "/catalog-prune", Do: a.pruneCatalog, Role: caller.Owner, Summary: "Which records of a file's earlier versions a newer one no longer has; remove them",
			More: "The body is the newer file, or uri names it, as for an import. Nothing is removed without remove=true, and if rows of the file are left out only with anyway=true. What people have confirmed or reviewed stays.",
			Parameters: append([]web.Parameter{
				web.InQuery("of", "The name under which earlier versions were imported, if it was another, as products-*.csv; may be repeated", text),
				web.InQuery("remove", "true removes them", yes), web.InQuery("anyway", "true removes them also if rows of the file are left out", yes),
			}, ofFile...),
			Body:     file,
			Answers:  []web.Reply{{Status: http.StatusOK, What: "What it no longer has", Media: web.InJSON(web.Ref("PrunedFile"))}},
			Problems: append([]web.Code{web.BadOption, web.TooManyBytes, objectNotFound, badFile, importsOff}, storeProblems...),
		}, {
			ID: "reembedCatalog", Method: http.MethodPost, Path: "/catalog-reembed", Do: a.reembedCatalog, Role: caller.Owner, Summary: "Give the records of the service's shop the vectors of another embedding model, without downtime",
			More:       "The model is paid for each record that has no such vectors. GET /catalog-imports/{id} tells how far it is.",
			Parameters: ofReembedding,
			Answers:    []web.Reply{{Status: http.StatusAccepted, What: "A task does it", Media: web.InJSON(web.Ref("StartedImport"))}},
			Problems:   append([]web.Code{web.BadOption, importsOff}, storeProblems...),
		}, {
			ID: "indexCatalog", Method: http.MethodPost, Path: "/catalog-index", Do: a.indexCatalog, Role: caller.Owner, Summary: "Have the index of a shop, which searches begin with, written of all its products",
			More:       "Imports and tasks keep it; write it anew after the database was restored, or documents were deleted by other means.",
			Parameters: []web.Parameter{inShop},
			Answers:    []web.Reply{{Status: http.StatusAccepted, What: "A task writes it: instances that begin after it use it", Media: web.InJSON(web.Ref("StartedIndex"))}},
			Problems:   append([]web.Code{web.BadOption, importsOff}, storeProblems...),
		}},
		Codes: []web.Code{badFile, importsOff},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: catalog.ErrFile, Code: badFile}, web.Known{Err: errNoImports, Code: importsOff},
		),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"ImportPreview": reflect.TypeFor[importPreview](), "StartedImport": reflect.TypeFor[startedImport](), "ImportState": reflect.TypeFor[ImportState](),
				"PrunedFile": reflect.TypeFor[prunedFile](), "StartedIndex": reflect.TypeFor[startedIndex](),
			})
		},
	}
}

func (a *API) importCatalog(w http.ResponseWriter, r *http.Request) error {
	compares := r.URL.Query().Get("diff") == "true"
	if a.Imports.Compare == nil || a.Imports.Start == nil && !compares {
		return errNoImports
	}
	file, err := importOf(r)
	if err != nil {
		return err
	}
	if !compares {
		id, err := a.Imports.Start(r.Context(), file)
		if err == nil {
			web.WriteJSON(w, http.StatusAccepted, startedImport{id})
		}
		return err
	}
	p := importPreview{Counts: map[catalog.Effect]int{}, Differences: []catalog.Difference{}, Faults: []catalog.Fault{}}
	file.Format.Reading = func(of catalog.Reading) { p.Reading = of }
	err = a.Imports.Compare(r.Context(), file, func(f catalog.Fault) {
		if f.LeftOut {
			p.LeftOut++
		}
		if len(p.Faults) < maxTold {
			p.Faults = append(p.Faults, f)
		}
	}, func(d catalog.Difference) {
		if p.Counts[d.What]++; d.What != catalog.Same && len(p.Differences) < maxTold {
			p.Differences = append(p.Differences, d)
		}
	})
	if err == nil {
		web.WriteJSON(w, http.StatusOK, p)
	}
	return err
}

func (a *API) pruneCatalog(w http.ResponseWriter, r *http.Request) error {
	if a.Imports.Prune == nil {
		return errNoImports
	}
	file, err := importOf(r)
	if err != nil {
		return err
	}
	v := r.URL.Query()
	p := catalog.Prune{Of: v["of"], Removes: v.Get("remove") == "true", Anyway: v.Get("anyway") == "true"}
	if len(p.Of) == 0 {
		p.Of = []string{file.Name}
	}
	var findings ImportFindings
	found, err := a.Imports.Prune(r.Context(), file, findings.Add, p)
	if err != nil {
		return err
	}
	answer := prunedFile{Records: []prunedRecord{}, InFile: found.InFile, Goes: found.Goes, Kept: len(found.Records) - found.Goes, LeftOut: found.LeftOut, Removed: found.Removed, Faults: append([]catalog.Fault{}, findings.Faults...)}
	for _, one := range found.Records[:min(len(found.Records), maxPruned)] {
		answer.Records = append(answer.Records, prunedRecord{one.ID, one.ProductName, one.SKU, one.GTIN, one.Kept})
	}
	web.WriteJSON(w, http.StatusOK, answer)
	return nil
}

func (a *API) reembedCatalog(w http.ResponseWriter, r *http.Request) error {
	if a.Imports.Reembed == nil {
		return errNoImports
	}
	v := r.URL.Query()
	id, err := a.Imports.Reembed(r.Context(), Reembedding{From: v.Get("from"), To: v.Get("to"), Drop: v.Get("drop") == "true"})
	if err == nil {
		web.WriteJSON(w, http.StatusAccepted, startedImport{id})
	}
	return err
}

func (a *API) indexCatalog(w http.ResponseWriter, r *http.Request) error {
	if a.Imports.Index == nil {
		return fmt.Errorf("%w: there is no bucket for indexes (INDEX_BUCKET): each instance makes its own", errNoImports)
	}
	shop, _, err := recordsOf(r.URL.Query())
	if err == nil {
		err = a.Imports.Index(r.Context(), shop)
	}
	if err == nil {
		web.WriteJSON(w, http.StatusAccepted, startedIndex{true})
	}
	return err
}

func (a *API) importState(w http.ResponseWriter, r *http.Request) error {
	if a.Imports.State == nil {
		return errNoImports
	}
	id, err := web.PathID(r, resultID, jobs.ErrNotFound)
	if err != nil {
		return err
	}
	state, err := a.Imports.State(r.Context(), id)
	if err == nil {
		web.WriteJSON(w, http.StatusOK, state)
	}
	return err
}

// cutLast cuts text at the last separator.
func cutLast(text, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// importOf returns the file that a request sends or names.
func importOf(r *http.Request) (file ImportFile, err error) {
	v := r.URL.Query()
	file = ImportFile{Reader: r.Body, URI: v.Get("uri"), Name: path.Base("/" + v.Get("name")), Status: catalog.Status(v.Get("status"))}
	if file.Shop, _, err = recordsOf(v); err != nil {
		return file, err
	}
	file.Format = catalog.Format{Currency: strings.ToUpper(v.Get("currency")), Decimal: map[string]string{"point": ".", "comma": ","}[v.Get("decimal")], Charset: v.Get("charset"), Pictures: v.Get("pictures") == "true", Restore: v.Get("restore") == "true", Columns: map[string]string{}}
	for _, one := range v["map"] {
		column, field, ok := cutLast(one, "=")
		if !ok || file.Format.Columns[field] != "" {
			return file, fmt.Errorf("%w: map: want COLUMN=FIELD, and each field once", web.ErrOption)
		}
		file.Format.Columns[field] = column
	}
	switch {
	case file.Format.Currency != "" && !money.IsCurrency(file.Format.Currency):
		return file, fmt.Errorf("%w: currency: want a code of ISO 4217, as EUR", web.ErrOption)
	case v.Get("decimal") != "" && file.Format.Decimal == "":
		return file, fmt.Errorf("%w: decimal: want point or comma", web.ErrOption)
	case file.URI != "" && r.ContentLength > 0:
		return file, fmt.Errorf("%w: uri: leave it out, or the body", web.ErrOption)
	case file.URI == "" && r.ContentLength == 0:
		return file, fmt.Errorf("%w: it is empty: send the file, or name it by uri", catalog.ErrFile)
	case file.URI != "":
		file.Reader = nil
	}
	if catalog.IsWebAddress(file.URI) {
		file.Name = catalog.WithoutQuery(file.URI)
	} else if file.Name == "/" {
		file.Name = path.Base("/" + file.URI)
	}
	return file, nil
}
