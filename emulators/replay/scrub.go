package replay

import (
	"net/http"
	"regexp"
	"strings"
)

// The parameters and headers that carry secrets. No header is recorded.
var (
	secretHeaders    = []string{"X-Goog-Api-Key", "Authorization", "X-Goog-Iam-Authorization-Token", "Proxy-Authorization", "Cookie"}
	secretParameters = []string{"key", "access_token", "oauth_token", "$.xgafv"}
)

// secretForms match Google's keys and tokens anywhere: an error may quote another one
// than the request has.
var secretForms = regexp.MustCompile(`AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z._-]+|(?i:bearer) +[0-9A-Za-z._~+/-]{8,}=*|([?&](?:key|access_token)=)[^&\s"'\\]+`)

// taken replaces a secret.
const taken = "[key]"

// scrubber returns a function that removes r's secrets, and everything that looks like a
// secret, from a text.
func scrubber(r *http.Request) func(string) string {
	var pairs []string
	add := func(secret string) {
		if len(secret) >= 16 { // shorter is no key, and may stand in a word
			pairs = append(pairs, secret, taken)
		}
	}
	for _, name := range secretHeaders {
		for _, value := range r.Header.Values(name) {
			if _, token, ok := strings.Cut(value, " "); ok {
				add(token)
			}
			add(value)
		}
	}
	query := r.URL.Query()
	for _, name := range secretParameters {
		for _, value := range query[name] {
			add(value)
		}
	}
	known := strings.NewReplacer(pairs...)
	return func(s string) string {
		return secretForms.ReplaceAllString(known.Replace(s), "${1}"+taken)
	}
}
