package openweather

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// FaultType names what goes wrong.
type FaultType string

const (
	// Unauthorized answers 401, as for a key that is not active.
	Unauthorized FaultType = "unauthorized"
	// Missing answers 404: city not found.
	Missing FaultType = "missing"
	// RateLimited answers 429, as when the minute's calls are spent.
	RateLimited FaultType = "rate_limited"
	// Internal answers 500, Unavailable 503.
	Internal    FaultType = "internal"
	Unavailable FaultType = "unavailable"
	// Broken answers 200 with JSON that ends in its middle, NoJSON with a page.
	Broken FaultType = "broken"
	NoJSON FaultType = "no_json"
	// Slow answers after Delay, TimeOut not before the client leaves.
	Slow    FaultType = "slow"
	TimeOut FaultType = "time_out"
)

var faultTypes = []FaultType{Unauthorized, Missing, RateLimited, Internal, Unavailable, Broken, NoJSON, Slow, TimeOut}

// A Fault is an injected error of some calls.
type Fault struct {
	Type FaultType `json:"type"`
	// Path restricts the fault to one path; "" is every one.
	Path string `json:"path,omitempty"`
	// Times is how many calls meet the fault before it is used up; 0 is all.
	Times int `json:"times,omitempty"`
	// Delay is the wait of Slow. In JSON it is a string such as "3s".
	Delay Delay `json:"delay,omitempty"`

	met int
}

// A Delay is a duration, in JSON a string.
type Delay time.Duration

// UnmarshalJSON reads what time.ParseDuration knows.
func (d *Delay) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	read, err := time.ParseDuration(text)
	*d = Delay(read)
	return err
}

// SetFaults replaces the active faults; without arguments there are none. A call meets
// the first fault that applies to it.
func (s *Server) SetFaults(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = slices.Clone(faults)
}

// meet returns the fault of a call of path; nil for none.
func (s *Server) meet(path string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.faults {
		f := &s.faults[i]
		if f.Path != "" && f.Path != path || f.Times > 0 && f.met >= f.Times {
			continue
		}
		f.met++
		found := *f
		return &found
	}
	return nil
}

// happen applies f and reports whether that was the whole answer; after Slow the normal
// answer follows.
func (s *Server) happen(f *Fault, w http.ResponseWriter, r *http.Request) (status int, over bool) {
	switch f.Type {
	case Unauthorized:
		return refuse(w, errKey), true
	case Missing:
		return refuse(w, errCity), true
	case RateLimited:
		return refuse(w, errQuota), true
	case Internal:
		return refuse(w, refusal{http.StatusInternalServerError, "500", "Internal error"}), true
	case Unavailable:
		return refuse(w, refusal{http.StatusServiceUnavailable, "503", "Service unavailable"}), true
	case Broken:
		fmt.Fprint(w, `{"coord":{"lon":126.97,"lat":37.56},"weather":[{"id":80`)
		return http.StatusOK, true
	case NoJSON:
		fmt.Fprint(w, "<html><body>maintenance</body></html>")
		return http.StatusOK, true
	}
	var late <-chan time.Time // never, for TimeOut
	if f.Type == Slow {
		late = time.After(time.Duration(f.Delay))
	}
	select {
	case <-late:
		return 0, false
	case <-r.Context().Done():
	case <-s.stop:
	}
	panic(http.ErrAbortHandler)
}

// controlRoutes are Calls, ResetCalls and SetFaults for other processes:
//
//	GET    /_emulator/calls     [Call]
//	DELETE /_emulator/calls
//	POST   /_emulator/faults    [Fault], in place of those in force
//	DELETE /_emulator/faults
func (s *Server) controlRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /_emulator/calls", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, append([]Call{}, s.Calls()...))
	})
	mux.HandleFunc("DELETE /_emulator/calls", func(w http.ResponseWriter, _ *http.Request) {
		s.ResetCalls()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /_emulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.SetFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /_emulator/faults", func(w http.ResponseWriter, r *http.Request) {
		var faults []Fault
		d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
		d.DisallowUnknownFields()
		err := d.Decode(&faults)
		for _, f := range faults {
			if err == nil && !slices.Contains(faultTypes, f.Type) {
				err = fmt.Errorf("type: unknown fault %q: use one of %q", f.Type, faultTypes)
			}
		}
		if err != nil {
			http.Error(w, r.URL.Path+": "+err.Error(), http.StatusBadRequest)
			return
		}
		s.SetFaults(faults...)
		w.WriteHeader(http.StatusNoContent)
	})
}
