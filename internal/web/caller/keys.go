package caller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/auth/credentials/idtoken"
)

// Where Google publishes the keys of its tokens.
const (
	iapKeys    = "https://www.gstatic.com/iap/verify/public_key-jwk"
	googleKeys = "https://www.googleapis.com/oauth2/v3/certs"
)

// keys verifies the signatures of tokens with keys that are published at an address. They
// are kept as long as the publisher says, and fetched anew for a key that is not among them.
type keys struct {
	algorithm string // ES256 or RS256
	address   string

	mu        sync.Mutex
	validator *idtoken.Validator
	known     map[string]bool // the IDs of the keys fetched last
	renewed   time.Time       // when the keys were last fetched because of an unknown ID
}

// Bounds of a fetch of keys: its time, the size of the answer, and how often an unknown key
// may cause one, as anybody can make up such a key.
const (
	fetchTimeout = 5 * time.Second
	maxKeys      = 1 << 20
	renewEvery   = time.Minute
)

// es256Size is the size of a signature with ES256.
const es256Size = 64

func newKeys(algorithm, address string) (*keys, error) {
	k := &keys{algorithm: algorithm, address: address}
	var err error
	k.validator, err = k.fresh()
	return k, err
}

// fresh returns a validator that has fetched no keys yet.
func (k *keys) fresh() (*idtoken.Validator, error) {
	client := &http.Client{Transport: k, Timeout: fetchTimeout}
	return idtoken.NewValidator(&idtoken.ValidatorOptions{Client: client, ES256CertsURL: k.address, RS256CertsURL: k.address})
}

// verify returns an error unless t is signed with one of the keys, for that audience, and
// has not expired. It is ErrKeys if the keys could not be fetched. The signature's size is
// checked here because the validator would panic at a shorter one.
func (k *keys) verify(ctx context.Context, t token, audience string) error {
	if t.header.Alg != k.algorithm || k.algorithm == "ES256" && len(t.signature) != es256Size || t.claims.Audience != audience {
		return fmt.Errorf("%w: another algorithm, signature or audience than wanted", ErrToken)
	}
	k.mu.Lock()
	validator := k.validator
	k.mu.Unlock()
	err := validate(ctx, validator, t)
	if !errors.Is(err, ErrToken) || !k.renewable(t.header.Kid) {
		return err
	}
	if validator, err = k.fresh(); err != nil {
		return err
	}
	if err = validate(ctx, validator, t); !errors.Is(err, ErrKeys) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.validator = validator
	}
	return err
}

func validate(ctx context.Context, validator *idtoken.Validator, t token) error {
	var fetch fetched
	_, err := validator.Validate(context.WithValue(ctx, fetchedKey{}, &fetch), t.text, t.claims.Audience)
	switch {
	case err == nil:
		return nil
	case fetch.err != nil:
		return fmt.Errorf("%w: %w", ErrKeys, fetch.err)
	}
	return fmt.Errorf("%w: %w", ErrToken, err)
}

// renewable reports that keys were fetched and none has that ID, and that it is time to
// fetch them anew.
func (k *keys) renewable(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if len(k.known) == 0 || k.known[id] || now.Sub(k.renewed) < renewEvery {
		return false
	}
	k.renewed = now
	return true
}

// A fetched holds the error of a fetch of keys. The validator reports it as text only.
type fetched struct{ err error }

type fetchedKey struct{}

// RoundTrip fetches the keys, and notes their IDs or the error.
func (k *keys) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		err = k.note(resp)
	}
	if err == nil {
		return resp, nil
	}
	if fetch, ok := r.Context().Value(fetchedKey{}).(*fetched); ok {
		fetch.err = err
	}
	return nil, err
}

// note notes the IDs of the keys in a response. Keys without an age are kept for an hour.
func (k *keys) note(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the keys' server answered %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxKeys))
	if err != nil {
		return err
	}
	var all struct{ Keys []struct{ Kid string } }
	if err := json.Unmarshal(data, &all); err != nil || len(all.Keys) == 0 {
		return errors.New("the keys' server answered without keys")
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	if resp.Header.Get("Cache-Control") == "" {
		resp.Header.Set("Cache-Control", "max-age=3600")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = map[string]bool{}
	for _, key := range all.Keys {
		k.known[key.Kid] = true
	}
	return nil
}
