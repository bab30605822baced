package caller

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A token is a JSON Web Token, decoded and not verified.
type token struct {
	text      string
	header    struct{ Alg, Kid string }
	claims    claims
	signature []byte
}

// claims are the claims of a token that are read.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Email    string `json:"email"`
	Verified bool   `json:"email_verified"` // the issuer has verified the e-mail address
}

// errMalformed is the error for a text that is no token.
var errMalformed = errors.New("it is no token")

// parse decodes a token.
func parse(text string) (t token, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return t, errMalformed
	}
	t.text = text
	if err := object(parts[0], &t.header); err != nil {
		return t, err
	}
	if err := object(parts[1], &t.claims); err != nil {
		return t, err
	}
	// Cloud Run writes words in the place of a signature that it has verified.
	t.signature, _ = base64.RawURLEncoding.DecodeString(parts[2])
	return t, nil
}

// object decodes a part of a token, which must be a JSON object.
func object(part string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil || len(data) == 0 || data[0] != '{' {
		return errMalformed
	}
	if json.Unmarshal(data, v) != nil {
		return errMalformed
	}
	return nil
}

// bearer returns the token of a header such as Authorization.
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// googleIssuers issue Google's identity tokens.
var googleIssuers = []string{"https://accounts.google.com", "accounts.google.com"}

// account returns the caller that an identity token of Google's names.
func (c claims) account(kind Kind) (Caller, bool) {
	if c.Subject == "" || !slices.Contains(googleIssuers, c.Issuer) {
		return Caller{}, false
	}
	who := Caller{Kind: kind, Subject: "accounts.google.com:" + c.Subject}
	if c.Verified {
		who.Email = c.Email
	}
	return who, true
}
