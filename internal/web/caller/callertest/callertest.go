// Package callertest signs identities for tests, and serves the keys that verify them.
package callertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An Issuer signs tokens with keys of its own, and serves their public halves as Google
// does.
type Issuer struct {
	URL     string
	Fetched atomic.Int64 // how often the keys were fetched
	Down    atomic.Bool  // whether the server answers with 503

	ec  *ecdsa.PrivateKey
	rsa *rsa.PrivateKey

	mu     sync.Mutex
	served map[string]bool // by key ID
}

// Start starts an issuer, whose key IDs are "1".
func Start(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{served: map[string]bool{"1": true}}
	var err error
	if i.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if i.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Serve adds a key ID to those that are served.
func (i *Issuer) Serve(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.served[id] = true
}

// ServeHTTP answers with the public keys, as a JSON Web Key Set.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	i.Fetched.Add(1)
	if i.Down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	point, _ := i.ec.PublicKey.Bytes() // 4, x, y; a key that was generated has them
	i.mu.Lock()
	defer i.mu.Unlock()
	keys := []map[string]string{}
	for id := range i.served {
		keys = append(keys,
			map[string]string{"kid": id, "kty": "EC", "alg": "ES256", "crv": "P-256", "use": "sig", "x": encoded(point[1:33]), "y": encoded(point[33:])},
			map[string]string{"kid": "rsa" + id, "kty": "RSA", "alg": "RS256", "use": "sig", "n": encoded(i.rsa.N.Bytes()), "e": encoded(big.NewInt(int64(i.rsa.E)).Bytes())})
	}
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
}

// Claims are the claims of a token.
type Claims map[string]any

// Asserts returns the claims by which IAP asserts a user, valid for ten minutes.
func Asserts(audience, account, email string) Claims {
	return Claims{"iss": "https://cloud.google.com/iap", "aud": audience, "sub": "accounts.google.com:" + account, "email": email,
		"iat": time.Now().Unix(), "exp": time.Now().Add(10 * time.Minute).Unix()}
}

// Names returns the claims of a Google identity token, valid for an hour.
func Names(audience, account, email string) Claims {
	return Claims{"iss": "https://accounts.google.com", "aud": audience, "sub": account, "email": email, "email_verified": true,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
}

// With returns c with another value.
func (c Claims) With(name string, value any) Claims {
	other := Claims{name: value}
	for n, v := range c {
		if n != name {
			other[n] = v
		}
	}
	return other
}

// ES256 returns a token as IAP signs it.
func (i *Issuer) ES256(id string, c Claims) string {
	text := content("ES256", id, c)
	hash := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, i.ec, hash[:])
	if err != nil {
		panic(err)
	}
	return text + "." + encoded(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// RS256 returns a token as Google signs identity tokens.
func (i *Issuer) RS256(id string, c Claims) string {
	text := content("RS256", "rsa"+id, c)
	hash := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.rsa, crypto.SHA256, hash[:])
	if err != nil {
		panic(err)
	}
	return text + "." + encoded(signature)
}

// Unsigned returns a token with that algorithm and signature, which nobody has signed.
func Unsigned(algorithm, id string, c Claims, signature string) string {
	return content(algorithm, id, c) + "." + signature
}

func content(algorithm, id string, c Claims) string {
	header, _ := json.Marshal(map[string]string{"alg": algorithm, "kid": id, "typ": "JWT"}) // texts
	claims, _ := json.Marshal(c)
	return encoded(header) + "." + encoded(claims)
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
