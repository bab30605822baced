package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// A webShop is a server that plays all hosts of the web, and keeps what it is asked for.
type webShop struct {
	*httptest.Server
	mu      sync.Mutex
	asked   []string // host and path
	serving map[string]int
	most    int // requests of a host at once
}

// openWebShop starts one. Its hosts called hang never answer.
func openWebShop(t *testing.T, files map[string]string) *webShop {
	s := &webShop{serving: map[string]int{}}
	ended := make(chan struct{})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if r.URL.Path != "/robots.txt" {
			s.asked = append(s.asked, r.Host+r.URL.Path)
		}
		hangs := strings.HasPrefix(r.Host, "hang") && r.URL.Path != "/robots.txt"
		if !hangs { // the end of a request that its client gives up is noticed later
			s.serving[r.Host]++
			s.most = max(s.most, s.serving[r.Host])
			defer func() { s.mu.Lock(); s.serving[r.Host]--; s.mu.Unlock() }()
		}
		s.mu.Unlock()
		body, there := files[r.URL.Path]
		switch {
		case hangs:
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		case r.URL.Path == "/robots.txt":
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /secret")
		case strings.HasPrefix(body, "http"):
			http.Redirect(w, r, body, http.StatusFound)
		case !there:
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, body)
		}
	}))
	t.Cleanup(func() { close(ended); s.Close() })
	return s
}

// requests returns what was asked for since the last call, without the dates of files.
func (s *webShop) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	slices.Sort(asked)
	return asked
}

// pictured returns how many records have the vector of their picture.
func pictured(t *testing.T, w *emulate.World) (n int) {
	t.Helper()
	docs, err := w.FirestoreClient(t).Collection("products").Where("shop", "==", "default").Documents(t.Context()).GetAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if has := d.Data(); has["image_embedding"] != nil && has["image_bytes"] != nil && has["image_hash"] != nil {
			n++
		}
	}
	return n
}

