package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/public"
)

// batchID is what IDs of batches look like.
var batchID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// errNoBatches says that there are no batches here.
var errNoBatches = public.New("api", "batches are not configured here: set TASKS_TOPIC")

// batches are all batches.
func (a *API) batches(ctx context.Context) (*batch.Batches, error) {
	if a.Batches == nil {
		return nil, errNoBatches
	}
	return a.Batches(ctx)
}

// batch is the batches and the ID that a request names.
func (a *API) batch(r *http.Request) (*batch.Batches, string, error) {
	b, err := a.batches(r.Context())
	if err != nil {
		return nil, "", err
	}
	id, err := idOf(r, batchID, batch.ErrNotFound)
	return b, id, err
}

// listedBatches is how many batches a listing has.
const listedBatches = 20

// A batchList is the latest batches.
type batchList struct {
	Batches []batch.Status `json:"batches"`
}

func (a *API) listBatches(w http.ResponseWriter, r *http.Request) error {
	b, err := a.batches(r.Context())
	if err != nil {
		return err
	}
	list, err := b.List(r.Context(), listedBatches)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, batchList{append([]batch.Status{}, list...)})
	return nil
}

// maxBatchBody bounds a request for a batch.
const maxBatchBody = 64 << 10

// createBatch begins a batch, or says what it would be.
func (a *API) createBatch(w http.ResponseWriter, r *http.Request) error {
	b, err := a.batches(r.Context())
	if err != nil {
		return err
	}
	var asked batch.Request
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBatchBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&asked); err != nil {
		return orTooLarge(err, `is no request for a batch: send {"prefix":"gs://bucket/folder/"}`)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w goes on behind its JSON object: send one batch a request", errBody)
	}
	s, err := b.Create(r.Context(), asked)
	if err != nil {
		return err
	}
	if asked.DryRun {
		writeJSON(w, http.StatusOK, s)
		return nil
	}
	w.Header().Set("Location", "/batches/"+s.ID)
	writeJSON(w, http.StatusAccepted, s)
	return nil
}

func (a *API) oneBatch(w http.ResponseWriter, r *http.Request) error {
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	s, err := b.Get(r.Context(), id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, s)
	return nil
}

func (a *API) cancelBatch(w http.ResponseWriter, r *http.Request) error {
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	s, err := b.Cancel(r.Context(), id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, s)
	return nil
}

// batchResult answers with the summary as it is so far.
func (a *API) batchResult(w http.ResponseWriter, r *http.Request) error {
	kind, csv, err := formatOf(r)
	if err != nil {
		return err
	}
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	if _, err := b.Get(r.Context(), id); err != nil || r.Method == http.MethodHead {
		w.Header().Set("Content-Type", kind)
		return err
	}
	out := &download{ResponseWriter: w, kind: kind}
	err = b.WriteResult(r.Context(), id, csv, out)
	if err != nil && out.begun {
		// The client must not take what it has for all there is.
		return http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
	}
	return err
}

// formatOf is the Content-Type that r asks for.
func formatOf(r *http.Request) (kind string, csv bool, err error) {
	switch f := r.URL.Query().Get("format"); f {
	case "", "json":
		return "application/json; charset=utf-8", false, nil
	case "csv":
		return "text/csv; charset=utf-8", true, nil
	default:
		return "", false, fmt.Errorf("%w: format %q: want json or csv", intake.ErrOption, short(f))
	}
}

// A download is an answer that begins with its first byte.
type download struct {
	http.ResponseWriter
	kind  string
	begun bool
}

func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begun = true
		d.Header().Set("Content-Type", d.kind)
	}
	return d.ResponseWriter.Write(p)
}
