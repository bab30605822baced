package a2a

import (
	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/web/caller"
)

// The names of the security schemes in the agent card.
const (
	bearerScheme = "google_identity_token"
	openIDScheme = "google"
)

// googleOpenID is where Google says how its identity tokens are made and verified.
const googleOpenID = "https://accounts.google.com/.well-known/openid-configuration"

// tokens say what identity token each kind of access takes. Others take none.
var tokens = map[caller.Access]string{
	caller.Private:   "An identity token of Google whose audience is this service's URL, of an account that may invoke it: gcloud auth print-identity-token",
	caller.BehindIAP: "An identity token of Google whose audience is the client ID of Identity-Aware Proxy, which stands before this service",
}

// secure declares in c how callers prove who they are: by an identity token of Google in the
// header Authorization, where there is no access without.
func secure(c *a2a.AgentCard, access caller.Access) {
	about, needed := tokens[access]
	if !needed {
		return
	}
	c.SecuritySchemes = a2a.NamedSecuritySchemes{
		bearerScheme: a2a.HTTPAuthSecurityScheme{Scheme: "Bearer", BearerFormat: "JWT", Description: about},
		openIDScheme: a2a.OpenIDConnectSecurityScheme{OpenIDConnectURL: googleOpenID, Description: about},
	}
	c.SecurityRequirements = a2a.SecurityRequirementsOptions{ // either of them: it is the same token
		{bearerScheme: {}}, {openIDScheme: {}},
	}
}
