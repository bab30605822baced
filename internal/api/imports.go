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
	// Start stores a file that is sent, and has it imported by a task. It returns the import's ID.
	Start func(ctx context.Context, file ImportFile) (id string, err error)
	// State tells how far an import is, or returns jobs.ErrNotFound.
	State func(ctx context.Context, id string) (ImportState, error)
}

var (
	importsOff = web.Code{Name: "imports_not_configured", Status: http.StatusNotImplemented, Cause: "The service has no topic for tasks, or no catalogue."}
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
	Message         string     `json:"message,omitempty"` // why it failed
}

// imports is the part of the site by which owners bring files into the catalogue.
func (a *API) imports() web.Part {
	text := web.Schema{Type: "string"}
	file := map[string]web.Schema{}
	for _, kind := range []string{"text/csv", "text/tab-separated-values", web.JSONMedia, linesMedia, "application/xml", "text/xml", "application/gzip", "application/octet-stream"} {
		file[kind] = web.Schema{Type: "string", Format: "binary"}
	}
	return web.Part{
		Name: "imports", About: "Files of products for the catalogue",
		Routes: []web.Route{{
			ID: "importCatalog", Method: http.MethodPost, Path: "/catalog-imports", Do: a.importCatalog, Role: caller.Owner, Summary: "Import a shop's export, or see what an import would change",
			More: "The body is the file, up to 32 MiB. A larger one, or one that a shop writes anew from time to time, is named by uri: an object that the service account may read, or an address on the web, from which up to 256 MiB are fetched. With diff=true nothing is written: the answer says what the file was taken for, what is read from its columns, what would change and what is left out. Otherwise a task imports it, and GET /catalog-imports/{id} tells how far it is.",
			Parameters: []web.Parameter{
				web.InQuery("diff", "true only compares", web.Enum("true", "false")),
				web.InQuery("uri", "gs://bucket/object or https://shop.example/feed.xml, in place of a body", text), web.InQuery("name", "The file's name, which its records name as their provenance", text), inShop,
				web.InQuery("map", "COLUMN=FIELD: the column that holds a field, where the file's origin is not known; may be repeated", text), web.InQuery("currency", "Of prices that have none, as EUR", text), web.InQuery("decimal", "What separates decimals in prices that may be read in two ways", web.Enum("point", "comma")),
				web.InQuery("charset", "The file's character set, if it is not recognised", text), web.InQuery("status", "confirmed if you vouch for the file", web.Enum(string(catalog.Imported), string(catalog.Confirmed))),
				web.InQuery("pictures", "true fetches the first picture of each product that is on the web, once, so that searches by picture find it", web.Enum("true", "false")),
			},
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
		}},
		Codes: []web.Code{badFile, importsOff},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: catalog.ErrFile, Code: badFile}, web.Known{Err: errNoImports, Code: importsOff},
		),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"ImportPreview": reflect.TypeFor[importPreview](), "StartedImport": reflect.TypeFor[startedImport](), "ImportState": reflect.TypeFor[ImportState](),
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
	file.Format = catalog.Format{Currency: strings.ToUpper(v.Get("currency")), Decimal: map[string]string{"point": ".", "comma": ","}[v.Get("decimal")], Charset: v.Get("charset"), Pictures: v.Get("pictures") == "true", Columns: map[string]string{}}
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
