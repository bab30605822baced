package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/store"
)

// Photos that differ in so many of the 64 bits of their hashes at most look alike;
// different ones are 12 apart or more (package phash).
const alike = 10

// candidates is how many near duplicates are asked for.
const candidates = 3

// hashBits is how many bits a hash has, and dimensions its vector.
const hashBits = 64

// vector is h as a vector of 1 and −1, so that the square of the Euclidean distance
// of two is four times the number of bits in which their hashes differ.
func vector(h phash.Hash) firestore.Vector32 {
	v := make(firestore.Vector32, hashBits)
	for i := range v {
		v[i] = 2*float32(h>>i&1) - 1
	}
	return v
}

// distanceOfBits is the Euclidean distance that hashes of bits differing bits keep below,
// and of one bit more do not: that of half a bit more.
func distanceOfBits(bits float64) float64 { return math.Sqrt(4 * (bits + 0.5)) }

// nearDuplicateVector is the vector by which near duplicates find r, nil for a result that says
// nothing to them: it names no product, or one that nobody knows, or its photo
// cannot be told from others.
func nearDuplicateVector(r analyze.Result) firestore.Vector32 {
	if r.Identification == nil || r.ProductName == "" || intake.SourceOf(r) == Unidentified || r.Image == nil {
		return nil
	}
	h, err := phash.Parse(r.Image.PHash)
	if err != nil || h == 0 {
		return nil
	}
	return vector(h)
}

// nearDuplicates finds what photos of a batch that look alike were found to be.
func (b *Batches) nearDuplicates(id string) intake.Near {
	return func(ctx context.Context, looks phash.Hash) ([]catalog.Match, error) {
		threshold := distanceOfBits(alike)
		found, err := store.List[stored](ctx, b.items(id).Select("file", "result").FindNearest("phash", vector(looks), candidates,
			firestore.DistanceMeasureEuclidean, &firestore.FindNearestOptions{DistanceThreshold: &threshold}))
		if err != nil {
			return nil, fmt.Errorf("batch: near duplicates in %s: %w", id, err)
		}
		var matches []catalog.Match
		for _, s := range found {
			m, err := candidate(s.Value, looks)
			if err != nil {
				return nil, fmt.Errorf("batch: item %s of %s: %w", s.ID, id, err)
			}
			matches = append(matches, m)
		}
		return matches, nil
	}
}

// candidate is what an item lends to a photo that looks like it: the product, and
// how alike the two are, from 0 to 1. Dates are the item's own.
func candidate(s stored, looks phash.Hash) (m catalog.Match, err error) {
	var r analyze.Result
	if err := json.Unmarshal([]byte(s.Result), &r); err != nil {
		return m, err
	}
	h, err := phash.Parse(r.Image.PHash) // nearDuplicateVector saw that there is one
	if err != nil {
		return m, err
	}
	m.ProductName, m.Brand, m.Category, m.KeyFeatures = r.ProductName, r.Brand, r.Category, r.KeyFeatures
	m.Status, m.Source, m.Provenance = catalog.Unconfirmed, string(r.Source), []string{s.File}
	m.Probability = r.ProductNameConfidence
	m.Score = 1 - float64(h.Distance(looks))/hashBits
	return m, nil
}
