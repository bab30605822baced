// Package gtindirectory looks GTINs up in a public directory of products: the API of Open
// Food Facts, or of one of its siblings.
//
//	GTIN-14 → looked up within a day? → rate limit → GET /api/v2/product/CODE.json → the record, or none
//
// The data is under the Open Database License: publications derived from it must name the
// directory and use the same license (https://world.openfoodfacts.org/terms-of-use). The
// directory requires a User-Agent with a contact, and allows 100 products a minute
// (https://openfoodfacts.github.io/openfoodfacts-server/api/).
package gtindirectory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// Config configures a Directory. Zero fields except BaseURL and Contact have the default in
// their comment.
type Config struct {
	BaseURL string // as https://world.openfoodfacts.org
	Contact string // for the directory's operators: an e-mail address or a page

	Timeout   time.Duration // of one request: 3 s
	PerMinute int           // requests: 60
	Fresh     time.Duration // how long the answer for a GTIN is cached: 24 h
}

// ErrBusy is the error for a request over the rate limit.
var ErrBusy = errors.New("gtindirectory: the minute's questions are asked")

// A Directory looks up GTINs. Its methods are safe for concurrent use.
type Directory struct {
	c     Config
	http  *http.Client
	limit *rate.Limiter
	kept  records
}

// records is an otter.Cache of records by GTIN. A field of that type would have each
// package that names a Directory compile its thousand generic functions again.
type records interface {
	GetIfPresent(gtin string) (json.RawMessage, bool)
	Set(gtin string, record json.RawMessage) (json.RawMessage, bool)
}

// maxRecord is the largest response, in bytes.
const maxRecord = 2 << 20

// fields are the fields of a record that an import reads; only these are requested.
const fields = "code,product_name,brands,quantity,generic_name,categories,categories_tags,countries_tags,labels,packaging,lang,lc,product_type"

// New returns the directory that c configures.
func New(c Config) (*Directory, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "https" && u.Hostname() != "127.0.0.1" || u.Host == "" || u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("gtindirectory: the address is %q: want one as https://world.openfoodfacts.org", c.BaseURL)
	}
	page, _ := url.Parse(c.Contact)
	if _, err := mail.ParseAddress(c.Contact); err != nil && (page == nil || page.Scheme != "https" || page.Host == "") {
		return nil, fmt.Errorf("gtindirectory: the contact is %q: want an e-mail address or a page as https://example.com, which the directory asks for", c.Contact)
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	c.Timeout, c.PerMinute, c.Fresh = cmp.Or(c.Timeout, 3*time.Second), cmp.Or(c.PerMinute, 60), cmp.Or(c.Fresh, 24*time.Hour)
	kept, err := otter.New(&otter.Options[string, json.RawMessage]{MaximumSize: 10_000, ExpiryCalculator: otter.ExpiryWriting[string, json.RawMessage](c.Fresh)})
	if err != nil {
		return nil, fmt.Errorf("gtindirectory: %w", err)
	}
	return &Directory{
		c: c, kept: kept, limit: rate.NewLimiter(rate.Limit(c.PerMinute)/60, max(1, c.PerMinute/2)),
		http: &http.Client{Timeout: c.Timeout, CheckRedirect: sameHost},
	}, nil
}

// sameHost follows redirects only within the directory's host.
func sameHost(r *http.Request, via []*http.Request) error {
	if len(via) > 2 || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return errors.New("it sends on to elsewhere")
	}
	return nil
}

// Product returns the directory's record of a GTIN-14, nil if it has none. It does not
// wait: over the rate limit it returns ErrBusy.
func (d *Directory) Product(ctx context.Context, gtin string) (json.RawMessage, error) {
	if record, ok := d.kept.GetIfPresent(gtin); ok {
		return record, nil
	}
	if !d.limit.Allow() {
		return nil, ErrBusy
	}
	record, err := d.ask(ctx, printed(gtin))
	if err != nil {
		return nil, fmt.Errorf("gtindirectory: %s: %w", gtin, err)
	}
	d.kept.Set(gtin, record)
	return record, nil
}

// printed returns a GTIN-14 as packs print it and the directory stores it: 8 or 13 digits.
func printed(gtin string) string {
	if short, ok := strings.CutPrefix(gtin, "000000"); ok {
		return short
	}
	return strings.TrimPrefix(gtin, "0")
}

func (d *Directory) ask(ctx context.Context, code string) (json.RawMessage, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.c.BaseURL+"/api/v2/product/"+url.PathEscape(code)+".json?fields="+fields, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "whatis/1.0 ("+d.c.Contact+")")
	r.Header.Set("Accept", "application/json")
	resp, err := d.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
		return nil, fmt.Errorf("it answers %s", resp.Status)
	}
	var answer struct {
		Status  *int                       `json:"status"`
		Product map[string]json.RawMessage `json:"product"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxRecord)).Decode(&answer); err != nil || answer.Status == nil {
		return nil, errors.Join(errors.New("its answer is none of a directory of products"), err)
	}
	if *answer.Status != 1 || len(answer.Product) == 0 {
		return nil, nil
	}
	answer.Product["code"] = json.RawMessage(`"` + code + `"`) // the requested code, even if the record has another form
	return json.Marshal(answer.Product)
}