// Pictures on the web are fetched if the import is asked to, each address once; one that cannot be had is told, costs
// its product nothing, and is tried again by the next import, unlike those that are embedded.
func TestPicturesOnTheWeb(t *testing.T) {
	w := emulate.Start(t)
	frame, other := string(samples.Frames()[0].PNG()), string(samples.Frames()[1].PNG())
	shop := openWebShop(t, map[string]string{"/a.png": frame, "/a-copy.png": frame, "/b.png": other, "/page.png": "<html>sold out", "/inside.png": "http://169.254.169.254/a.png", "/secret/a.png": frame, "/moved.png": "http://cdn.example/b.png"})
	point(t, w, "FETCH_ALLOW=*="+shop.Listener.Addr().String(), "EMULATED_WEB=here")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	head := "sku,product_name,brand,variant_of,price,currency,description,image_uri\n"
	row := func(sku, description, address string) string {
		return fmt.Sprintf("%s,Frame %s,Lune,,10,EUR,%s,http://%s\n", sku, sku, description, address)
	}
	hanging := ""
	for i := range 5 {
		hanging += row(fmt.Sprint("H-", i), "x", fmt.Sprintf("hang.example/%d.png", i))
	}
	good := row("A-1", "light", "shop.example/a.png") + row("A-2", "light", "shop.example/a.png") + row("M", "light", "shop.example/moved.png")
	bad := row("P", "x", "shop.example/page.png") + row("I", "x", "shop.example/inside.png") + row("G", "x", "shop.example/gone.png") + row("S", "x", "shop.example/secret/a.png") + hanging
	failing := []string{"shop.example/gone.png", "shop.example/inside.png", "shop.example/page.png"}
	hung := []string{"hang.example/0.png", "hang.example/1.png", "hang.example/2.png"}
	for _, tt := range []struct {
		name, file string
		pictures   bool
		want       catalog.Imports
		asked      []string
		embedded   int // pictures
		faults     int
		vectors    int
	}{
		{"unasked", good + bad, false, catalog.Imports{New: 12}, nil, 0, 0, 0},
		{"asked", good + bad, true, catalog.Imports{Changed: 12}, slices.Concat([]string{"cdn.example/b.png"}, hung, []string{"shop.example/a.png"}, failing[:2], []string{"shop.example/moved.png"}, failing[2:]), 2, 9, 3},
		{"again", good + bad, true, catalog.Imports{Changed: 9, Known: 3}, slices.Concat(hung, failing), 0, 9, 3},
		{"another price and text, unasked", strings.ReplaceAll(strings.ReplaceAll(good, "light", "heavy"), ",10,", ",12,"), false, catalog.Imports{Changed: 3}, nil, 0, 0, 3},
		{"another address of the same picture", strings.ReplaceAll(good, "a.png", "a-copy.png"), true, catalog.Imports{Changed: 3}, []string{"shop.example/a-copy.png"}, 0, 0, 3},
		{"another picture, unasked", strings.ReplaceAll(good, "a.png", "b.png"), false, catalog.Imports{Changed: 2, Known: 1}, nil, 0, 0, 1},
		{"and asked", strings.ReplaceAll(good, "a.png", "b.png"), true, catalog.Imports{Changed: 2, Known: 1}, []string{"shop.example/b.png"}, 1, 0, 3},
	} {
		w.Gemini.ResetCalls()
		var faults []string
		done, err := a.ImportFile(t.Context(), app.CatalogFile{Reader: strings.NewReader(head + tt.file), Format: catalog.Format{Pictures: tt.pictures},
			Fault: func(f catalog.Fault) { faults = append(faults, f.Why) }})
		embedded := 0
		for _, call := range w.Gemini.Calls() {
			embedded += len(call.Inline)
		}
		if err != nil || done != tt.want || embedded != tt.embedded || len(faults) != tt.faults {
			t.Errorf("%s: ImportFile = %v, %v with %d pictures embedded and %d faults %q; want %v with %d and %d", tt.name, done, err, embedded, len(faults), faults, tt.want, tt.embedded, tt.faults)
		}
		if asked := shop.requests(); !slices.Equal(asked, tt.asked) {
			t.Errorf("%s: it asks for %q, want %q", tt.name, asked, tt.asked)
		}
		if n := pictured(t, w); n != tt.vectors {
			t.Errorf("%s: %d records have a vector of their picture, want %d", tt.name, n, tt.vectors)
		}
	}
	if shop.most > 1 {
		t.Errorf("%d requests of a host were made at once, want one", shop.most)
	}
}

// Of two imports of the same file at once, which have the pictures of one host, each product is stored once, and a host
// is asked for one picture at a time.
func TestPicturesOfTwoImports(t *testing.T) {
	w := emulate.Start(t)
	files := map[string]string{}
	file := "sku,product_name,price,currency,image_uri\n"
	for i := range 12 {
		files[fmt.Sprintf("/%d.png", i)] = string(samples.Frames()[i].PNG())
		file += fmt.Sprintf("S-%d,Frame %d,10,EUR,http://shop.example/%d.png\n", i, i, i)
	}
	shop := openWebShop(t, files)
	point(t, w, "FETCH_ALLOW=*="+shop.Listener.Addr().String(), "EMULATED_WEB=here")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	var both sync.WaitGroup
	var done [2]catalog.Imports
	for i := range done {
		both.Go(func() {
			var err error
			done[i], err = a.ImportFile(t.Context(), app.CatalogFile{Reader: strings.NewReader(file), Format: catalog.Format{Pictures: true}, Fault: func(f catalog.Fault) { t.Errorf("%+v", f) }})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := pictured(t, w); n != 12 || done[0].New+done[1].New != 12 || done[0].New+done[0].Known != 12 || shop.most != 1 {
		t.Errorf("%v and %v, and %d records with a picture; want twelve, each new in one import; %d requests at once, want one", done[0], done[1], n, shop.most)
	}
}
