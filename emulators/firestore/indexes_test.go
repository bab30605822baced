package firestore_test

import (
	"fmt"
	"slices"
	"testing"

	gcp "cloud.google.com/go/firestore"

	emulator "example.com/whatis/emulators/firestore"
)

func TestIndexes(t *testing.T) {
	tests := []struct {
		name string
		ask  func(*gcp.CollectionRef) gcp.Query
		want []string
		own  []string // fields whose own index does
	}{
		{"all", func(c *gcp.CollectionRef) gcp.Query { return c.Query }, nil, nil},
		{"equalities", func(c *gcp.CollectionRef) gcp.Query { return c.Where("x", "==", 1).Where("y", "in", []int{1, 2}) }, nil, []string{"a.x", "a.y"}},
		{"one of two", func(c *gcp.CollectionRef) gcp.Query {
			return c.Where("z", "==", 1).WhereEntity(gcp.OrFilter{Filters: []gcp.EntityFilter{
				gcp.PropertyFilter{Path: "x", Operator: "==", Value: 1}, gcp.PropertyFilter{Path: "y", Operator: "in", Value: []int{1, 2}},
			}})
		}, nil, []string{"a.x", "a.y", "a.z"}},
		{"an order", func(c *gcp.CollectionRef) gcp.Query { return c.OrderBy("x", gcp.Desc) }, nil, []string{"a.x"}},
		{"an order by name", func(c *gcp.CollectionRef) gcp.Query { return c.Where("x", "==", 1).OrderBy(gcp.DocumentID, gcp.Asc) }, nil, []string{"a.x"}},
		{"an inequality", func(c *gcp.CollectionRef) gcp.Query { return c.Where("x", ">", 1) }, nil, []string{"a.x"}},
		{"an equality and an order", func(c *gcp.CollectionRef) gcp.Query {
			return c.Where("y", "==", 1).Where("x", "==", 1).OrderBy("z", gcp.Desc)
		}, []string{"a: x == y == z DESCENDING"}, nil},
		{"an equality and an inequality", func(c *gcp.CollectionRef) gcp.Query { return c.Where("x", "==", 1).Where("y", "<", 1) }, []string{"a: x == y ASCENDING"}, nil},
		{"two orders", func(c *gcp.CollectionRef) gcp.Query { return c.OrderBy("x", gcp.Asc).OrderBy("y", gcp.Desc) }, []string{"a: x ASCENDING y DESCENDING"}, nil},
	}
	for _, test := range tests {
		server := start(t, emulator.Options{})
		q := test.ask(dial(t, server.Addr()).Collection("a"))
		for range 2 {
			if _, err := q.Documents(t.Context()).GetAll(); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, i := range server.Indexes() {
			got = append(got, fmt.Sprint(i))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: indexes = %q, want %q", test.name, got, test.want)
		}
		if own := server.Fields(); !slices.Equal(own, test.own) {
			t.Errorf("%s: fields = %q, want %q", test.name, own, test.own)
		}
	}
}

// A query across all collections with an ID needs an index of that scope.
func TestIndexesOfGroups(t *testing.T) {
	server := start(t, emulator.Options{})
	if _, err := dial(t, server.Addr()).CollectionGroup("a").Where("x", "==", 1).Documents(t.Context()).GetAll(); err != nil {
		t.Fatal(err)
	}
	if own := server.Fields(); !slices.Equal(own, []string{"a.x (group)"}) {
		t.Errorf("fields = %q, want a.x (group)", own)
	}
}

func TestIndexesOfVectorsAndSums(t *testing.T) {
	server := start(t, emulator.Options{})
	c := dial(t, server.Addr()).Collection("a")
	near := c.Where("x", "==", 1).FindNearest("v", gcp.Vector32{1, 2, 3}, 1, gcp.DistanceMeasureCosine, nil)
	if _, err := near.Documents(t.Context()).GetAll(); err != nil {
		t.Fatal(err)
	}
	equal := c.Where("x", "==", 1)
	if _, err := equal.NewAggregationQuery().WithSum("y", "s").Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := server.Indexes()
	if len(got) != 2 || got[0].String() != "a: x == v VECTOR" || got[0].Dimension != 3 || got[1].String() != "a: x == y ASCENDING" {
		t.Errorf("indexes = %+v, want one of a vector and one of a sum", got)
	}
}
