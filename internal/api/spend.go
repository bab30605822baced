package api

import (
	"log/slog"
	"net/http"
	"reflect"

	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// spending is the part of the site for what the models cost.
func (a *API) spending() web.Part {
	if a.Spend == nil {
		return web.Part{}
	}
	paused := []web.Reply{{Status: http.StatusOK, What: "The day's costs so far, and the pause", Media: web.InJSON(web.Ref("Day"))}}
	return web.Part{
		Name: "spend", About: "What the calls of models cost",
		Routes: []web.Route{{
			ID: "pauseSpend", Method: http.MethodPost, Path: "/spend/pause", Do: a.pause(true), Role: caller.Owner, Summary: "Stop all that costs, in all instances, within ten seconds",
			More:    "Calls that are under way are finished. Photos, batches and runs wait as if the day's budget were spent, over midnight too, until the pause is taken back; whoever asks is answered paid_work_paused. What costs nothing goes on.",
			Answers: paused, Problems: append([]web.Code{noLimit}, storeProblems...),
		}, {
			ID: "resumeSpend", Method: http.MethodDelete, Path: "/spend/pause", Do: a.pause(false), Role: caller.Owner, Summary: "Let paid work go on", More: "What waits is tried again within ten minutes.",
			Answers: paused, Problems: append([]web.Code{noLimit}, storeProblems...),
		}, {
			ID: "getSpend", Method: http.MethodGet, Path: "/spend", Do: a.today, Role: caller.Reader, Summary: "What today's calls of models have cost, by agent and by model",
			More:     "In US dollars by the price list of the program, whose date is in docs/prices.md; Google's bill decides. A day begins at midnight UTC.",
			Answers:  []web.Reply{{Status: http.StatusOK, What: "The day's costs so far, at most eleven seconds old: over all instances where a day has a limit, else those of the instance that answers", Media: web.InJSON(web.Ref("Day"))}},
			Problems: storeProblems,
		}},
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(nil, map[string]reflect.Type{"Day": reflect.TypeFor[spend.Day]()})
		},
	}
}

// noLimit is the code of a pause where instances do not look at what others have spent.
var noLimit = web.Code{Name: "no_daily_limit", Status: http.StatusNotImplemented, Cause: "MAX_USD_PER_DAY is not set, without which instances know nothing of each other's costs, nor of a pause."}

func (a *API) pause(on bool) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if a.Pause == nil {
			noLimit.Problem("paid work is paused by the daily limit, and none is set: set MAX_USD_PER_DAY, or take the model's rights away").Write(w)
			return nil
		}
		by := signed(r, "").By
		if err := a.Pause(r.Context(), by, on); err != nil {
			return err
		}
		slog.WarnContext(r.Context(), "paid work", "paused", on, "by", by)
		return a.today(w, r)
	}
}

func (a *API) today(w http.ResponseWriter, r *http.Request) error {
	day, err := a.Spend(r.Context())
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, day)
	return nil
}
