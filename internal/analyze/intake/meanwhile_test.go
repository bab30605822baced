package intake_test

import (
	"fmt"
	"sync"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
)

// deliveries are the ways in which a photo is delivered that was answered before with other options.
var deliveries = map[string]func(*harness) intake.Delivery{
	"upload": func(d *harness) intake.Delivery {
		return d.upload("in/second.jpg", picture(d.t), map[string]string{"lang": "en"})
	},
	"group": func(d *harness) intake.Delivery {
		o, more := d.upload("in/second.jpg", picture(d.t), nil), d.upload("in/third.jpg", shade(d.t, 90), nil)
		o.More, o.As = []intake.Object{more.Object}, o.ObjectRef
		o.As.Name = "in.folder"
		return o
	},
	"batch item": func(d *harness) intake.Delivery {
		o := d.upload("in/second.jpg", picture(d.t), nil)
		o.Batch, o.Options.Lang = "20260101-000000-00000000", "en"
		return o
	},
}

// whileRead has meanwhile called when a model is asked next to read a photo: nothing is on record
// of it then but the claim.
func (d *harness) whileRead(meanwhile func() error) {
	once := sync.OnceFunc(func() {
		if err := meanwhile(); err != nil {
			d.t.Error(err)
		}
	})
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, Match: func(*emulated.Request) bool { once(); return false }})
}

// A photo that is forgotten while its event is worked on is neither listed nor in the cache, nor in
// the bucket of results, nor told of, afterwards.
func TestForgottenWhileDelivered(t *testing.T) {
	t.Parallel()
	for way, begin := range deliveries {
		for _, waits := range []bool{false, true} {
			forgottenWhileDelivered(t, way, begin, waits)
		}
	}
}

func forgottenWhileDelivered(t *testing.T, way string, begin func(*harness) intake.Delivery, waits bool) {
	t.Run(fmt.Sprint(way, " that waits for quota ", waits), func(t *testing.T) {
		t.Parallel()
		d, told := publishingHarness(t)
		d.Gemini.Script(unclear()...)
		first, o := d.ask(intake.Photo{Data: picture(t)}), begin(d)
		forget := func() error {
			_, err := d.Forget(t.Context(), first.ID, false, nothingElsewhere{})
			return err
		}
		if waits {
			d.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota, Times: 1})
			_ = d.refused(o)
			if err := forget(); err != nil {
				t.Fatal(err)
			}
		} else {
			d.whileRead(forget)
		}
		d.Gemini.Script(unclear()...)
		d.deliver(o)
		d.deliver(o)
		if list, _, err := d.List(t.Context(), intake.Filter{}); err != nil || len(list) != 0 {
			t.Errorf("%d results are listed of a photo that was forgotten, %v", len(list), err)
		}
		for _, name := range []string{"in/second.jpg", "in.folder"} {
			if _, ok := d.result(name); ok {
				t.Errorf("%s.json is written of a photo that was forgotten", name)
			}
		}
		if n := len(told.take()); n != 1 {
			t.Errorf("%d results are published, want the first", n)
		}
		if r := d.ask(intake.Photo{Data: picture(t), Options: intake.Options{Lang: "en"}}); r.Cached {
			t.Error("the answer of a photo that was forgotten is in the cache")
		}
	})
}

// What people say of a photo while its event is worked on stands in that result too.
func TestReviewedWhileDelivered(t *testing.T) {
	t.Parallel()
	for way, begin := range deliveries {
		if way == "group" {
			continue // what is said of one photo is not said of several
		}
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.Gemini.Script(unclear()...)
			first, o := d.ask(intake.Photo{Data: picture(t)}), begin(d)
			d.whileRead(func() error { return d.reject(first) })
			d.Gemini.Script(unclear()...)
			d.deliver(o)
			list, _, err := d.List(t.Context(), intake.Filter{})
			if err != nil || len(list) != 2 {
				t.Errorf("%d results are listed, %v; want both", len(list), err)
			}
			for _, l := range list {
				if l.Public.ProductName != "" || l.Verdict() != review.Reject {
					t.Errorf("%s says %q by %q, want the name rejected", l.Subject, l.Public.ProductName, l.Verdict())
				}
			}
			if r, ok := d.result("in/second.jpg"); ok && r.ProductName != "" {
				t.Errorf("the object says %q, want the name rejected", r.ProductName)
			}
		})
	}
}
