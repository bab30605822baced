package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// embed computes the vectors of words and picture, and looks up products that the request
// names exactly, concurrently.
func (p *Pipeline) embed(ctx context.Context, s *state) error {
	if !s.route.searches || len(s.these) > 0 {
		return nil
	}
	var text, image error
	selects := !s.filter(s.conditions()).Empty()
	group, within := errgroup.WithContext(ctx)
	vectors, cancel := within, context.CancelFunc(func() {})
	if deadline, ok := ctx.Deadline(); ok && selects { // the other half is for a search without vectors
		vectors, cancel = context.WithTimeout(within, time.Until(deadline)/2)
	}
	defer cancel()
	group.Go(func() (err error) {
		s.exact, err = p.exactly(within, s)
		return err
	})
	group.Go(func() error {
		s.textVector, text = p.textVector(vectors, s)
		return nil
	})
	group.Go(func() error {
		s.imageVector, image = p.imageVector(vectors, s)
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if err := p.coded(ctx, s); err != nil {
		return err
	}
	return s.embedded(ctx, text, image, selects)
}

// filteredWeights are those of words that are all conditions: products meet them or do not,
// and the picture says which is nearer.
var filteredWeights = Weights{Text: 0.1, Image: 0.9}

// embedded returns an error unless the search can continue: with one of the two vectors,
// those of another product, a product that is named exactly, or conditions that select
// products without a vector.
func (s *state) embedded(ctx context.Context, text, image error, selects bool) error {
	if s.like != nil && s.textVector == nil && text == nil {
		s.textVector = s.likeVectors[0]
	}
	if s.like != nil && s.imageVector == nil && image == nil {
		s.imageVector = s.likeVectors[1]
	}
	if s.Weights == nil && s.searchType() == ByBoth && len(s.want.words) == 0 && s.query != "" {
		s.weights = filteredWeights
	}
	for _, failed := range []struct {
		err  error
		code string
	}{{text, WarnNoText}, {image, WarnNoImage}} {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failed.err == nil:
		case s.searchType() == ByNothing && len(s.exact) == 0:
			if !selects && (s.query == "" || failed.code == WarnNoImage) {
				return failed.err
			}
			s.failed = failed.err
			slog.WarnContext(ctx, "search: goes on by its words and conditions", "error", failed.err)
			s.warn(WarnNoSemantics)
		default:
			slog.WarnContext(ctx, "search: goes on without", "part", failed.code, "error", failed.err)
			s.warn(failed.code)
		}
	}
	if s.searchType() == ByNothing && len(s.exact) == 0 && slices.Contains(s.warnings, WarnNoImageSpace) {
		return wrong("image", "pictures cannot be searched by here: the embedding model of the catalogue takes texts only (EMBEDDING_MODEL; gemini-embedding-2 takes pictures): send words")
	}
	return nil
}

// textVector returns the vector of the query, nil if there is no query.
func (p *Pipeline) textVector(ctx context.Context, s *state) ([]float32, error) {
	if s.likeBefore {
		return s.likeVectors[0], nil
	}
	text := p.searchText(s)
	if text == "" {
		return nil, nil
	}
	prefix, _ := catalog.SearchPrefixes(p.Space.Model)
	v, err := p.vectors(ctx, prefix, text)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return v[text], nil
}

// searchText returns the part of the query that is embedded: the wanted attributes in the
// products' words, and the words that are not attributes. Unwanted attributes are left out.
func (p *Pipeline) searchText(s *state) string {
	if s.query == "" {
		return ""
	}
	parts := []string{s.normalizedQuery}
	for _, facet := range s.shop.vocabulary.Facets {
		for _, code := range s.want.is[facet.Name] {
			parts = append(parts, s.shop.vocabulary.Label(facet.Name, code, "en"))
		}
	}
	parts = slices.DeleteFunc(append(parts, s.want.words...), func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return s.query
	}
	return strings.Join(parts, " ")
}

// imageVector returns the vector of the picture; nil if there is none, or if it shows
// nothing that the shop sells.
func (p *Pipeline) imageVector(ctx context.Context, s *state) ([]float32, error) {
	if s.picture == nil {
		return nil, nil
	}
	if !gemini.EmbedsImages(p.Space.Model) {
		s.warn(WarnNoImageSpace)
		return nil, nil
	}
	v, known, err := p.labelled(ctx, s.shop, gemini.Blob(s.picture.SentType, s.picture.Sent))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if best(v, known.other) > best(v, known.of) {
		s.warn(WarnIrrelevantImage)
		if len(s.recommended) > 0 && s.query == "" { // a face: the vector of products in general, in the recommended shapes
			return known.of[0], nil
		}
		return nil, nil
	}
	return v, nil
}

// labels are the vectors of descriptions of pictures: of what the shop sells, and of other
// things. They are computed once a shop.
type labels struct{ of, other [][]float32 }

// labelled embeds a picture, together with the labels if they were not embedded yet.
func (p *Pipeline) labelled(ctx context.Context, of *shop, picture gemini.Part) ([]float32, *labels, error) {
	prefix, _ := catalog.SearchPrefixes(p.Space.Model)
	r := gemini.EmbedRequest{Model: p.Space.Model, Prefix: prefix, Images: []gemini.Part{picture}}
	known, pictures := of.labels.Load(), of.vocabulary.Pictures
	if known == nil {
		r.Texts = slices.Concat(pictures.Of, pictures.Other)
	}
	vectors, err := p.Gemini.Embed(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if known == nil {
		n := len(pictures.Of)
		known = &labels{vectors[:n], vectors[n:len(r.Texts)]}
		of.labels.Store(known)
	}
	return vectors[len(vectors)-1], known, nil
}

// best returns the largest cosine of v and any of the others. All have length 1.
func best(v []float32, others [][]float32) float64 {
	most := -1.0
	for _, o := range others {
		most = max(most, dot(v, o))
	}
	return most
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// gtins returns the numbers of the codes in the picture that identify products, read without
// a model.
func (p *Pipeline) gtins(ctx context.Context, s *state) (found []string, err error) {
	limits := p.limits()
	release, err := s.picture.Reserve(ctx, p.Memory, limits, false)
	var fault *photo.Error
	if errors.As(err, &fault) {
		return nil, nil // of a format that is not decoded here, or too large
	}
	if err != nil {
		return nil, err
	}
	defer release()
	img, err := s.picture.ForCodes(limits)
	if err != nil {
		return nil, nil
	}
	for _, code := range barcode.Read(ctx, img) {
		if code.GTIN != "" && !gs1.Restricted(code.GTIN) {
			found = append(found, code.GTIN)
		}
	}
	return found, ctx.Err()
}

// limits returns the memory limit for decoded pixels.
func (p *Pipeline) limits() photo.Limits { return photo.Limits{MaxMemory: p.Memory.MaxWork()} }
