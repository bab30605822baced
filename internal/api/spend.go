package api

import (
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
	return web.Part{
		Name: "spend", About: "What the calls of models cost",
		Routes: []web.Route{{
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

func (a *API) today(w http.ResponseWriter, r *http.Request) error {
	day, err := a.Spend(r.Context())
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, day)
	return nil
}
