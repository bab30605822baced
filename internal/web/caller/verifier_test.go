package caller_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/web/caller"
	"example.com/whatis/internal/web/caller/callertest"
)

const (
	ours  = "/projects/1/locations/europe-west1/services/whatis-api"
	token = "https://whatis-api-1.europe-west1.run.app"
)

func verifier(t *testing.T, c caller.Config) *caller.Verifier {
	t.Helper()
	v, err := caller.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// request returns a request with headers, which alternate name and value.
func request(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

const (
	assertion = "X-Goog-Iap-Jwt-Assertion"
	plain     = "X-Goog-Authenticated-User-Email"
)

// Behind IAP the signed assertion counts and nothing else.
func TestBehindIAP(t *testing.T) {
	issuer, other := callertest.Start(t), callertest.Start(t)
	v := verifier(t, caller.Config{Access: caller.BehindIAP, Audiences: []string{ours}, Owners: []string{"Owner@example.com"}, Reviewers: []string{"kim@example.com"}, Keys: issuer.URL})
	kim, owner := callertest.Asserts(ours, "1", "kim@example.com"), callertest.Asserts(ours, "2", "owner@example.com")
	null := base64.RawURLEncoding.EncodeToString([]byte("null"))
	valid := issuer.ES256("1", kim)
	parts := strings.Split(valid, ".")
	ownersClaims := strings.Split(issuer.ES256("1", owner), ".")[1]
	for _, tt := range []struct {
		name    string
		headers []string
		want    string // e-mail address and role; "" is refused
	}{
		{"a reviewer", []string{assertion, valid}, "kim@example.com reviewer"},
		{"an owner, whatever the case", []string{assertion, issuer.ES256("1", owner)}, "owner@example.com owner"},
		{"anybody else", []string{assertion, issuer.ES256("1", callertest.Asserts(ours, "3", "ana@example.com"))}, "ana@example.com reader"},
		{"a forged plain header beside the assertion of another", []string{assertion, valid, plain, "accounts.google.com:owner@example.com"}, "kim@example.com reviewer"},
		{"an identity token beside it", []string{assertion, valid, "Authorization", "Bearer " + issuer.RS256("1", callertest.Names(ours, "2", "owner@example.com"))}, "kim@example.com reviewer"},
		{"the plain header only", []string{plain, "accounts.google.com:owner@example.com"}, ""},
		{"an identity token only", []string{"Authorization", "Bearer " + issuer.RS256("1", callertest.Names(ours, "2", "owner@example.com"))}, ""},
		{"nothing", nil, ""},
		{"an empty assertion", []string{assertion, ""}, ""},
		{"no token", []string{assertion, "owner@example.com"}, ""},
		{"another service's audience", []string{assertion, issuer.ES256("1", callertest.Asserts("/projects/2/locations/europe-west1/services/whatis-api", "2", "owner@example.com"))}, ""},
		{"no audience", []string{assertion, issuer.ES256("1", callertest.Asserts("", "2", "owner@example.com"))}, ""},
		{"another issuer", []string{assertion, issuer.ES256("1", owner.With("iss", "https://accounts.google.com"))}, ""},
		{"no subject", []string{assertion, issuer.ES256("1", owner.With("sub", ""))}, ""},
		{"expired", []string{assertion, issuer.ES256("1", owner.With("exp", time.Now().Add(-time.Minute).Unix()))}, ""},
		{"without an end", []string{assertion, issuer.ES256("1", owner.With("exp", 0))}, ""},
		{"an RS256 token with IAP's issuer and audience", []string{assertion, issuer.RS256("1", owner)}, ""},
		{"algorithm none", []string{assertion, callertest.Unsigned("none", "1", owner, "")}, ""},
		{"algorithm none with a signature", []string{assertion, callertest.Unsigned("none", "1", owner, parts[2])}, ""},
		{"algorithm HS256", []string{assertion, callertest.Unsigned("HS256", "1", owner, parts[2])}, ""},
		{"another key by that name", []string{assertion, other.ES256("1", owner)}, ""},
		{"a key that nobody knows", []string{assertion, issuer.ES256("9", owner)}, ""},
		{"the signature of other claims", []string{assertion, parts[0] + "." + ownersClaims + "." + parts[2]}, ""},
		{"a short signature", []string{assertion, callertest.Unsigned("ES256", "1", owner, "AAAA")}, ""},
		{"a long signature", []string{assertion, callertest.Unsigned("ES256", "1", owner, parts[2]+parts[2])}, ""},
		{"a signature of zeros", []string{assertion, callertest.Unsigned("ES256", "1", owner, strings.Repeat("A", 86))}, ""},
		{"a removed signature, as on a private service", []string{assertion, callertest.Unsigned("ES256", "1", owner, "SIGNATURE_REMOVED_BY_GOOGLE")}, ""},
		{"null claims", []string{assertion, parts[0] + "." + null + "." + parts[2]}, ""},
		{"a null header", []string{assertion, null + "." + parts[1] + "." + parts[2]}, ""},
		{"claims of another shape", []string{assertion, issuer.ES256("1", owner.With("aud", []string{ours}))}, ""},
	} {
		c, err := v.Identify(request(tt.headers...))
		got := strings.TrimSpace(c.Email + " " + c.Role.String())
		switch {
		case tt.want == "" && (!errors.Is(err, caller.ErrToken) || c.Named()):
			t.Errorf("%s: Identify = %s, %v; want ErrToken", tt.name, got, err)
		case tt.want != "" && (err != nil || got != tt.want || c.Kind != caller.IAP || c.Owner() != c.Key()):
			t.Errorf("%s: Identify = %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
	if n := issuer.Fetched.Load(); n != 2 {
		t.Errorf("the keys were fetched %d times; want once, and once more for an unknown key", n)
	}
}

// An unknown key is looked for once again; without the keys nobody is let in, and what is
// cached stays in use.
func TestKeys(t *testing.T) {
	issuer := callertest.Start(t)
	v := verifier(t, caller.Config{Access: caller.BehindIAP, Audiences: []string{ours}, Keys: issuer.URL})
	kim := callertest.Asserts(ours, "1", "kim@example.com")
	ask := func(key string) error {
		_, err := v.Identify(request(assertion, issuer.ES256(key, kim)))
		return err
	}
	issuer.Down.Store(true)
	if err := ask("1"); !errors.Is(err, caller.ErrKeys) {
		t.Errorf("without the keys: %v; want ErrKeys", err)
	}
	issuer.Down.Store(false)
	if err := ask("1"); err != nil {
		t.Errorf("when they are back: %v", err)
	}
	issuer.Down.Store(true)
	if err := ask("1"); err != nil {
		t.Errorf("with cached keys, their server down: %v", err)
	}
	if err := ask("2"); !errors.Is(err, caller.ErrKeys) {
		t.Errorf("an unknown key while the server is down: %v; want ErrKeys", err)
	}
	if err := ask("1"); err != nil {
		t.Errorf("a cached key after an unknown one: %v", err)
	}
}

func TestNewKey(t *testing.T) {
	issuer := callertest.Start(t)
	v := verifier(t, caller.Config{Access: caller.BehindIAP, Audiences: []string{ours}, Keys: issuer.URL})
	for _, key := range []string{"1", "2"} {
		issuer.Serve(key)
		if _, err := v.Identify(request(assertion, issuer.ES256(key, callertest.Asserts(ours, "1", "kim@example.com")))); err != nil {
			t.Errorf("key %s: %v", key, err)
		}
	}
	for range 5 {
		_, _ = v.Identify(request(assertion, issuer.ES256("made up", callertest.Asserts(ours, "1", "kim@example.com"))))
	}
	if n := issuer.Fetched.Load(); n != 2 {
		t.Errorf("the keys were fetched %d times; want twice, however many keys are made up", n)
	}
}

// On a private service Cloud Run has verified the token, in the first of two headers if
// there are both.
func TestPrivate(t *testing.T) {
	v := verifier(t, caller.Config{Access: caller.Private})
	const removed = "SIGNATURE_REMOVED_BY_GOOGLE"
	kim := callertest.Unsigned("RS256", "1", callertest.Names(token, "1", "kim@example.com"), removed)
	owner := callertest.Unsigned("RS256", "1", callertest.Names(token, "2", "owner@example.com"), removed)
	unverified := callertest.Unsigned("RS256", "1", callertest.Names(token, "3", "x@example.com").With("email_verified", false), removed)
	for _, tt := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"one", []string{"Authorization", "Bearer " + kim}, "kim@example.com"},
		{"in small letters", []string{"Authorization", "bearer " + kim}, "kim@example.com"},
		{"the other header first", []string{"Authorization", "Bearer " + owner, "X-Serverless-Authorization", "Bearer " + kim}, "kim@example.com"},
		{"the other header, unreadable", []string{"Authorization", "Bearer " + owner, "X-Serverless-Authorization", "Bearer x"}, ""},
		{"the other header, empty", []string{"Authorization", "Bearer " + owner, "X-Serverless-Authorization", ""}, ""},
		{"the plain header", []string{plain, "accounts.google.com:owner@example.com"}, ""},
		{"an e-mail address that nobody verified", []string{"Authorization", "Bearer " + unverified}, "accounts.google.com:3"},
		{"another issuer", []string{"Authorization", "Bearer " + callertest.Unsigned("RS256", "1", callertest.Names(token, "2", "owner@example.com").With("iss", "https://example.com"), removed)}, ""},
		{"an access token", []string{"Authorization", "Bearer ya29.x"}, ""},
	} {
		c, err := v.Identify(request(tt.headers...))
		if err != nil || c.Name() != tt.want || c.Role != caller.Owner {
			t.Errorf("%s: Identify = %q, %s, %v; want %q, owner", tt.name, c.Name(), c.Role, err, tt.want)
		}
	}
}

// On a public service a token that is verified here names the caller, and anything else
// none; a token that cannot be verified at the moment is refused.
func TestPublic(t *testing.T) {
	issuer := callertest.Start(t)
	v := verifier(t, caller.Config{Access: caller.Public, Audiences: []string{token}, Owners: []string{"kim@example.com"}, Keys: issuer.URL})
	kim := callertest.Names(token, "1", "kim@example.com")
	bearing := func(t string) []string { return []string{"Authorization", "Bearer " + t} }
	for _, tt := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"an owner", bearing(issuer.RS256("1", kim)), "kim@example.com owner"},
		{"anybody", bearing(issuer.RS256("1", callertest.Names(token, "2", "ana@example.com"))), "ana@example.com asker"},
		{"nothing", nil, "asker"},
		{"an unverified address of an owner", bearing(issuer.RS256("1", kim.With("email_verified", false))), "accounts.google.com:1 asker"},
		{"another service's token", bearing(issuer.RS256("1", kim.With("aud", "https://other.example.com"))), "asker"},
		{"expired", bearing(issuer.RS256("1", kim.With("exp", 1))), "asker"},
		{"unsigned", bearing(callertest.Unsigned("none", "rsa1", kim, "")), "asker"},
		{"as on a private service", bearing(callertest.Unsigned("RS256", "rsa1", kim, "SIGNATURE_REMOVED_BY_GOOGLE")), "asker"},
		{"an assertion of IAP", []string{assertion, issuer.ES256("1", callertest.Asserts(token, "1", "kim@example.com"))}, "asker"},
		{"the header of private services", []string{"X-Serverless-Authorization", "Bearer " + callertest.Unsigned("RS256", "rsa1", kim, "x")}, "asker"},
	} {
		c, err := v.Identify(request(tt.headers...))
		if got := strings.TrimSpace(c.Name() + " " + c.Role.String()); err != nil || got != tt.want {
			t.Errorf("%s: Identify = %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	issuer.Down.Store(true)
	unfetched := verifier(t, caller.Config{Access: caller.Public, Audiences: []string{token}, Keys: issuer.URL})
	if c, err := unfetched.Identify(request(bearing(issuer.RS256("1", kim))...)); !errors.Is(err, caller.ErrKeys) {
		t.Errorf("a token, and no keys: Identify = %v, %v; want ErrKeys", c, err)
	}
	if _, err := unfetched.Identify(request()); err != nil {
		t.Errorf("no token, and no keys: %v", err)
	}
}

// Without identities everybody is anonymous and may do everything.
func TestOpen(t *testing.T) {
	v := verifier(t, caller.Config{})
	c, err := v.Identify(request(plain, "accounts.google.com:owner@example.com", "Authorization", "Bearer "+callertest.Unsigned("RS256", "1", callertest.Names(token, "2", "owner@example.com"), "x")))
	if err != nil || c.Named() || c.Role != caller.Owner || c.Kind != caller.Anonymous || c.Owner() != "" || c.Identified() {
		t.Errorf("Identify = %+v, %v; want an anonymous owner", c, err)
	}
}

// The address of an anonymous caller is the one that Google's front end wrote, whatever the
// client sent before it.
func TestAddress(t *testing.T) {
	for _, tt := range []struct {
		name     string
		frontEnd bool
		proxies  int
		sent     []string
		want     string
	}{
		{"one", true, 0, []string{"203.0.113.7"}, "address:203.0.113.7"},
		{"a client's own before it", true, 0, []string{"198.51.100.1, 203.0.113.7"}, "address:203.0.113.7"},
		{"in a header of its own", true, 0, []string{"198.51.100.1", "203.0.113.7"}, "address:203.0.113.7"},
		{"IPv6, by its network", true, 0, []string{"2001:db8:1:2:3:4:5:6"}, "address:2001:db8:1:2::/64"},
		{"IPv4 within IPv6", true, 0, []string{"::ffff:203.0.113.7"}, "address:203.0.113.7"},
		{"no address", true, 0, []string{"203.0.113.7, unknown"}, "address:192.0.2.1"},
		{"no header", true, 0, nil, "address:192.0.2.1"},
		{"without the front end", false, 0, []string{"203.0.113.7"}, "address:192.0.2.1"},
		{"behind a balancer", true, 1, []string{"203.0.113.7, 192.0.2.80"}, "address:203.0.113.7"},
		{"behind a balancer, a client's own before it", true, 1, []string{"198.51.100.1, 203.0.113.7, 192.0.2.80"}, "address:203.0.113.7"},
		{"behind a balancer, around it", true, 1, []string{"203.0.113.7"}, "address:192.0.2.1"},
		{"behind a balancer that is not said", true, 0, []string{"203.0.113.7, 192.0.2.80"}, "address:192.0.2.80"},
	} {
		r := request()
		for _, value := range tt.sent {
			r.Header.Add("X-Forwarded-For", value)
		}
		c, err := verifier(t, caller.Config{FrontEnd: tt.frontEnd, Proxies: tt.proxies}).Identify(r)
		if err != nil || c.Key() != tt.want {
			t.Errorf("%s: Key = %s, %v; want %s", tt.name, c.Key(), err, tt.want)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, tt := range []struct {
		c    caller.Config
		want string
	}{
		{caller.Config{Access: "none"}, "want open, private, public or iap"},
		{caller.Config{Access: caller.BehindIAP}, "one audience"},
		{caller.Config{Access: caller.Private, Owners: []string{"kim@example.com"}}, "everybody has all roles"},
		{caller.Config{Reviewers: []string{"kim@example.com"}}, "everybody has all roles"},
		{caller.Config{Proxies: -1}, "want 0 or more"},
	} {
		if _, err := caller.New(tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v) = %v; want %q", tt.c, err, tt.want)
		}
	}
}

// Need refuses callers without the role, and says who can give it.
func TestNeed(t *testing.T) {
	issuer := callertest.Start(t)
	iap := verifier(t, caller.Config{Access: caller.BehindIAP, Audiences: []string{ours}, Owners: []string{"owner@example.com"}, Keys: issuer.URL})
	ana, err := iap.Identify(request(assertion, issuer.ES256("1", callertest.Asserts(ours, "3", "ana@example.com"))))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := verifier(t, caller.Config{Access: caller.Public, Owners: []string{"owner@example.com"}}).Identify(request())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		who   caller.Caller
		needs caller.Role
		want  string
	}{
		{ana, caller.Reader, ""},
		{ana, caller.Reviewer, "this needs the role reviewer: you are signed in as ana@example.com and have the role reader. Ask an owner: owner@example.com"},
		{stranger, caller.Asker, ""},
		{stranger, caller.Reader, "this needs the role reader: you are not signed in. Whoever deployed this service gives roles"},
	} {
		err := caller.Need(caller.With(t.Context(), tt.who), tt.needs)
		var denied *caller.Denied
		if got := errors.As(err, &denied); got != (tt.want != "") || got && denied.Public() != tt.want {
			t.Errorf("Need(%s, %s) = %v; want %q", tt.who.Name(), tt.needs, err, tt.want)
		}
	}
	if err := caller.Need(t.Context(), caller.Owner); err != nil {
		t.Errorf("Need of the program itself = %v", err)
	}
}
