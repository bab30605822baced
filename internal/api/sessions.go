package api

import (
	"net/http"
	"reflect"
	"regexp"

	"example.com/whatis/internal/session"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// sessions is the part of the site for conversations with all agents. A conversation's ID
// is issued with its first answer: anonymous callers who know it may continue. A
// conversation that belongs to a named caller exists for nobody else.
func (a *API) sessions() web.Part {
	if a.Sessions == nil {
		return web.Part{}
	}
	path := web.InPath(sessionID.String(), "44c4024c0b16bc0f5fd4bdc585b692f7")
	problems := append([]web.Code{sessionNotFound}, storeProblems...)
	return web.Part{
		Name: "sessions", About: "Conversations with agents",
		Routes: []web.Route{
			{
				ID: "getSession", Method: http.MethodGet, Path: "/sessions/{id}", Do: a.oneSession, Summary: "A conversation with an agent",
				More:       "One that a named caller began exists for nobody else.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "Who said what, newest last, and what the agent remembers of it", Media: web.InJSON(web.Ref("Conversation"))}},
				Problems:   problems,
			},
			{
				ID: "deleteSession", Method: http.MethodDelete, Path: "/sessions/{id}", Do: a.deleteSession, Summary: "Forget a conversation",
				More:       "With all its messages.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusNoContent, What: "It is forgotten"}},
				Problems:   problems,
			},
		},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: session.ErrNotFound, Code: sessionNotFound},
			web.Known{Err: session.ErrBusy, Code: sessionBusy},
			web.Known{Err: session.ErrTooLarge, Code: sessionTooLarge},
		),
		Codes: []web.Code{sessionBusy, sessionTooLarge},
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{"Conversation": reflect.TypeFor[session.Conversation]()})
		},
	}
}

// The codes of problems with conversations.
var (
	sessionNotFound = web.Code{Name: "session_not_found", Status: http.StatusNotFound, Cause: "There is no such conversation, or it has expired."}
	sessionBusy     = web.Code{Name: "session_busy", Status: http.StatusConflict, Cause: "The message before is still being answered."}
	sessionTooLarge = web.Code{Name: "session_too_large", Status: http.StatusRequestEntityTooLarge, Cause: "The conversation has grown over its limit."}
)

// sessionID matches the IDs of conversations.
var sessionID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (a *API) oneSession(w http.ResponseWriter, r *http.Request) error {
	conversations, id, err := a.session(r)
	if err != nil {
		return err
	}
	c, err := conversations.Find(r.Context(), caller.From(r.Context()).Owner(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, c)
	return nil
}

func (a *API) deleteSession(w http.ResponseWriter, r *http.Request) error {
	conversations, id, err := a.session(r)
	if err != nil {
		return err
	}
	if err := conversations.Remove(r.Context(), caller.From(r.Context()).Owner(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// session returns the session service, and the conversation ID in the path.
func (a *API) session(r *http.Request) (*session.Service, string, error) {
	id, err := web.PathID(r, sessionID, session.ErrNotFound)
	if err != nil {
		return nil, "", err
	}
	conversations, err := a.Sessions(r.Context())
	return conversations, id, err
}
