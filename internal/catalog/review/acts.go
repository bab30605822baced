package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// A Signature says who does something. It is verified if the service knows them, rather
// than took their word for it.
type Signature struct {
	By       string
	Verified bool
}

// An Act is something that somebody did to a record of the catalogue, or to a result.
type Act struct {
	Act      string    `json:"act" firestore:"act"` // accept, correct, reject, undo, confirm, edit, delete or forget
	By       string    `json:"by" firestore:"by"`
	Verified bool      `json:"verified" firestore:"verified"` // whether the service knows who it was
	At       time.Time `json:"at" firestore:"at"`
	Result   string    `json:"result,omitempty" firestore:"result"` // the result that was reviewed
	Before   *State    `json:"before,omitempty" firestore:"before"` // what there was; nothing if there was nothing
	After    *State    `json:"after,omitempty" firestore:"after"`   // what there is since; nothing if it is gone

	Unfinished bool `json:"unfinished,omitempty" firestore:"unfinished"` // it was interrupted, or is under way

	Key string `json:"-" firestore:"key"` // the same for an act that is repeated
}

// A State is the part of a record that people decide on.
type State struct {
	Status      string   `json:"status" firestore:"status"`
	ProductName string   `json:"product_name,omitempty" firestore:"product_name"`
	Brand       string   `json:"brand,omitempty" firestore:"brand"`
	Category    string   `json:"category,omitempty" firestore:"category"`
	KeyFeatures []string `json:"key_features,omitempty" firestore:"key_features"`
	GTIN        string   `json:"gtin,omitempty" firestore:"gtin"`
	ConfirmedBy string   `json:"confirmed_by,omitempty" firestore:"confirmed_by"`
	Hidden      bool     `json:"hidden,omitempty" firestore:"hidden"` // by its owner
}

// The acts that are no reviews.
const (
	Confirm = "confirm" // of a record
	Delete  = "delete"  // of a record
	Edit    = "edit"    // of a record
	Forget  = "forget"  // of a result
)

// actsCollection is the Firestore collection of the acts. A document has those on one
// record or result, and stays when that is gone.
const actsCollection = "acts"

// Of a record the newest acts are kept, at most so many, and of at most so many bytes: Firestore
// refuses a document of more than a megabyte.
const (
	maxActs      = 50
	maxActsBytes = 800 << 10
)

// actsDocument is the document of a record's acts.
type actsDocument struct {
	Acts []Act `firestore:"acts"`
}

// actsOf returns the acts of d; it is no method for the same reason as documentsOf.
func actsOf(d *Service) store.Collection[actsDocument] {
	return store.In[actsDocument](d.DB.Collection(actsCollection))
}

// Acts returns what was done to a record or a result, oldest first.
func (d *Service) Acts(ctx context.Context, id string) ([]Act, error) {
	at, err := actsOf(d).Get(ctx, id)
	if err != nil && !store.Gone(err) {
		return nil, fmt.Errorf("review: acts on %s: %w", id, err)
	}
	return at.Value.Acts, nil
}

// acted does something to a record, and keeps who did it, with the record's state before
// and after. The state before is written first: an act that was interrupted and is repeated
// still has it.
func (d *Service) acted(ctx context.Context, id string, a Act, do func() error) error {
	before, err := d.stateOf(ctx, id)
	if err != nil {
		return err
	}
	a.At, a.Before, a.Unfinished = time.Now().UTC(), before, true
	if err := d.keepAct(ctx, id, a, func(*Act) bool { return true }); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := d.stateOf(ctx, id)
	if err != nil {
		return err
	}
	return d.keepAct(ctx, id, a, func(kept *Act) bool {
		kept.After, kept.Unfinished = after, false
		return !reflect.DeepEqual(kept.Before, after)
	})
}

// Forgetting has do forget a result, and keeps who did it. A result that is gone already may
// be one whose forgetting was interrupted: do tells.
func (d *Service) Forgetting(ctx context.Context, id string, by Signature, do func() error) error {
	a := Act{Act: Forget, By: by.By, Verified: by.Verified, At: time.Now().UTC(), Unfinished: true, Key: Forget}
	s, err := d.Subject(ctx, id)
	switch {
	case err == nil:
		at, err := d.read(ctx, s.key())
		if err != nil {
			return err
		}
		a.Before = &State{Status: cmp.Or(at.Value.Verdict, unreviewed)}
		if err := d.keepAct(ctx, id, a, func(*Act) bool { return true }); err != nil {
			return err
		}
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return d.keepAct(ctx, id, a, func(kept *Act) bool {
		kept.Unfinished = false
		return true
	})
}

// unreviewed is the state of a result that nobody has reviewed.
const unreviewed = "unreviewed"

// keepAct keeps an act on a record or a result, as change leaves it, or removes it if change
// reports that there is nothing to keep. An act with the same key that is there already is
// changed instead.
func (d *Service) keepAct(ctx context.Context, id string, a Act, change func(*Act) bool) error {
	_, err := actsOf(d).Change(ctx, id, func(at *store.Doc[actsDocument]) error {
		all, now := slices.Clone(at.Value.Acts), a
		if i := slices.IndexFunc(all, func(old Act) bool { return old.Key == a.Key }); i >= 0 {
			now = all[i]
			all = slices.Delete(all, i, i+1)
		}
		if change(&now) {
			all = append(all, now)
		}
		at.Exists, at.Value.Acts = true, newest(all, maxActs, maxActsBytes)
		return nil
	})
	if err != nil {
		return fmt.Errorf("review: keep an act on %s: %w", id, err)
	}
	return nil
}

// newest returns the last of all, at most so many, and of at most so many bytes as JSON; but at least
// one.
func newest[T any](all []T, most, bytes int) []T {
	first := len(all)
	for first > 0 && len(all)-first < most {
		data, _ := json.Marshal(all[first-1]) // cannot fail: texts, times and numbers
		if bytes -= len(data); bytes < 0 && first < len(all) {
			break
		}
		first--
	}
	return all[first:]
}

// stateOf returns the state of a record; nil if there is none.
func (d *Service) stateOf(ctx context.Context, id string) (*State, error) {
	p, err := d.Record(ctx, id)
	switch {
	case errors.Is(err, ErrRecord):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return state(p), nil
}

func state(p catalog.Product) *State {
	return &State{Status: string(p.Status), ProductName: p.ProductName, Brand: p.Brand, Category: p.Category, KeyFeatures: p.KeyFeatures, GTIN: p.GTIN, ConfirmedBy: p.ConfirmedBy, Hidden: p.Hidden}
}
