package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/store"
)

// A cursor is refused, or names a document, whose position stays the same when written again.
func FuzzParseCursor(f *testing.F) {
	f.Add(store.Cursor{ID: "a", At: time.Date(2026, 11, 23, 1, 2, 3, 4000, time.UTC)}.String())
	f.Add(store.Cursor{ID: "b", Rank: -7}.String())
	f.Add("eyJpZCI6Ii4uL3gifQ") // {"id":"../x"}
	f.Add("eyJ0IjoiOTk5OTktMDEtMDFUMDA6MDA6MDBaIiwiaWQiOiJhIn0")
	f.Add("e30")
	f.Add("=")
	f.Fuzz(func(t *testing.T, text string) {
		by := store.ByTime
		c, err := store.ParseCursor(text, by)
		if err != nil {
			by = store.ByRank
			c, err = store.ParseCursor(text, by)
		}
		if err != nil {
			if !errors.Is(err, store.ErrCursor) {
				t.Errorf("ParseCursor(%q) = %v", text, err)
			}
			return
		}
		if c.ID == "" || strings.Contains(c.ID, "/") {
			t.Errorf("ParseCursor(%q) names %q", text, c.ID)
		}
		if again, err := store.ParseCursor(c.String(), by); err != nil || again.ID != c.ID || again.Rank != c.Rank || !again.At.Equal(c.At) {
			t.Errorf("ParseCursor(%q) = %+v, and of that %+v, %v", text, c, again, err)
		}
	})
}
