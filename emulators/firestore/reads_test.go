package firestore_test

import (
	"context"
	"fmt"
	"testing"

	gcp "cloud.google.com/go/firestore"

	emulator "example.com/whatis/emulators/firestore"
)

// What is read is counted as it would be billed.
func TestReads(t *testing.T) {
	server := start(t, emulator.Options{})
	db := dial(t, server.Addr())
	products := db.Collection("products")
	writer := db.BulkWriter(t.Context())
	for i := range 250 {
		fields := map[string]any{"shop": fmt.Sprint(i % 2), "v": gcp.Vector32{1, float32(i)}}
		if i >= 240 {
			delete(fields, "v")
		}
		if _, err := writer.Create(products.Doc(fmt.Sprint(i)), fields); err != nil {
			t.Fatal(err)
		}
	}
	writer.End()
	query := func(q interface {
		Documents(context.Context) *gcp.DocumentIterator
	}) func() error {
		return func() error { _, err := q.Documents(t.Context()).GetAll(); return err }
	}
	tests := []struct {
		name string
		ask  func() error
		want emulator.Reads
	}{
		{"three documents", query(products.Limit(3)), emulator.Reads{Documents: 3}},
		{"none", query(products.Where("shop", "==", "2")), emulator.Reads{Documents: 1}},
		{"the nearest five of 240", query(products.FindNearest("v", gcp.Vector32{1, 1}, 5, gcp.DistanceMeasureCosine, nil)), emulator.Reads{Documents: 5, Vectors: 3}},
		{"the nearest five of a shop's 120", query(products.Where("shop", "==", "1").FindNearest("v", gcp.Vector32{1, 1}, 5, gcp.DistanceMeasureCosine, nil)),
			emulator.Reads{Documents: 5, Vectors: 2}},
		{"a count", func() error { _, err := products.NewAggregationQuery().WithCount("n").Get(t.Context()); return err }, emulator.Reads{Counts: 1}},
		{"two by name, one of them missing", func() error {
			_, err := db.GetAll(t.Context(), []*gcp.DocumentRef{products.Doc("1"), products.Doc("none")})
			return err
		}, emulator.Reads{Documents: 2}},
		{"a write", func() error { _, err := products.Doc("new").Set(t.Context(), map[string]any{"x": 1}); return err }, emulator.Reads{}},
	}
	for _, test := range tests {
		server.ResetCalls()
		if err := test.ask(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := server.Reads(); got != test.want {
			t.Errorf("%s: Reads = %+v, want %+v", test.name, got, test.want)
		}
	}
}
