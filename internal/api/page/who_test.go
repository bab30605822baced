package page_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"example.com/whatis/internal/api"
	notes "example.com/whatis/internal/api/asked"
	"example.com/whatis/internal/web/caller"
	"example.com/whatis/internal/web/caller/callertest"
)

// The page says who is asking, and offers what they may do.
func TestWhoAsks(t *testing.T) {
	t.Parallel()
	const audience = "/projects/1/locations/europe-west1/services/whatis-api"
	issuer := callertest.Start(t)
	w := serve(t, false, func(w *whatis, t *testing.T, c *api.Config) {
		var err error
		c.Callers, err = caller.New(caller.Config{Access: caller.BehindIAP, Audiences: []string{audience}, Owners: []string{"owner@example.com"}, Reviewers: []string{"kim@example.com"}, Keys: issuer.URL})
		if err != nil {
			t.Fatal(err)
		}
		db := w.FirestoreClient(t)
		c.Asked = func(context.Context) (*notes.Store, error) { return notes.New(db, time.Hour), nil }
	})
	id, _ := w.doubtful(t)
	for name, tt := range map[string]struct {
		links   string // that are shown
		reviews bool
		forgets bool
	}{
		"ana":   {"photo search forecast discover results catalogue batches", false, false},
		"kim":   {"photo search forecast discover results review catalogue batches", true, false},
		"owner": {"photo search forecast discover results review catalogue batches", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, asIAP(t, w.url, issuer.ES256("1", callertest.Asserts(audience, name, name+"@example.com")))+"/#results/"+id)
			b.shows("#dialog[open] h3", "Unknown product")
			b.shows("#who", name+"@example.com")
			if got := eval[string](b, `[...document.querySelectorAll("#nav a:not([hidden])")].map((a) => a.hash.slice(1)).join(" ")`); got != tt.links {
				t.Errorf("%s is offered %q, want %q", name, got, tt.links)
			}
			if got := eval[bool](b, `Boolean(document.querySelector("#dialog [data-do=reject]"))`); got != tt.reviews {
				t.Errorf("%s is offered to review: %v, want %v", name, got, tt.reviews)
			}
			if got := eval[bool](b, `Boolean(document.querySelector("#dialog .rv-forget"))`); got != tt.forgets {
				t.Errorf("%s is offered to forget: %v, want %v", name, got, tt.forgets)
			}
			if tt.reviews {
				b.click("#dialog [data-do=reject]")
				b.shows("#dialog .rv-past", "Rejected", "by "+name+"@example.com,")
			} else {
				b.shows("#dialog .feedback", "This takes the role of a reviewer.")
			}
			b.fits("a result, with who is asking")
		})
	}
}

// asIAP returns the address of a proxy that adds an assertion to each request, as IAP does.
func asIAP(t *testing.T, to, assertion string) string {
	t.Helper()
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Goog-IAP-JWT-Assertion", assertion)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
