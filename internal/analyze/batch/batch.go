// Package batch analyses many photos of a bucket.
//
//	Create → manifest.json → expand → fan out, 500 at a time → one task for each photo
//	                                                                 │ Intake, item document
//	          result_….json and .csv, once ←── was it the last? ←────┘
//
// A batch is the document batches/{id}, the object batches/{id}/manifest.json
// with its photos in listing order, and one document batches/{id}/items/{index}
// for each photo that has ended, which is created once. No document grows with
// the batch and none is written by all: how far it is, is counted.
//
// Every step may be done twice, and whoever dies leaves its task to be delivered
// again. A task that was the last to create an item finds all items there, as
// Firestore counts what was committed before; it may be two, and then one summary
// is written. Only a photo without an item keeps a batch from ending: a photo that
// fails or that was cancelled has one too. The task of a photo that became a dead
// letter goes on being delivered; of the first task that is the last
// try, and the batch may say that it failed.
//
// The fields of batches/{id}:
//
//	state, handed, reason                   where it stands (State); whether its tasks are out
//	bucket, prefix, number, bytes           its photos
//	sample, random, seed                    how they were chosen; the seed as text
//	country, lang, policy, second_look      how they are looked at
//	tier                                    at which models are asked
//	dedupe                                  whether near duplicates are sought
//	result                                  name of the summary, without its ending
//	usd_low, usd_high                       the estimate
//	counts, cost_usd                        of one that has ended
//	created_at, finished_at, expires_at     by the server, the last for a TTL policy
//
// and of batches/{id}/items/{index}, whose ID has six digits:
//
//	index, file, id                         which photo, and its result's ID
//	outcome, product_name, brand, reason    what came of it
//	cost_usd                                what it cost
//	result                                  its result as JSON text
//	phash                                   its looks as a vector, if it can be a candidate
//	ended_at, expires_at                    by the server, the latter for a TTL policy
//
// No query but that for near duplicates needs an index of its own: all ask one
// batch's items, by their IDs, by outcome, by ended_at, or for the sum of cost_usd;
// listings order batches by created_at. Exempt items.result from indexing: it is long and never asked for.
//
// Near duplicates, which a batch with dedupe seeks, need a vector index of the
// collection items: field phash, 64 dimensions, flat (near.go). A photo is held
// to those that have ended before it, so that of two copies looked at at the same
// time neither helps the other. What one was found to be is a candidate that the
// model judges with the photo before it, and never an answer; nothing else of it,
// no date above all, comes over. Without dedupe no vector is kept or read.
//
// A photo costs, beside what package work takes, the item's write, a read of the
// batch and of the item, and a count of at most a thousand items, which is one
// read; whoever ends a thousand counts all. The nine times that partial.json is
// written read four and a half items for each photo in all, the summary and its
// CSV two. Get reads the document and, while the batch runs, counts the six
// outcomes and adds up the cost, at a read for every thousand items that each finds
// and one at least: some 25 reads for 10,000 photos, and up to 100 failures on top.
// With dedupe a photo that was not recalled costs a read for every hundred items
// that have a vector, one at least, and one for each of the three it finds at most:
// 5 a photo, on average, of a batch of 1,000, and 50 of one of 10,000.
package batch

import (
	"cmp"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/usererror"
)

// Config is what Batches are made of.
type Config struct {
	DB      *firestore.Client
	Intake  *intake.Intake
	Objects *blob.Store
	Tasks   *queue.Publisher // whose topics push to Task
	Results string           // bucket of the manifests and summaries

	Retain time.Duration // how long a batch and its items are kept; 0 is 400 days
}

// Batches is all batches of one database. It is safe for concurrent use.
type Batches struct {
	Config
}

// New returns the batches of c.
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
	Prefix     string  `json:"prefix"`           // gs://bucket/ or gs://bucket/folder/
	Sample     *int    `json:"sample,omitempty"` // how many photos at most, 1 or more; nil is all
	Random     bool    `json:"random,omitempty"` // the sample is drawn, not the first in the listing
	Seed       *uint64 `json:"seed,omitempty"`   // of the draw; nil draws one, which the status tells
	Country    string  `json:"country,omitempty"`
	Lang       string  `json:"lang,omitempty"`
	Policy     string  `json:"policy,omitempty"`
	SecondLook string  `json:"second_look,omitempty"`
	Tier       string  `json:"tier,omitempty" jsonschema:"standard or flex: flex costs half, and each answer may take minutes"` // "" is the configured one
	Dedupe     bool    `json:"dedupe,omitempty"`                                                                                // what near duplicates in the batch were found to be are candidates
	DryRun     bool    `json:"dry_run,omitempty"`                                                                               // only say how many photos, and what they may cost
}

// The outcomes of an item, which Counts is by. A product that nobody identified is
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

// An Estimate is what a batch may cost, by the dated price table.
type Estimate struct {
	Low  float64 `json:"usd_low"`  // every photo is clear, and no tier is refused
	High float64 `json:"usd_high"` // every photo needs the catalogue and the web, at the standard tier
}

// A Failure is a photo that has no result, and why.
type Failure struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A Status is what is known of a batch. Of a dry run there are only Number,
// Bytes, Prefix and Estimate.
type Status struct {
	ID         string         `json:"id,omitempty"`
	State      jobs.State     `json:"state,omitempty"`
	Reason     string         `json:"reason,omitempty"` // of a failed batch
	Prefix     string         `json:"prefix"`
	Number     int            `json:"number"` // of photos
	Bytes      int64          `json:"bytes"`  // of all photos
	Sample     int            `json:"sample,omitempty"`
	Random     bool           `json:"random,omitempty"`
	Seed       uint64         `json:"seed,omitempty,string"`
	Country    string         `json:"country,omitempty"`
	Lang       string         `json:"lang,omitempty"`
	Dedupe     bool           `json:"dedupe,omitempty"`
	Tier       string         `json:"tier,omitempty"`
	Created    time.Time      `json:"created_at,omitzero"`
	Finished   time.Time      `json:"finished_at,omitzero"`
	Ended      int            `json:"ended"`            // photos that have ended, whatever the outcome
	Counts     map[string]int `json:"counts,omitempty"` // of those by outcome
	CostUSD    float64        `json:"cost_usd"`         // so far
	Estimate   Estimate       `json:"estimate"`
	Left       *int           `json:"seconds_left,omitempty"` // at the pace so far; nil when nobody can tell
	Failures   []Failure      `json:"failures,omitempty"`     // the first 100
	ResultURI  string         `json:"result,omitempty"`       // gs://…/result_YYYYMMDD_HHMMSS.json; it stands once State is Done or Cancelled
	CSVURI     string         `json:"csv,omitempty"`
	PartialURI string         `json:"partial,omitempty"` // the same so far, rewritten now and then
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
}

// Errors of the package, for errors.Is.
var (
	ErrNotFound = usererror.New("batch", "there is no such batch")
	ErrRequest  = usererror.New("batch", "wrong request")
	ErrNoPhotos = usererror.New("batch", "there are no photos")
)
