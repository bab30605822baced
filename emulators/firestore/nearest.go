package firestore

import (
	"cmp"
	"math"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

const maxNearest = 1000 // results of one FindNearest

// nearest is a checked FindNearest: exact, over every row, in one pass.
type nearest struct {
	field     fieldPath
	query     *vector
	distance  func(a, b *vector) float64
	larger    bool // a larger distance is closer
	limit     int
	threshold *float64
	result    string // name of the field that gets the distance; "" none
	compared  int    // rows that the last rank compared with the query
}

func (p *plan) parseNearest(q *pb.StructuredQuery) error {
	from := q.GetFindNearest()
	if from == nil {
		return nil
	}
	if q.GetLimit() != nil {
		return invalid("A query limit cannot be used with FindNearest")
	}
	if p.offset != 0 {
		return invalid("A query offset cannot be used with FindNearest")
	}
	n := &nearest{limit: int(from.GetLimit().GetValue())}
	if n.limit < 1 || n.limit > maxNearest {
		return invalid("FindNearest.limit must be a positive integer of no more than %d", maxNearest)
	}
	if from.GetDistanceThreshold() != nil {
		n.threshold = &from.GetDistanceThreshold().Value
	}
	p.nearest = n
	return n.parseMeasure(from)
}

func (n *nearest) parseMeasure(from *pb.StructuredQuery_FindNearest) (err error) {
	switch from.GetDistanceMeasure() {
	case pb.StructuredQuery_FindNearest_EUCLIDEAN:
		n.distance = euclidean
	case pb.StructuredQuery_FindNearest_COSINE:
		n.distance = cosine
	case pb.StructuredQuery_FindNearest_DOT_PRODUCT:
		n.distance, n.larger = dot, true
	default:
		return invalid("Unknown Distance Measure.")
	}
	if n.field, err = parseFieldPath(from.GetVectorField().GetFieldPath()); err != nil {
		return err
	}
	query, err := fromProto("", from.GetQueryVector(), 1)
	if err != nil {
		return err
	}
	var ok bool
	if n.query, ok = query.(*vector); !ok {
		return invalid("Query Value must be of type vector.")
	}
	n.result = from.GetDistanceResultField()
	if reserved(n.result) {
		return invalid("The distanceResultField.property.name %q is reserved.", n.result)
	}
	return nil
}

// rank returns the closest rows, closest first, equals in the order they came;
// rows without a vector of the query's dimensions are left out. A distance
// that is NaN counts as larger than any other, and passes no threshold.
func (n *nearest) rank(rows []row) []hit {
	var hits []hit
	var farthest *hit // of those that are wanted so far
	n.compared = 0
	for _, r := range rows {
		v, _ := r.get(n.field)
		candidate, ok := v.(*vector)
		if !ok || candidate.len() != n.query.len() {
			continue
		}
		n.compared++
		h := hit{r.document, n.distance(n.query, candidate)}
		if !n.within(h.distance) || farthest != nil && n.compare(h, *farthest) >= 0 {
			continue
		}
		if hits = append(hits, h); len(hits) == 2*n.limit {
			hits = n.closest(hits)
			farthest = &hits[n.limit-1]
		}
	}
	return n.closest(hits)
}

// closest returns the closest of hits, no more than are wanted. It changes their order.
func (n *nearest) closest(hits []hit) []hit {
	slices.SortStableFunc(hits, n.compare)
	return hits[:min(n.limit, len(hits))]
}

func (n *nearest) within(distance float64) bool {
	switch {
	case n.threshold == nil:
		return true
	case n.larger:
		return distance >= *n.threshold
	}
	return distance <= *n.threshold
}

func (n *nearest) compare(a, b hit) int {
	c := cmp.Compare(a.distance, b.distance)
	if aNaN := math.IsNaN(a.distance); aNaN != math.IsNaN(b.distance) {
		c = -c
	}
	if n.larger {
		c = -c
	}
	return c
}

// answer converts a hit, with its distance where one was asked for.
func (p *plan) answer(h hit) *pb.Document {
	if p.nearest == nil || p.nearest.result == "" {
		return h.proto(p.mask)
	}
	return h.protoWith(p.mask, object{p.nearest.result: h.distance})
}
