// Package batch analyses many photos of a bucket.
//
//	Create → manifest.json → expand → fan out, 500 at a time → one task for each photo
//	                                                                 │ Intake, item document
//	          result_….json and .csv, once ←── was it the last? ←────┘
//
// A batch is the document batches/{id}, the object batches/{id}/manifest.json
// with its photos in listing order, and one document batches/{id}/items/{index}
// for each photo that has ended, which is created once. No document grows with
// the batch or is written by all tasks: progress is found by counting items.
//
// With group=barcode the first manifest is of single photos. Scan tasks of 100 photos each
// read the barcodes, without a model, into documents batches/{id}/codes/{chunk}, which are
// created once. The task that counts all of them writes groups.json, once, sets grouped,
// deletes the manifest and the codes, and publishes expand again, which then hands out the
// groups. It costs one more read of each photo from the bucket, and three calls of Firestore
// for each hundred.
//
// Every step may be done twice; the task of a process that dies is delivered again.
// The task that creates the last item counts all items, as Firestore counts what
// was committed before; two tasks may, and then only one summary is written. Only a
// photo without an item keeps a batch from ending: failed and cancelled photos have
// one too. A photo's task that became a dead letter is still delivered again; for
// the first task, which expands, the dead letter is the last try, after which the
// batch may be failed.
//
// Fields of batches/{id}:
//
//	state, handed, reason                   its State; whether all tasks are published
//	bucket, prefix, number, bytes           its photos
//	sample, random, seed                    how they were chosen; the seed as text
//	country, lang, policy, second_look      how they are analysed
//	tier                                    of the model calls
//	group, photos                           how photos are grouped to products, and how many there are;
//	                                        number is then that of the groups, and each has one item
//	grouped                                 with group=barcode: number is that of the groups (before, of photos)
//	dedupe                                  whether near duplicates are searched for
//	result                                  name of the summary, without its ending
//	usd_low, usd_high                       the estimate
//	counts, cost_usd                        once it has ended
//	created_at, finished_at, expires_at     by the server, the last for a TTL policy
//
// and of batches/{id}/items/{index}, whose ID has six digits:
//
//	index, file, id                         which photo, and its result's ID
//	outcome, product_name, brand, reason    of its analysis
//	cost_usd                                its cost
//	result                                  its result as JSON text
//	phash                                   perceptual hash as a vector, if it can be a candidate
//	near                                    ID of the result whose product it has, as its near duplicate
//	ended_at, expires_at                    by the server, the latter for a TTL policy
//
// Only the query for near duplicates needs its own index: the others read one
// batch's items, by their IDs, by outcome, by ended_at, or sum their cost_usd;
// listings order batches by created_at. Exempt items.result from indexing: it is
// long and never queried.
//
// Near duplicates, which a batch with dedupe searches for, need a vector index of
// the collection items: field phash, 64 dimensions, flat (near.go). A photo is
// compared with the photos that have ended before it, so two of them analysed at the
// same time do not help each other. Photos that differ only in their metadata are analysed
// once (jobs.Spec.ContentKey), for one write and at most two reads more. A near duplicate's product is a candidate that
// the model judges together with the photo, never an answer; nothing else of it is
// used, above all no date. Without dedupe no vector is stored or read.
//
// Besides the cost in package jobs, a photo costs the item's write, a read of the
// batch and of the item, and a count of at most a thousand items, which is one
// read; the last task of each thousand counts all items. Writing partial.json nine
// times reads four and a half items per photo in all, the summary and its CSV two.
// Get reads the document and, while the batch runs, counts the outcomes and sums the
// cost, at one read for every thousand items found and at least one for each query:
// about 25 reads for 10,000 photos, plus up to 100 failures. With dedupe a photo
// without a cached result costs one read for every hundred items with a vector, at
// least one, plus one for each of at most three found: on average 5 reads a photo in
// a batch of 1,000, and 50 in one of 10,000.
package batch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/usererror"
)

// Config configures Batches.
type Config struct {
	DB      *firestore.Client
	Intake  *intake.Intake
	Objects *blob.Store
	Tasks   *queue.Publisher // whose topics push to the tasks' handler
	Results string           // bucket of the manifests and summaries

	Retain time.Duration // how long a batch and its items are kept; 0 is 400 days
}

// Batches manages all batches of one database. It is safe for concurrent use.
type Batches struct {
	Config
}

// New returns Batches for c.
func New(c Config) (*Batches, error) {
	for field, missing := range map[string]bool{
		"DB": c.DB == nil, "Intake": c.Intake == nil, "Objects": c.Objects == nil, "Tasks": c.Tasks == nil, "Results": c.Results == "",
	} {
		if missing {
			return nil, fmt.Errorf("batch: Config.%s is not set", field)
		}
	}
	c.Retain = cmp.Or(c.Retain, 400*24*time.Hour)
	return &Batches{c}, nil
}

