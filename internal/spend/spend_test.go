package spend_test

import (
	"math"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/spend"
)

func TestAdd(t *testing.T) {
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	first := spend.NewMeter(db)
	for _, step := range []struct{ usd, want float64 }{{0, 0}, {0.25, 0.25}, {0, 0.25}, {1, 1.25}} {
		if got, err := first.Add(t.Context(), step.usd); err != nil || got != step.want {
			t.Errorf("Add(%v) = %v, %v; want %v", step.usd, got, err, step.want)
		}
	}
	// A new instance sees what the others spent.
	if got, err := spend.NewMeter(db).Add(t.Context(), 0.5); err != nil || got != 1.75 {
		t.Errorf("a new instance's Add(0.5) = %v, %v; want 1.75", got, err)
	}
}

func TestInstancesAtOnce(t *testing.T) {
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	var group sync.WaitGroup
	for range 4 {
		m := spend.NewMeter(db)
		for range 5 {
			group.Go(func() {
				if _, err := m.Add(t.Context(), 0.1); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	if got, err := spend.NewMeter(db).Add(t.Context(), 0); err != nil || math.Abs(got-2) > 1e-9 {
		t.Errorf("the sum of 20 additions of 0.1 = %v, %v; want 2", got, err)
	}
}
