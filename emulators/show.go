package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/samples"
)

// result has the fields of a result that are shown.
type result struct {
	Error, Description, Message string
	ProductName                 string  `json:"product_name"`
	Brand                       string  `json:"brand"`
	Confidence                  float64 `json:"product_name_confidence"`
	Source                      string
	Warnings                    []string
	Cached                      bool
}

// outcome returns the error, "unidentified" or the source.
func (r result) outcome() string {
	if r.Error == "" && slices.Contains(r.Warnings, "unidentified") {
		return "unidentified"
	}
	return cmp.Or(r.Error, r.Source)
}

// short returns the outcome as a table cell.
func (r result) short() string {
	switch r.Error {
	case "":
		return r.outcome()
	case "analysis_failed":
		return "failed"
	}
	return "no product"
}

// said describes the result, with the warnings that neither the banner nor the outcome
// shows. The names of an unidentified product are those read from the photo.
func (r result) said() string {
	if r.Error != "" {
		return cmp.Or(r.Description, r.Message)
	}
	warnings := slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return w == "emulated_model" || w == "local_model" || w == "unidentified" })
	if r.Cached {
		warnings = append(warnings, "cached")
	}
	said := r.names()
	if len(warnings) > 0 {
		said += " (" + strings.Join(warnings, ", ") + ")"
	}
	return said
}

// names returns the product's confidence, name and brand.
func (r result) names() string {
	if r.ProductName == "" && r.Brand == "" {
		return "no name was read"
	}
	names := fmt.Sprintf("%s, %s", cmp.Or(r.ProductName, "?"), cmp.Or(r.Brand, "?"))
	if r.outcome() == "unidentified" {
		names = "read: " + names
	}
	return fmt.Sprintf("%.2f  %s", r.Confidence, names)
}

// banner says whether the model is emulated, recorded or real.
func (w *world) banner() string {
	if w.player != nil {
		return fmt.Sprintf("RECORDED MODEL: it repeats the answers of %s, recorded on %s.\n\n", w.replayed.Upstream, w.replayed.Made.Format(time.DateOnly))
	}
	if w.ollama != nil {
		return w.localBanner()
	}
	if w.gemini == nil {
		return "REAL MODEL: photos are sent to Google, and you pay for their analysis.\n\n"
	}
	installed := "not installed here"
	if _, err := exec.LookPath("tesseract"); err == nil {
		installed = "installed here"
	}
	return fmt.Sprintf(`EMULATED MODEL: it knows the project's samples and reads barcodes and, with
tesseract (%s), printed text. It knows little about other photos.

`, installed)
}

// introduction lists the services and their addresses.
func (w *world) introduction() string {
	var b strings.Builder
	if w.port == "" && !strings.HasSuffix(w.apiURL, ":"+apiPort) {
		fmt.Fprintf(&b, "PORT %s IS TAKEN: the API is at %s. Where examples say API_URL, that is what it is.\n\n", apiPort, w.apiURL)
	}
	fmt.Fprintf(&b, "  page       %s\n  API        %[1]s/analyze\n", w.apiURL)
	if w.devURL != "" {
		fmt.Fprintf(&b, "  ADK's page %s\n", w.devURL)
	}
	fmt.Fprintf(&b, "  storage    %s  (gs://%s → gs://%s)\n", w.storage.URL(), uploadBucket, resultsBucket)
	fmt.Fprintf(&b, "  Firestore  %s\n  Pub/Sub    %s\n", w.firestore.Addr(), w.pubsub.Addr())
	if w.gemini != nil {
		fmt.Fprintf(&b, "  Gemini     %s\n", w.gemini.URL())
	}
	if w.player != nil {
		fmt.Fprintf(&b, "  recording  %s\n", w.player.URL())
	}
	if w.recorder != nil {
		fmt.Fprintf(&b, "  recorder   %s\n", w.recorder.URL())
	}
	if w.weather != nil {
		fmt.Fprintf(&b, "  weather    %s  (emulated; try %s)\n", w.weather.URL(), strings.Join(openweather.Try, ", "))
	}
	if w.web != nil {
		fmt.Fprintf(&b, "  web        %s  (emulated; there are %s)\n", w.web.SearchURL(), strings.Join(w.places(), "; "))
	}
	if w.shop != "" {
		fmt.Fprintf(&b, "  shop       %s\n", w.shop)
	}
	b.WriteString(`
To point gcloud storage, the scripts and programs with Google's clients here (not
gcloud pubsub and gcloud firestore: they speak JSON over HTTP, Firestore and Pub/Sub
here only gRPC), without typing: eval "$(go run ./emulators -env)". That is:

`)
	for _, variable := range w.variables(environment()) {
		b.WriteString("  " + shells["bash"].set(variable) + "\n")
	}
	b.WriteString("\n")
	if w.filled {
		b.WriteString(w.firstSearch())
	}
	return b.String() + w.banner()
}

