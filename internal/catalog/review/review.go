// Package review stores what people say of photos and applies it to the catalogue and to the
// results.
//
//	accept | correct {fields} | reject | undo
//	  → reviews/{photo} → the catalogue → the results of the photo, wherever they stand
//
// A review is given of a result and belongs to its photo, by the hash of the bytes: all
// results of the photo have it, and a new analysis reads it (Photos). Of what one person said
// the last counts, and of several persons the last decides what the photo shows. Undo takes
// back what was said last, so that what was said before stands again. Rejecting an answer says
// of that answer that it is wrong, and never removes a record that a person has confirmed.
//
// The reviews decide, and the catalogue is brought in line with them (catalog.Settle).
// Confirming a product creates its record, or ranks it above imported and learnt ones.
// Rejecting an unconfirmed product leaves a tombstone, which prevents it from being learnt
// again. Undoing a review restores the record.
//
// A review names the revision that its writer saw, and is written on the condition that it
// is the latest. There are no transactions: every further step may be repeated, and sending
// the same review again completes the missing steps.
//
// The fields of reviews/{photo}, whose ID is the photo's SHA-256, or a hash of those of
// several photos of one product:
//
//	verdict, by, at, fields    the latest act, by whom, when by the server; fields as JSON text
//	verified                   whether the service knows who it was
//	revision, seen, settled    of the latest act, of what its writer saw, and of the last one that all has followed from
//	standing                   what of it all stands, oldest first; the last 20, in 400 kB
//	history                    the acts before, the last 50, in 150 kB
//	confirms, rejecting        IDs of products, which follow from what stands
//	product, photo             what is confirmed; the photo's SHA-256 while that is its answer
//	touched                    IDs of the products that it is about, and was before the latest act
//
// When a photo is forgotten its review is removed. What the catalogue rests on stays in
// reviews/{result}: forgotten, confirms, rejecting and product.
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
	Nothing  bool            // the photo shows no product
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
	// Spread brings all results of the photos of s in line with v. It is called again for
	// what may be done already; unless again is set, all was done before but for results
	// that were made meanwhile.
	Spread func(ctx context.Context, s Subject, v Verdict, again bool) error
}

// A Service stores reviews and maintains the catalogue. It is safe for concurrent use.
type Service struct{ Config }

// New returns the service that c configures.
func New(c Config) (*Service, error) {
	for field, missing := range map[string]bool{
		"DB": c.DB == nil, "Catalog": c.Catalog == nil, "Shop": c.Shop == "", "Space": c.Space.Model == "", "Embed": c.Embed == nil,
		"Subject": c.Subject == nil, "Spread": c.Spread == nil,
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

// A Superseded is the error of a review that was written of another revision than the one
// that stands.
type Superseded struct {
	Revision string
	Now      *Review // what was said last; nil if nobody has said anything, and the photo was analysed anew
}

func (e *Superseded) Error() string { return "review: " + e.Public() }

// Public returns the message for users.
func (e *Superseded) Public() string {
	if e.Now == nil {
		return "the photo was analysed anew since: look at the result again, and send its revision, " + e.Revision
	}
	return fmt.Sprintf("%s said %q at %s: look at what stands now, and send the review again with its revision, %s",
		e.Now.By, e.Now.Verdict, e.Now.At.UTC().Format(time.RFC3339), e.Revision)
}

// A Review is what was said of a result's photo: the latest act, what stands, and the acts
// before.
type Review struct {
	Result string `json:"result"`
	Entry
	Revision string   `json:"revision"`          // to be sent with the next review
	Stands   *Entry   `json:"stands,omitempty"`  // the latest that was not taken back
	Records  []Record `json:"records,omitempty"` // in the catalogue, as they are now
	History  []Entry  `json:"history,omitempty"` // earlier acts, oldest first; the last 50
}

// A Record is the current state of a catalogue record.
type Record struct {
	ID     string `json:"id"`
	Status string `json:"status"` // confirmed, imported, unconfirmed, rejected, or gone
}

// An Entry is one act.
type Entry struct {
	Verdict  string    `json:"verdict" firestore:"verdict"` // accept, correct, reject or undo
	Fields   *Fields   `json:"fields,omitempty" firestore:"-"`
	By       string    `json:"by" firestore:"by"`
	Verified bool      `json:"verified" firestore:"verified"` // whether the service knows who said it
	At       time.Time `json:"at" firestore:"at"`

	Text string `json:"-" firestore:"fields,omitempty"` // Fields as JSON
}

// The largest number of entries in a history, and of their bytes.
const (
	maxHistory      = 50
	maxHistoryBytes = 150 << 10
)

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
