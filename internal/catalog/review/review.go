// Package review is what people say of results, and what follows from it.
//
//	accept | correct {fields} | reject | undo
//	  → reviews/{result}, with its history → the catalogue → the result cache forgets the photo
//
// What stands in reviews is the truth, and the catalogue follows it
// (catalog.Settle): who confirms a product makes its record, or raises it above what
// was imported or learnt; who rejects one that nobody vouches for leaves a tombstone,
// under which it is never learnt again; who takes a word back leaves the record as it
// was before. The same photo is answered with what was said of it from then on.
//
// A review is written under the condition that nobody has written it meanwhile, and
// counts its revisions. All that follows may be done any number of times, and is done
// again by whoever sends the same once more: there are no transactions, and a retry
// finds what is missing.
//
// The fields of reviews/{result's ID}:
//
//	verdict, by, at, fields    what was said, by whom, when by the server; fields as JSON text
//	revision, settled          how often it was said, and the last one that all has followed from
//	confirms, rejects          IDs of products
//	product, photo             what is confirmed, with its vector; the photo's SHA-256
//	touched                    IDs of all products that it was ever about
//	history                    what was said before
//	forgotten                  its result was forgotten: of the rest only the products are left
//
// Reviews do not expire: what the catalogue says rests on them.
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

// A Subject is a result, as far as it can be reviewed.
type Subject struct {
	ID       string
	Finished time.Time
	Failed   bool            // it could not be analysed
	Product  catalog.Product // as it was named, without a name if it was not
	Record   string          // ID of the catalogue's record that was named; "" if none was
	Photo    string          // SHA-256
	Where    string          // what a record that comes of it is said to come from: gs://… or empty
}

// Config is what New needs. All functions must be set.
type Config struct {
	DB      *firestore.Client
	Catalog *catalog.Catalog
	Shop    string
	Space   catalog.VectorSpace // of what Embed makes

	// Embed returns the vector of key features, or of what somebody seeks by.
	Embed func(ctx context.Context, texts []string) ([]float32, error)
	// Subject returns a finished result; ErrNotFound is its error for one that there is not.
	Subject func(ctx context.Context, id string) (Subject, error)
	// Answered notes the verdict by which a result is listed, "" for none.
	Answered func(ctx context.Context, s Subject, verdict string) error
	// DropCached forgets the results of a photo, so that it is analysed anew.
	DropCached func(ctx context.Context, sha256 string) error
}

// A Service takes reviews and maintains the catalogue. It is safe for concurrent use.
type Service struct{ Config }

// New returns the service of c.
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
	ErrRequest  = usererror.New("review", "the review") // is of no use; the text goes on with what to send
	ErrNotFound = usererror.New("review", "there is no such result")
	ErrNone     = usererror.New("review", "nobody has reviewed this result")
	ErrRecord   = usererror.New("review", "there is no such record in the catalogue")
	ErrBusy     = usererror.New("review", "others change the same at this moment: send it again")
)

// A Review is what was said of a result last, and before.
type Review struct {
	Result  string    `json:"result"`
	Verdict string    `json:"verdict"` // accept, correct, reject or undo
	Fields  *Fields   `json:"fields,omitempty"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Records []Record  `json:"records,omitempty"` // of the catalogue, as they are now
	History []Entry   `json:"history,omitempty"` // what was said before, oldest first; the last 50
}

// A Record says what became of a record of the catalogue.
type Record struct {
	ID     string `json:"id"`
	Status string `json:"status"` // confirmed, imported, unconfirmed, rejected, or gone
}

// An Entry is what was said once.
type Entry struct {
	Verdict string    `json:"verdict" firestore:"verdict"`
	Fields  *Fields   `json:"fields,omitempty" firestore:"-"`
	By      string    `json:"by" firestore:"by"`
	At      time.Time `json:"at" firestore:"at"`

	Text string `json:"-" firestore:"fields,omitempty"` // Fields as JSON
}

// maxHistory is how much of its history a review keeps.
const maxHistory = 50

// text is f as it is stored.
func (f *Fields) text() string {
	if f == nil {
		return ""
	}
	data, _ := json.Marshal(f) // texts and lists of them
	return string(data)
}

// fieldsOf reads what text stored.
func fieldsOf(text string) *Fields {
	var f *Fields
	_ = json.Unmarshal([]byte(text), &f) // "" is nil
	return f
}
