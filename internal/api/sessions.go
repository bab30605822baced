package api

import (
	"net/http"
	"reflect"
	"regexp"

	"example.com/whatis/internal/session"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// sessions are the conversations with all agents. Their IDs are issued here, with the
// first answer of each: whoever has one may go on, unless it is a named user's.
func (a *API) sessions() web.Part {
	if a.Sessions == nil {
		return web.Part{}
	}
	path := web.InPath(sessionID.String())
	problems := append([]web.Code{sessionNotFound, sessionForeign}, stored...)
	return web.Part{
		Name: "sessions", About: "Conversations with agents",
		Routes: []web.Route{
			{
				ID: "getSession", Method: http.MethodGet, Path: "/sessions/{id}", Do: a.oneSession, Summary: "A conversation with an agent", Parameters: []web.Parameter{path},
				Answers:  []web.Reply{{Status: http.StatusOK, What: "Who said what, newest last, and what the agent remembers of it", Media: web.InJSON(web.Ref("Conversation"))}},
				Problems: problems,
			},
			{
				ID: "deleteSession", Method: http.MethodDelete, Path: "/sessions/{id}", Do: a.deleteSession, Summary: "Forget a conversation", Parameters: []web.Parameter{path},
				Answers:  []web.Reply{{Status: http.StatusNoContent, What: "It is forgotten"}},
				Problems: problems,
			},
		},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: session.ErrNotFound, Code: sessionNotFound},
			web.Known{Err: session.ErrForeign, Code: sessionForeign},
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
	sessionNotFound = web.Code{Name: "session_not_found", Status: http.StatusNotFound}
	sessionForeign  = web.Code{Name: "session_foreign", Status: http.StatusForbidden}
	sessionBusy     = web.Code{Name: "session_busy", Status: http.StatusConflict}
	sessionTooLarge = web.Code{Name: "session_too_large", Status: http.StatusRequestEntityTooLarge}
)

// sessionID is what IDs of conversations look like.
var sessionID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// caller is who asks, as Identity-Aware Proxy says it, "" where nobody does. Without
// that proxy anybody may make the header up: it opens no conversation of another, as
// IDs cannot be guessed, but it is no secret, so that agents keep none in user: state.
func caller(r *http.Request) string { return r.Header.Get("X-Goog-Authenticated-User-Id") }

func (a *API) oneSession(w http.ResponseWriter, r *http.Request) error {
	conversations, id, err := a.session(r)
	if err != nil {
		return err
	}
	c, err := conversations.Find(r.Context(), caller(r), id)
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
	if err := conversations.Remove(r.Context(), caller(r), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// session is the ID in the path, and where its conversation is.
func (a *API) session(r *http.Request) (*session.Service, string, error) {
	id, err := web.PathID(r, sessionID, session.ErrNotFound)
	if err != nil {
		return nil, "", err
	}
	conversations, err := a.Sessions(r.Context())
	return conversations, id, err
}
