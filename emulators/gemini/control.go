package gemini

import (
	"encoding/json"
	"net/http"
)

// controlRoutes are Calls, ResetCalls, Script, ResetScript, SetFaults and
// SetSchemaBudget for other processes:
//
//	GET    /_emulator/calls     [Call]
//	DELETE /_emulator/calls
//	POST   /_emulator/script    [Answer], queued after those already there
//	DELETE /_emulator/script
//	POST   /_emulator/faults    [Fault], in place of those in force
//	DELETE /_emulator/faults
//	PUT    /_emulator/schema_budget    a number; 0 is the reported one
func (s *Server) controlRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /_emulator/calls", func(w http.ResponseWriter, r *http.Request) {
		calls := s.Calls()
		if calls == nil {
			calls = []Call{}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(calls)
	})
	mux.HandleFunc("DELETE /_emulator/calls", func(w http.ResponseWriter, r *http.Request) {
		s.ResetCalls()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /_emulator/script", func(w http.ResponseWriter, r *http.Request) {
		accept(w, r, s.Script)
	})
	mux.HandleFunc("DELETE /_emulator/script", func(w http.ResponseWriter, r *http.Request) {
		s.ResetScript()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /_emulator/faults", func(w http.ResponseWriter, r *http.Request) {
		accept(w, r, s.SetFaults)
	})
	mux.HandleFunc("PUT /_emulator/schema_budget", func(w http.ResponseWriter, r *http.Request) {
		var budget int
		if err := json.NewDecoder(r.Body).Decode(&budget); err != nil {
			http.Error(w, r.URL.Path+": "+err.Error(), http.StatusBadRequest)
			return
		}
		s.SetSchemaBudget(budget)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /_emulator/faults", func(w http.ResponseWriter, r *http.Request) {
		s.SetFaults()
		w.WriteHeader(http.StatusNoContent)
	})
}

// accept reads a JSON array and hands it to set; 400 for anything else.
func accept[T any](w http.ResponseWriter, r *http.Request, set func(...T)) {
	var list []T
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		http.Error(w, r.URL.Path+": "+err.Error(), http.StatusBadRequest)
		return
	}
	set(list...)
	w.WriteHeader(http.StatusNoContent)
}
