package intake_test

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/jobs"
)

// Outages and refused permissions of Storage and Firestore cost no attempt either.
func TestOutageOfAStore(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), nil)
	for range 6 {
		d.Storage.Fail(1, http.StatusForbidden)
		_ = d.refused(o)
	}
	d.wantWork(o.Name, jobs.Open, 0)
	d.Gemini.Script(unclear()...)
	d.stock()
	for range 6 {
		d.Firestore.Fail(firestore.Fault{Method: "RunQuery", Code: codes.PermissionDenied, Times: 2}) // the result cache, and the catalogue
		_ = d.refused(o)
		d.Firestore.ClearFaults()
	}
	d.wantWork(o.Name, jobs.Open, 0)
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Error != "" {
		t.Errorf("result = %+v, want an identification", got)
	}
}
