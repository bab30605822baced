package main

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/running"
	"example.com/whatis/emulators/samples"
)

// Names of the emulated project, buckets and models.
const (
	emulated    = "emulated" // the project, and how the models' names begin
	emulatedKey = "emulated"
)

// environment returns this process's environment variables by name.
func environment() map[string]string {
	env := map[string]string{}
	for _, line := range os.Environ() {
		name, value, _ := strings.Cut(line, "=")
		env[name] = strings.TrimSpace(value)
	}
	return env
}

// onVertex reads the two variables as Google's SDK does.
func onVertex(env map[string]string) bool {
	wanted, ok := env["GOOGLE_GENAI_USE_ENTERPRISE"]
	if !ok {
		wanted = env["GOOGLE_GENAI_USE_VERTEXAI"]
	}
	return wanted == "1" || strings.EqualFold(wanted, "true")
}

// settings returns the variables that a function needs, and that make other programs with
// Google's clients use w.
func (w *world) settings() []string {
	lines := []string{
		"GOOGLE_CLOUD_PROJECT=" + w.project,
		"UPLOAD_BUCKET=" + uploadBucket,
		"RESULTS_BUCKET=" + resultsBucket,
		"TASKS_TOPIC=" + tasksTopic,
		"LONG_TASKS_TOPIC=" + longTopic,
		"RESULTS_TOPIC=" + resultsTopic,
		"FAILURES_TOPIC=" + failuresTopic,
		"STORAGE_EMULATOR_HOST=" + w.storage.URL(),
		"FIRESTORE_EMULATOR_HOST=" + w.firestore.Addr(),
		"PUBSUB_EMULATOR_HOST=" + w.pubsub.Addr(),
	}
	if w.shop != "" {
		lines = append(lines, "SEARCH_SHOP="+w.shop, "PICTURE_BUCKETS="+catalogueBucket)
	}
	if w.shop != "" && w.shop != samples.EyewearShop { // photos show products of a file's catalogue, never of the eyewear shop
		lines = append(lines, "SHOP="+w.shop)
		if w.gemini != nil && os.Getenv("READ_CODES") == "" { // the emulated model does not see small ones
			lines = append(lines, "READ_CODES=always")
		}
	}
	if w.weather != nil {
		lines = append(lines, "OPENWEATHER_BASE_URL="+w.weather.URL(), "OPENWEATHER_API_KEY="+emulatedKey)
	}
	if w.web != nil {
		lines = append(lines, "BRAVE_SEARCH_BASE_URL="+w.web.SearchURL(), "BRAVE_SEARCH_API_KEY="+w.web.Token(), "FETCH_ALLOW="+w.web.Allow(), "EMULATED_WEB="+strings.Join(w.places(), ";"))
	}
	return append(lines, w.modelSettings()...)
}

// places returns the places of the emulated web.
func (w *world) places() (names []string) {
	for _, p := range w.web.Places() {
		names = append(names, p.String())
	}
	return names
}

// variables returns what makes programs, including gcloud, use w, whatever else env holds. The
// API's address is for whatisit.
func (w *world) variables(env map[string]string) running.Settings {
	lines := append(w.settings(),
		"API_URL="+w.apiURL,
		"UPLOAD_TOPIC="+uploadTopic,
		"FAILURES_SUBSCRIPTION="+failuresSubscription,
		"CLOUDSDK_CORE_PROJECT="+w.project,
		"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE="+w.storage.Endpoint(),
		"CLOUDSDK_AUTH_DISABLE_CREDENTIALS=True",
	)
	if w.local() && onVertex(env) {
		lines = append(lines, "GOOGLE_GENAI_USE_VERTEXAI=false", "GOOGLE_GENAI_USE_ENTERPRISE=false")
	}
	if cmp.Or(env["http_proxy"], env["HTTP_PROXY"], env["all_proxy"], env["ALL_PROXY"]) != "" {
		direct := strings.TrimSuffix("127.0.0.1,"+cmp.Or(env["no_proxy"], env["NO_PROXY"]), ",")
		lines = append(lines, "no_proxy="+direct, "NO_PROXY="+direct)
	}
	return lines
}

// forFunctions returns this process's environment with settings, without variables that
// would make a function use other services. With the emulated model these are all Google
// variables: keys, credentials, Vertex AI. With a recording they include the settings that
// change requests, whose values come from the recording.
func (w *world) forFunctions(settings ...string) []string {
	environ := slices.DeleteFunc(os.Environ(), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return w.player != nil && slices.Contains(replay.Variables, name) || w.local() && (strings.HasPrefix(line, "GOOGLE_") || strings.HasPrefix(line, "GEMINI_"))
	})
	return slices.Concat(environ, w.settings(), settings)
}
