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
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo/phash"
	"example.com/whatis/internal/store"
)

// alike is the greatest number of differing bits, of 64, of near duplicates' hashes;
// different photos differ in 12 or more (package phash).
const alike = 10

// candidates is how many near duplicates are searched for.
const candidates = 3

// hashBits is the number of bits of a hash and of dimensions of its vector.
const hashBits = 64

// vector returns h as a vector of 1 and −1, so that the squared Euclidean distance of
// two vectors is four times the number of bits in which their hashes differ.
func vector(h phash.Hash) firestore.Vector32 {
	v := make(firestore.Vector32, hashBits)
	for i := range v {
		v[i] = 2*float32(h>>i&1) - 1
	}
	return v
}

// distanceOfBits returns a Euclidean distance between those of bits and bits+1
// differing bits: that of half a bit more.
func distanceOfBits(bits float64) float64 { return math.Sqrt(4 * (bits + 0.5)) }

// nearDuplicateVector returns the vector by which near duplicates find r. It is nil
// if r cannot be a candidate: its product has no name or is unidentified, or its
// photo has no perceptual hash.
func nearDuplicateVector(r analyze.Result) firestore.Vector32 {
	if !r.Named() || r.Image == nil {
		return nil
	}
	h, err := phash.Parse(r.Image.PHash)
	if err != nil || h == 0 {
		return nil
	}
	return vector(h)
}

// nearDuplicates returns a function that finds the products of near duplicates in a
// batch.
func (b *Batches) nearDuplicates(id string) intake.Near {
	return func(ctx context.Context, looks phash.Hash) ([]catalog.Match, error) {
		threshold := distanceOfBits(alike)
		found, err := store.List[stored](ctx, b.items(id).Select("result").FindNearest("phash", vector(looks), candidates,
			firestore.DistanceMeasureEuclidean, &firestore.FindNearestOptions{DistanceThreshold: &threshold}))
		if err != nil {
			return nil, fmt.Errorf("batch: near duplicates in %s: %w", id, err)
		}
		var matches []catalog.Match
		for _, s := range found {
			r, err := jobs.Decode[analyze.Result](json.RawMessage(s.Value.Result))
			if err != nil || nearDuplicateVector(r) == nil {
				continue // another version has written it
			}
			matches = append(matches, candidate(r, looks))
		}
		return matches, nil
	}
}

// candidate returns the product of r as a candidate for a near duplicate, with their
// similarity from 0 to 1 as its score. Dates are not taken over.
func candidate(r analyze.Result, looks phash.Hash) (m catalog.Match) {
	h, _ := phash.Parse(r.Image.PHash) // nearDuplicateVector checked it
	m.ProductName, m.Brand, m.Category, m.KeyFeatures = r.ProductName, r.Brand, r.Category, r.KeyFeatures
	m.Status, m.Source, m.Provenance = catalog.Unconfirmed, string(r.Source), []string{r.ID}
	m.Probability = r.ProductNameConfidence
	m.Score = 1 - float64(h.Distance(looks))/hashBits
	return m
}
