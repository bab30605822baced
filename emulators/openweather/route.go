package openweather

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A refusal is an error as the service writes it: its cod is a number for some and a
// text for others.
type refusal struct {
	status  int
	cod     any
	message string
}

// The service's refusals, in its words (openweathermap.org/faq, and observed answers).
var (
	errKey       = refusal{http.StatusUnauthorized, 401, "Invalid API key. Please see https://openweathermap.org/faq#error401 for more info."}
	errQuota     = refusal{http.StatusTooManyRequests, 429, "Your account is temporary blocked due to exceeding of requests limitation of your subscription type. Please choose the proper subscription https://openweathermap.org/price"}
	errCity      = refusal{http.StatusNotFound, "404", "city not found"}
	errZip       = refusal{http.StatusNotFound, "404", "not found"}
	errNothing   = refusal{http.StatusBadRequest, "400", "Nothing to geocode"}
	errLatitude  = refusal{http.StatusBadRequest, "400", "wrong latitude"}
	errLongitude = refusal{http.StatusBadRequest, "400", "wrong longitude"}
)

func (e refusal) Error() string { return e.message }

func refuse(w http.ResponseWriter, e refusal) int {
	answer(w, e.status, map[string]any{"cod": e.cod, "message": e.message})
	return e.status
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that has left
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, do := range map[string]func(url.Values) (any, error){
		"/data/2.5/weather": s.current, "/data/2.5/forecast": s.forecast,
		"/geo/1.0/direct": direct, "/geo/1.0/reverse": reverse, "/geo/1.0/zip": zip,
	} {
		mux.HandleFunc("GET "+path, s.served(path, do))
	}
	s.controlRoutes(mux)
	return mux
}

// served returns a handler that checks key and quota, applies faults, and then calls do.
func (s *Server) served(path string, do func(url.Values) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", ServerName)
		query := r.URL.Query()
		key := query.Get("appid")
		query.Del("appid")
		status := 0
		defer func() { s.log(Call{path, query, status, s.o.Now()}) }()
		if key == "" || s.o.APIKey != "" && key != s.o.APIKey {
			status = refuse(w, errKey)
			return
		}
		if !s.spend(key) {
			status = refuse(w, errQuota)
			return
		}
		if f := s.meet(path); f != nil {
			var over bool
			if status, over = s.happen(f, w, r); over {
				return
			}
		}
		if body := s.answerOf(path); body != nil {
			status = http.StatusOK
			answer(w, status, json.RawMessage(body))
			return
		}
		status = s.answered(w, query, do)
	}
}

func (s *Server) answered(w http.ResponseWriter, query url.Values, do func(url.Values) (any, error)) int {
	v, err := do(query)
	if e, ok := err.(refusal); ok {
		return refuse(w, e)
	}
	answer(w, http.StatusOK, v)
	return http.StatusOK
}

func (s *Server) log(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
}

// spend takes one of the key's remaining calls of this minute, if there is one.
func (s *Server) spend(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var last []time.Time
	for _, at := range s.spent[key] {
		if now.Sub(at) < time.Minute {
			last = append(last, at)
		}
	}
	s.spent[key] = last
	if len(last) >= s.o.PerMinute {
		return false
	}
	s.spent[key] = append(last, now)
	return true
}

// coordinates reads lat and lon; given is false if both are missing.
func coordinates(q url.Values) (lat, lon float64, given bool, err error) {
	if !q.Has("lat") && !q.Has("lon") {
		return 0, 0, false, nil
	}
	if lat, err = strconv.ParseFloat(q.Get("lat"), 64); err != nil || !(math.Abs(lat) <= 90) {
		return 0, 0, true, errLatitude
	}
	if lon, err = strconv.ParseFloat(q.Get("lon"), 64); err != nil || !(math.Abs(lon) <= 180) {
		return 0, 0, true, errLongitude
	}
	return lat, lon, true, nil
}
