package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/textfold"
)

// A Filter says which finished results to list. Text fields that are empty mean any. An index
// serves one of GTIN, Brand, Name, Word, Verdict, Error and Blurred, alone or beside one of Source and
// Doubt; Source and Doubt; Set alone. Since and Until go with each of these. Expires goes with
// at most one other, and not with Set, Since and Until.
type Filter struct {
	GTIN    string
	Brand   string // in any spelling that folds alike
	Name    string // the product's whole name, in any spelling that folds alike
	Word    string // of the product's name or brand
	Verdict string // that stands: accept, correct or reject
	Error   string // analyze.AnalysisFailed
	Blurred bool   // a third of the lines, or more, could not be read clearly
	Source  string // as SourceOf returns it
	Doubt   *bool  // nil means either
	Set     string // the name of photos that were sent together, or the ID of a batch

	Expires *Days     // only with an expiration date among these, the soonest first; nil is any result, the newest first
	Since   time.Time // only results finished later
	Until   time.Time // only results finished earlier; the zero time is any
	After   string    // the next of an earlier page; "" begins with the first
	Limit   int       // 1 to jobs.MaxList; 0 means jobs.MaxList
}

// Days are the days from one to another, both included, as 2027-03-14; "" is no limit.
type Days struct{ From, To string }

// mostTerms bounds the words by which a result is found.
const mostTerms = 32

// blurred is from which share of unclear lines on a photo counts as blurred.
const blurred = 1.0 / 3

// terms returns what r is found by, each with what it is. Firestore finds by one element of a list
// at once, so that one index serves all of them.
func terms(r analyze.Result) (all []string) {
	all = []string{term("doubt", strconv.FormatBool(r.Doubtful()))}
	add := func(kind, value string) {
		if value != "" && len(all) < mostTerms && !slices.Contains(all, term(kind, value)) {
			all = append(all, term(kind, value))
		}
	}
	add("source", SourceOf(r))
	add("verdict", r.Verdict())
	if r.Error == analyze.AnalysisFailed {
		add("error", r.Error)
	}
	if r.Unclear() >= blurred {
		add("blurred", "true")
	}
	for _, gtin := range append([]string{r.GTIN}, r.GTINs...) {
		add("gtin", gtin)
	}
	if r.Identification == nil {
		return all
	}
	add("brand", textfold.Name(r.Brand))
	add("name", textfold.Name(r.ProductName))
	for _, word := range textfold.NameWords(r.ProductName + " " + r.Brand) {
		add("word", word)
	}
	return all
}

func term(kind, value string) string { return kind + ":" + value }

// dayNumber returns a day, 2027-03-14, as a number, 20270314; 0 if it is none.
func dayNumber(day string) int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(day, "-", ""), 10, 64)
	if _, wrong := time.Parse(time.DateOnly, day); wrong != nil || err != nil {
		return 0
	}
	return n
}

// Narrows reports whether f leaves out any result.
func (f Filter) Narrows() bool {
	kinds, _ := f.terms()
	return len(kinds) > 0 || f.Source != "" || f.Doubt != nil || f.Set != "" || f.Expires != nil || !f.Since.IsZero() || !f.Until.IsZero()
}

// terms returns the names of those fields of f that are sought as terms alone, and the term of the
// last of them.
func (f Filter) terms() (names []string, sought string) {
	gtin, ok := gs1.GTIN(f.GTIN)
	if !ok {
		gtin = f.GTIN
	}
	for _, one := range [][2]string{
		{"gtin", gtin}, {"brand", textfold.Name(f.Brand)}, {"name", textfold.Name(f.Name)}, {"word", textfold.Name(f.Word)}, {"verdict", f.Verdict}, {"error", f.Error}, {"blurred", map[bool]string{true: "true"}[f.Blurred]},
	} {
		if one[1] != "" {
			names, sought = append(names, strings.Replace(one[0], "word", "q", 1)), term(one[0], one[1])
		}
	}
	return names, sought
}

// Refused returns why no index serves f, "" if one does.
func (f Filter) Refused() string {
	names, _ := f.terms()
	beside := []string{}
	if f.Source != "" {
		beside = append(beside, "source")
	}
	if f.Doubt != nil {
		beside = append(beside, "doubt")
	}
	all := slices.Concat(names, beside)
	switch dated := !f.Since.IsZero() || !f.Until.IsZero(); {
	case len(textfold.NameWords(f.Word)) > 1:
		return fmt.Sprintf("q %q has several words: send one, or the whole name as name", f.Word)
	case len(names) > 1:
		return fmt.Sprintf("%s are not indexed together: send one of gtin, brand, name, q, verdict, error and blurred, beside source or doubt", strings.Join(names, " and "))
	case len(all) > 2:
		return fmt.Sprintf("%s are not indexed together: send two of them", strings.Join(all, " and "))
	case f.Set != "" && (len(all) > 0 || f.Expires != nil):
		return "set goes with since and until alone: leave out the others"
	case f.Expires != nil && (len(all) > 1 || dated):
		return "expires goes with one of gtin, brand, name, q, verdict, blurred, source and doubt, and not with since and until"
	}
	return ""
}

// work returns f, which an index serves, as a filter of job records.
func (f Filter) work() jobs.Filter {
	w := jobs.Filter{Index: jobs.Index{}, Since: f.Since, Until: f.Until, After: f.After, Limit: f.Limit}
	names, sought := f.terms()
	if f.Doubt != nil {
		w.Index[doubtField] = *f.Doubt
	}
	switch {
	case len(names) == 0 && f.Doubt != nil: // a term, too, so that it needs no index of its own
		sought = term("doubt", strconv.FormatBool(*f.Doubt))
		delete(w.Index, doubtField)
	case len(names) == 0 && f.Source != "":
		sought = term("source", f.Source)
	}
	if f.Source != "" && sought != term("source", f.Source) {
		w.Index[sourceField] = f.Source
	}
	if sought != "" {
		w.Index[termsField] = sought
	}
	if f.Set != "" {
		w.Index[setField] = f.Set
	}
	if f.Expires != nil {
		w.By = &jobs.Range{Field: expiresField, From: max(1, dayNumber(f.Expires.From)), To: cmp.Or(dayNumber(f.Expires.To), 99991231)}
	}
	return w
}
