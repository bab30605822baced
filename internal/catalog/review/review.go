// Package review stores people's reviews of results and applies them to the catalogue.
//
//	accept | correct {fields} | reject | undo
//	  → reviews/{result}, with its history → the catalogue → the result cache forgets the photo
//
// The reviews decide, and the catalogue is brought in line with them (catalog.Settle).
// Confirming a product creates its record, or ranks it above imported and learnt ones.
// Rejecting an unconfirmed product leaves a tombstone, which prevents it from being learnt
// again. Undoing a review restores the record. From then on the same photo is answered as
// reviewed.
//
// A review is written on the condition that it has not changed meanwhile, and counts its
// revisions. There are no transactions: every further step may be repeated, and sending the
// same review again completes the missing steps.
//
// The fields of reviews/{result's ID}:
//
//	verdict, by, at, fields    what was said, by whom, when by the server; fields as JSON text
//	verified                   whether the service knows who it was
//	revision, settled          how often it was said, and the last one that all has followed from
//	confirms, rejects          IDs of products
//	product, photo             what is confirmed, with its vector; the photo's SHA-256
//	touched                    IDs of all products that it was ever about
//	history                    what was said before
//	forgotten                  its result was forgotten: of the rest only the products are left
//
// acts/{record's or result's ID} has who did what to it, with the states before and after.
//
// Reviews and acts do not expire: what the catalogue says rests on them.
package review

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/usererror"
)

// A Subject is the part of a result that can be reviewed.
type Subject struct {
	ID       string
	Finished time.Time
	Failed   bool            // the analysis failed
	Product  catalog.Product // as named by the result; without a name if it names none
	Record   string          // ID of the catalogue record that the result names; "" if none
	Photo    string          // SHA-256
	More     []string        // SHA-256 of its further photos
	Where    string          // the provenance of a record made from it: gs://… or empty
}

// Config configures New. All functions must be set.
type Config struct {
	DB      *firestore.Client
	Catalog *catalog.Catalog
	Shop    string
	Space   catalog.VectorSpace // of the vectors that Embed returns

	// Embed returns the vector of key features or of search words.
	Embed func(ctx context.Context, texts []string) ([]float32, error)
	// Subject returns a stored result; a missing one gives ErrNotFound.
	Subject func(ctx context.Context, id string) (Subject, error)
	// Answered stores the latest verdict with the result; "" removes it.
	Answered func(ctx context.Context, s Subject, verdict string) error
	// DropCached deletes the cached results of a photo, so that it is analysed again.
	DropCached func(ctx context.Context, sha256 string) error
}

// A Service stores reviews and maintains the catalogue. It is safe for concurrent use.
type Service struct{ Config }

// New returns the service that c configures.
func New(c Config) (*Service, error) {
	for field, missing := range map[string]bool{
		"DB": c.DB == nil, "Catalog": c.Catalog == nil, "Shop": c.Shop == "", "Space": c.Space.Model == "", "Embed": c.Embed == nil,
		"Subject": c.Subject == nil, "Answered": c.Answered == nil, "DropCached": c.DropCached == nil,
	} {
		if missing {
			return nil, fmt.Errorf("review: Config.%s is not set", field)
		}
	}
	return &Service{c}, nil
}

// Errors of the package, for errors.Is.
var (
	ErrRequest  = usererror.New("review", "the review") // the review is invalid; the text continues with what to send
	ErrNotFound = usererror.New("review", "there is no such result")
	ErrNone     = usererror.New("review", "nobody has reviewed this result")
	ErrRecord   = usererror.New("review", "there is no such record in the catalogue")
	ErrBusy     = usererror.New("review", "others change the same at this moment: send it again")
)

// A Review is the latest review of a result, with its history.
type Review struct {
	Result   string    `json:"result"`
	Verdict  string    `json:"verdict"` // accept, correct, reject or undo
	Fields   *Fields   `json:"fields,omitempty"`
	By       string    `json:"by"`
	Verified bool      `json:"verified"` // whether the service knows who said it, or took their word for it
	At       time.Time `json:"at"`
	Records  []Record  `json:"records,omitempty"` // in the catalogue, as they are now
	History  []Entry   `json:"history,omitempty"` // earlier reviews, oldest first; the last 50
}

// A Record is the current state of a catalogue record.
type Record struct {
	ID     string `json:"id"`
	Status string `json:"status"` // confirmed, imported, unconfirmed, rejected, or gone
}

// An Entry is one earlier review.
type Entry struct {
	Verdict  string    `json:"verdict" firestore:"verdict"`
	Fields   *Fields   `json:"fields,omitempty" firestore:"-"`
	By       string    `json:"by" firestore:"by"`
	Verified bool      `json:"verified" firestore:"verified"` // whether the service knows who said it
	At       time.Time `json:"at" firestore:"at"`

	Text string `json:"-" firestore:"fields,omitempty"` // Fields as JSON
}

// maxHistory is the largest number of entries in a history.
const maxHistory = 50

// text returns f as it is stored.
func (f *Fields) text() string {
	if f == nil {
		return ""
	}
	data, _ := json.Marshal(f) // cannot fail: texts and lists of texts
	return string(data)
}

// fieldsOf decodes what text returned.
func fieldsOf(text string) *Fields {
	var f *Fields
	_ = json.Unmarshal([]byte(text), &f) // "" gives nil
	return f
}
