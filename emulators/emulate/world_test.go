package emulate_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
)

func TestEnv(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		services []emulate.Service
		want     []string
	}{
		{[]emulate.Service{emulate.Storage}, []string{"GOOGLE_CLOUD_PROJECT", "STORAGE_EMULATOR_HOST"}},
		{nil, []string{"GOOGLE_CLOUD_PROJECT", "FIRESTORE_EMULATOR_HOST", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "STORAGE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST", "OPENWEATHER_BASE_URL", "OPENWEATHER_API_KEY"}},
	} {
		var got []string
		for _, line := range emulate.Start(t, tt.services...).Env() {
			name, value, _ := strings.Cut(line, "=")
			if value == "" {
				t.Errorf("Env() has %q", line)
			}
			got = append(got, name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Start(t, %v).Env() names %v, want %v", tt.services, got, tt.want)
		}
	}
}

// BenchmarkStart is the time to start a whole world.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		emulate.Start(b)
	}
}

// TestMain takes away the variables that would lead Google's clients elsewhere.
func TestMain(m *testing.M) { emulate.Run(m) }