// A Request asks for a batch.
type Request struct {
	Prefix     string `json:"prefix"`           // gs://bucket/ or gs://bucket/folder/
	Sample     *int   `json:"sample,omitempty"` // at most so many photos, or folders with group=folder, 1 or more; nil means all
	Random     bool   `json:"random,omitempty"` // draw the sample, instead of the first in the listing
	Seed       Seed   `json:"seed,omitempty"`   // of the draw; "" draws one, which the status shows
	Country    string `json:"country,omitempty"`
	Lang       string `json:"lang,omitempty"`
	Policy     string `json:"policy,omitempty"`
	SecondLook string `json:"second_look,omitempty"`
	Tier       string `json:"tier,omitempty" jsonschema:"standard or flex: flex costs half, and each answer may take minutes"` // "" means the configured one
	Dedupe     bool   `json:"dedupe,omitempty"`                                                                                // use products of near duplicates in the batch as candidates
	Group      string `json:"group,omitempty" jsonschema:"photos that show one product and have one result: folder, those of a folder; barcode, those with the same barcode"`
	Fresh      bool   `json:"fresh,omitempty" jsonschema:"ask the models even of photos that were analysed before, at the full price"`
	DryRun     bool   `json:"dry_run,omitempty"` // only return the number of photos and the estimate
}

// A Seed is the seed of a draw, a whole number below 2⁶⁴ as decimal digits: programs that
// read numbers as floating point would change a large one. In JSON a number is understood
// as well.
type Seed string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Seed) UnmarshalJSON(data []byte) error {
	var n json.Number // of a number, or of a string with one
	if string(data) == `""` {
		*s = ""
		return nil
	}
	err := json.Unmarshal(data, &n)
	*s = Seed(n)
	return err
}

// number returns the seed as a number, or ErrRequest.
func (s Seed) number() (uint64, error) {
	n, err := strconv.ParseUint(string(s), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: seed is %q: send a whole number below 2⁶⁴", ErrRequest, usererror.Short(string(s), usererror.Quoted))
	}
	return n, nil
}

// The outcomes of an item, the keys of Counts. An unidentified product is
// Unidentified here, while its result keeps the source google_search.
const (
	FromImage        = "image"
	FromLocalDB      = "local_db"
	FromGoogleSearch = "google_search"
	Unidentified     = intake.Unidentified
	NoProduct        = "no_product"
	ItemFailed       = "failed"
	ItemCancelled    = "cancelled"
)

// An Estimate is the possible cost of a batch, by the dated price table.
type Estimate struct {
	Low  float64 `json:"usd_low"`  // every photo is clear, and no tier is refused
	High float64 `json:"usd_high"` // every photo needs the catalogue and the web, at the standard tier
}

// A Failure is a photo without a result, and the reason.
type Failure struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A Status describes a batch. A dry run has only Number, Bytes, Prefix, Estimate
// and the options.
type Status struct {
	ID         string         `json:"id,omitempty"`
	State      jobs.State     `json:"state,omitempty"`
	Reason     string         `json:"reason,omitempty"` // of a failed batch
	Prefix     string         `json:"prefix"`
	Number     int            `json:"number"` // of photos
	Bytes      int64          `json:"bytes"`  // of all photos
	Sample     int            `json:"sample,omitempty"`
	Random     bool           `json:"random,omitempty"`
	Seed       Seed           `json:"seed,omitempty"`
	Country    string         `json:"country,omitempty"`
	Lang       string         `json:"lang,omitempty"`
	Dedupe     bool           `json:"dedupe,omitempty"`
	Group      string         `json:"group,omitempty"`
	Fresh      bool           `json:"fresh,omitempty"`
	Photos     int            `json:"photos,omitempty"` // with Group, all photos; Number is that of the groups, once State is not Scanning
	Tier       string         `json:"tier,omitempty"`
	Created    time.Time      `json:"created_at,omitzero"`
	Finished   time.Time      `json:"finished_at,omitzero"`
	Ended      int            `json:"ended"`            // photos that have ended, whatever the outcome
	Counts     map[string]int `json:"counts,omitempty"` // of ended photos, by outcome
	CostUSD    float64        `json:"cost_usd"`         // so far
	Estimate   Estimate       `json:"estimate"`
	Left       *int           `json:"seconds_left,omitempty"` // at the pace so far; nil if unknown
	Failures   []Failure      `json:"failures,omitempty"`     // the first 100
	ResultURI  string         `json:"result,omitempty"`       // gs://…/result_YYYYMMDD_HHMMSS.json; exists once State is Done or Cancelled
	CSVURI     string         `json:"csv,omitempty"`
	PartialURI string         `json:"partial,omitempty"` // results so far, rewritten after each tenth
}

// An Item is a photo that has ended.
type Item struct {
	Index       int       `json:"index"` // in listing order, from 0
	File        string    `json:"file"`  // gs://bucket/name
	ID          string    `json:"id,omitempty"`
	Outcome     string    `json:"outcome"`
	ProductName string    `json:"product_name,omitempty"`
	Brand       string    `json:"brand,omitempty"`
	CostUSD     float64   `json:"cost_usd"`
	Reason      string    `json:"reason,omitempty"` // of a failed one
	Ended       time.Time `json:"ended_at"`

	Place string `json:"-"` // after it, for Items
}

// Errors of the package, for errors.Is.
var (
	ErrNotFound = usererror.New("batch", "there is no such batch")
	ErrRequest  = usererror.New("batch", "wrong request")
	ErrPlace    = usererror.New("batch", "no place among the photos of a batch")
	ErrNoPhotos = usererror.New("batch", "there are no photos")
)
