package firestore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/status"
)

// differences lists where Google's emulator and ours knowingly differ. Ours
// follows the documentation of the service in each. Not probed, because they
// take long or do not show through the client:
//   - Google's locks what a transaction reads and lets a conflict wait two
//     seconds, ours lets the first commit win at once.
//   - Google's keeps old versions for read_time, ours answers with the newest.
//   - Google's ListDocuments takes any order_by, ours only the name.
//   - Google's takes no notice of an inequality with null or NaN inside an or,
//     ours orders by its field like by others, which leaves out documents
//     without it.
var differences = []struct {
	about        string
	ours, google string
	probe        func(*firestore.Client) string
}{
	{
		about:  "message of a Create that lost: the service's, not Datastore's",
		ours:   "Document already exists: projects/P/databases/(default)/documents/c/a",
		google: "entity already exists: EntityRef{partitionRef=dev~P, path=/c/a}",
		probe: func(c *firestore.Client) string {
			c.Doc("c/a").Create(context.Background(), fields{})
			return anonymous(c, second(c.Doc("c/a").Create(context.Background(), fields{})))
		},
	},
	{
		about:  "descending order by name: needs an index in the service, which we always have",
		ours:   "b a",
		google: "FailedPrecondition",
		probe: func(c *firestore.Client) string {
			c.Doc("c/a").Set(context.Background(), fields{})
			c.Doc("c/b").Set(context.Background(), fields{})
			return found(c.Collection("c").OrderBy(firestore.DocumentID, firestore.Desc).Documents(context.Background()))
		},
	},
	{
		about:  "vectors within maps: searched like others",
		ours:   "a",
		google: "",
		probe: func(c *firestore.Client) string {
			c.Doc("c/a").Set(context.Background(), fields{"m": fields{"e": firestore.Vector32{1}}})
			q := c.Collection("c").FindNearest("m.e", firestore.Vector32{1}, 1, euclidean, nil)
			return found(q.Documents(context.Background()))
		},
	},
	{
		about:  "NaN in the vector that is searched for: refused, as in stored ones",
		ours:   "InvalidArgument",
		google: "a",
		probe: func(c *firestore.Client) string {
			c.Doc("c/a").Set(context.Background(), fields{"e": firestore.Vector32{1}})
			q := c.Collection("c").FindNearest("e", firestore.Vector64{math.NaN()}, 1, euclidean, nil)
			return found(q.Documents(context.Background()))
		},
	},
	{
		about:  "Set and Create of one document in a commit: judged one after the other",
		ours:   "AlreadyExists",
		google: "InvalidArgument",
		probe: func(c *firestore.Client) string {
			err := c.RunTransaction(context.Background(), func(_ context.Context, tx *firestore.Transaction) error {
				return errors.Join(tx.Set(c.Doc("c/a"), fields{}), tx.Create(c.Doc("c/a"), fields{}))
			})
			return status.Code(err).String()
		},
	},
	{
		about:  "six aggregations: one too many",
		ours:   "InvalidArgument",
		google: "Unknown",
		probe: func(c *firestore.Client) string {
			q := c.Collection("c").NewAggregationQuery()
			for i := range 6 {
				q = q.WithCount(fmt.Sprint(i))
			}
			return status.Code(second(q.Get(context.Background()))).String()
		},
	},
}

// anonymous returns an error's message with the client's project called P.
func anonymous(c *firestore.Client, err error) string {
	project := strings.Split(c.Doc("c/a").Path, "/")[1]
	return strings.ReplaceAll(status.Convert(err).Message(), project, "P")
}
