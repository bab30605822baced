package app_test

import (
	"strings"
	"testing"

	"example.com/whatis/internal/app"
)

// Settings by which everybody would be taken for anybody are refused.
func TestCallersAreChecked(t *testing.T) {
	for _, tt := range []struct {
		set  map[string]string
		want string // in the error; "" is accepted
	}{
		{nil, ""},
		{map[string]string{"ACCESS": "private"}, ""},
		{map[string]string{"ACCESS": "public", "CALLER_AUDIENCES": "https://a,https://b", "OWNERS": "jo@example.com"}, ""},
		{map[string]string{"ACCESS": "iap", "CALLER_AUDIENCES": "/projects/1/locations/r/services/s", "OWNERS": "jo@example.com", "REVIEWERS": "kim@example.com,lee@example.com"}, ""},
		{map[string]string{"ACCESS": "IAP"}, "want open, private, public or iap"},
		{map[string]string{"ACCESS": "iap"}, "one audience"},
		{map[string]string{"OWNERS": "jo@example.com"}, "everybody has all roles"},
	} {
		for name, value := range map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "K_SERVICE": "", "ACCESS": "open", "CALLER_AUDIENCES": "", "OWNERS": "", "REVIEWERS": "", "READERS": ""} {
			t.Setenv(name, value)
		}
		for name, value := range tt.set {
			t.Setenv(name, value)
		}
		_, err := app.ReadConfig(t.Context())
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "ACCESS")) {
			t.Errorf("ReadConfig with %v = %v; want %q", tt.set, err, tt.want)
		}
	}
}
