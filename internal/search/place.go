package search

import (
	"encoding/base64"
	"encoding/json"
	"math"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// A place is where a page of an answer ends. Callers get it as one word that says nothing to them.
type place struct {
	Of      string   `json:"of"`                // the search that it belongs to
	Turn    string   `json:"turn,omitempty"`    // of a conversation: the same words may be another search
	Seen    int      `json:"seen"`              // products up to there
	Relaxed []string `json:"relaxed,omitempty"` // Result.Relaxed
}

// fromBeginning is the After of a conversation's last search from its beginning.
const fromBeginning = "0"

// place decodes After.
func (r Request) place() (at place, err error) {
	if r.After == "" || r.After == fromBeginning {
		return place{}, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(r.After)
	if err == nil {
		err = json.Unmarshal(data, &at)
	}
	if err != nil || at.Of == "" || at.Seen < 0 || at.Seen > math.MaxInt32 {
		return place{}, wrong("after", "it is %q: send the next of the result before", usererror.Short(r.After, usererror.Quoted))
	}
	return at, nil
}

// errAfter is the error for the place of another search: the products behind it would be wrong.
var errAfter = wrong("after", "it is of a search with another query, filter, price, sort, picture or shop: send the next of a result of this search, or leave it out to begin anew")

// resumes returns errAfter if the request's place is not of the same search.
func (s *state) resumes() error {
	other := s.follows() && s.place.Turn != "" && s.place.Turn != s.talk.search
	if s.place.Of != "" && (other || s.place.Of != s.searched()) {
		return errAfter
	}
	return nil
}

// setNext sets where further products begin.
func (s *state) setNext(at place) {
	if at.Of = s.searched(); s.talk != nil {
		at.Turn = s.talk.search
	}
	data, _ := json.Marshal(at) // cannot fail: it is texts and numbers
	s.next = base64.RawURLEncoding.EncodeToString(data)
}

// searched identifies what is searched for, in which order, but not how many are shown.
func (s *state) searched() string {
	picture := ""
	if s.picture != nil {
		picture = s.picture.SHA256
	}
	what, _ := json.Marshal([]any{s.Shop, s.query, s.choice.facets, s.choice.price, s.InStock, s.Sort, s.Like, picture, s.Analysis, s.Weights})
	return store.HashID(string(what))[:8]
}
