package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// An identity provides the caller's identity token: the one in WHATIS_TOKEN, else the
// one that gcloud prints, else none. It is safe for concurrent use; a nil identity has no
// token.
type identity struct {
	note func(format string, args ...any)

	mu     sync.Mutex
	token  string
	asked  bool
	gcloud bool // the token is gcloud's, which can print a new one
}

func newIdentity(note func(string, ...any)) *identity {
	token := strings.TrimSpace(os.Getenv("WHATIS_TOKEN"))
	return &identity{note: note, token: token, asked: token != ""}
}

// gcloudPatience limits the running time of gcloud.
const gcloudPatience = 30 * time.Second

// get returns the token, "" for none.
func (i *identity) get(ctx context.Context) string {
	if i == nil {
		return ""
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asked {
		return i.token
	}
	ctx, cancel := context.WithTimeout(ctx, gcloudPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "gcloud", "auth", "print-identity-token").Output()
	if err != nil {
		i.note("no identity token: gcloud: %s", err)
	}
	i.token, i.asked, i.gcloud = strings.TrimSpace(string(out)), true, err == nil
	return i.token
}

// renewable reports whether a refused token may just be too old: tokens are valid for an
// hour.
func (i *identity) renewable() bool {
	if i == nil {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.gcloud
}

func (i *identity) renew() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked, i.gcloud = false, false
}
