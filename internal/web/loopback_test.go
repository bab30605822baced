package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/whatis/internal/web"
)

func TestRefuseForeignHost(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:8080":         200,
		"127.8.9.10":             200,
		"localhost":              200,
		"LocalHost:8080":         200,
		"api.localhost:8080":     200,
		"[::1]:8080":             200,
		"[::1]":                  200,
		"":                       421,
		"rebound.example:8080":   421,
		"127.0.0.1.evil.example": 421,
		"localhost.evil.example": 421,
		"evil.example#localhost": 421,
		"192.168.0.7:8080":       421,
		"0.0.0.0:8080":           421,
		"[2001:db8::1]:8080":     421,
		"notlocalhost:8080":      421,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if refused := web.RefuseForeignHost(w, r); refused != (want == 421) || w.Code != want {
			t.Errorf("RefuseForeignHost for the host %q = %v, %d, want %d", host, refused, w.Code, want)
		}
	}
}
