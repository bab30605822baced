package intake

import (
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/work"
)

// The kinds of work.
const (
	kindUpload = "upload" // an object in a bucket
	kindHTTP   = "http"   // a photo in a request; its subject is a URI, if it has one
	kindBatch  = "batch"  // a photo of a batch
)

// The fields that photos and results are listed by.
const (
	bucketField     = "bucket"
	generationField = "generation"
	sourceField     = "source" // SourceOf
	doubtField      = "doubt"  // a person should look at it
)

// Schema is the index of the work on photos. The subject is the object's name.
var Schema = work.Schema{
	Item:    work.Index{bucketField: work.Text(""), generationField: work.Number(0)},
	Outcome: work.Index{sourceField: work.Text(""), doubtField: work.Flag(false)},
}

// indexOf is what r is listed by.
func indexOf(r analyze.Result) work.Index {
	return work.Index{sourceField: work.Text(SourceOf(r)), doubtField: work.Flag(r.Doubtful())}
}