// firstSearch returns an example command for a search, if there is a shop.
func (w *world) firstSearch() string {
	if w.shop == "" {
		return ""
	}
	query := "something blue"
	if w.shop == samples.EyewearShop {
		query = "kính mát nữ mắt mèo màu xanh lá dưới 2 triệu"
	}
	return fmt.Sprintf("To search the shop %s, here or on the page:\n\n  curl --json '{\"query\":%q}' %s/search\n\n", w.shop, query, w.apiURL)
}

// firstDiscovery returns an example command for a discovery, if there is a web.
func (w *world) firstDiscovery() string {
	if w.web == nil {
		return ""
	}
	places := w.web.Places()
	return fmt.Sprintf("\nWhich data on emissions a place publishes, seconds later at /discover/ID/result:\n\n  curl --json '{\"country\":%q,\"sector\":\"waste\"}' %s/discover\n", places[len(places)-1].Name, w.apiURL)
}

// closing prints the totals, and where to read a complete result.
func (w *world) closing(photos []photo, ends []end, took time.Duration) string {
	closing := fmt.Sprintf("\n%s in %.1f s", count(len(photos)), took.Seconds())
	switch {
	case w.ollama != nil:
		closing += " by the LOCAL MODEL"
	case w.gemini != nil:
		closing += " by the EMULATED MODEL"
	}
	for i, p := range photos {
		if ends[i] != noResult {
			return fmt.Sprintf("%s. A complete result:\n\n  curl %s\n", closing, quoted(w.resultURL(p.name)))
		}
	}
	return closing + ".\n"
}

func count(photos int) string {
	if photos == 1 {
		return "1 photo"
	}
	return fmt.Sprintf("%d photos", photos)
}

// invitation prints what to do next.
func (w *world) invitation() string {
	return fmt.Sprintf(`
Ready for more, until Ctrl-C. With the lines above, what lands in the bucket shows here:

  gcloud storage cp photo.jpg gs://%s/
  curl --data-binary @photo.jpg %s/analyze
%s
`, uploadBucket, w.apiURL, w.firstDiscovery())
}

// The highest cost of a photo with the real model in US dollars: five calls of fractions
// of a cent, and six web searches of 1.4 cents.
const costOfPhoto = 0.10

func cost(photos int) string {
	return fmt.Sprintf(`REAL MODEL: photos are sent to Google, and you pay for their analysis. A photo takes 1 to 5 model
calls, fractions of a cent, and up to 6 web searches of 1.4 cents where nothing
else knows it. At most about $%.2f for %s; each result says what it
cost, and MAX_USD_PER_DAY sets a limit.

`, costOfPhoto*float64(photos), count(photos))
}

// print prints s in one write, as several results may arrive at a time. If the output is
// closed, the program stops.
func (w *world) print(s string) {
	if _, err := os.Stdout.WriteString(s); err != nil {
		w.fail(err)
	}
}

// screen prints lines with aligned columns.
type screen struct {
	print func(string)
	name  int // width of the first column, in cells
	width int // of the terminal, 0 without a terminal
}

func newScreen(w *world, photos []photo) *screen {
	s := &screen{print: w.print, name: 22, width: terminalWidth(os.Stdout)}
	widest := 40
	if s.width > 0 {
		widest = min(widest, s.width/3)
	}
	for _, p := range photos {
		s.name = max(s.name, min(cells(p.name), widest))
	}
	return s
}

// line prints one result.
func (s *screen) line(name, short string, took time.Duration, said string) {
	s.print(s.format(name, short, took, said) + "\n")
}

// format truncates a line to the terminal's width; a file gets the whole line.
func (s *screen) format(name, short string, took time.Duration, said string) string {
	name, said = printable(name), printable(said)
	if s.width > 0 {
		name = truncate(name, s.name)
	}
	ms := ""
	if took > 0 {
		ms = fmt.Sprintf("%d ms", took.Milliseconds())
	}
	line := fmt.Sprintf("  %s%s  %-13s %7s  %s", name, strings.Repeat(" ", max(0, s.name-cells(name))), short, ms, said)
	if s.width > 0 {
		line = truncate(line, s.width-1)
	}
	return line
}

// printable returns s on one line, without terminal control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
}

// terminalWidth returns the width of the terminal f in cells, 0 if f is not a terminal.
func terminalWidth(f *os.File) int {
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// cells returns the number of terminal columns of s.
func cells(s string) (n int) {
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

// runeCells returns 2 for the wide letters of East Asia, 0 for marks and for the
// vowels and finals of decomposed Hangul, which are drawn over what precedes.
func runeCells(r rune) int {
	if unicode.Is(unicode.Mn, r) || 0x1160 <= r && r <= 0x11FF {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// truncate returns s in at most n cells, with … if it was cut.
func truncate(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	n-- // for …
	for i, r := range s {
		if n -= runeCells(r); n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
