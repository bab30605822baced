package analyze

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/textfold"
)

// Judgement is the stronger model's answer about the photo, image_analyzer's
// analysis, and the candidates, if there are any: a reading of its own, and what
// follows from it.
type Judgement struct {
	Seen                  string   `json:"seen"`
	NameAsPrinted         string   `json:"name_as_printed"`
	BrandAsPrinted        string   `json:"brand_as_printed"`
	SubBrands             []string `json:"sub_brands,omitempty" maxItems:"20"`
	Category              string   `json:"category"`
	ProductName           string   `json:"product_name"`
	Brand                 string   `json:"brand"`
	NameLocal             string   `json:"name_local,omitempty"`
	BrandLocal            string   `json:"brand_local,omitempty"`
	Dates                 []Date   `json:"dates,omitempty" maxItems:"20"`
	ProductNameConfidence float64  `json:"product_name_confidence" minimum:"0" maximum:"1"`
	BrandConfidence       float64  `json:"brand_confidence" minimum:"0" maximum:"1"`
	Confirmed             bool     `json:"confirmed"`
	Pick                  int      `json:"pick,omitempty" minimum:"0"` // 0 for none
	Reason                string   `json:"reason,omitempty"`           // of the pick

	offered int // how many candidates the model was shown
}

// check tidies the answer.
func (j *Judgement) check() error {
	j.Seen, j.Reason = clean(j.Seen, maxStringRunes), clean(j.Reason, maxStringRunes)
	for _, s := range []*string{&j.NameAsPrinted, &j.BrandAsPrinted, &j.Category, &j.ProductName, &j.Brand, &j.NameLocal, &j.BrandLocal} {
		*s = clean(*s, maxProductName)
	}
	j.SubBrands = distinct(j.SubBrands, len(j.SubBrands))
	return nil
}

// reads reports whether the judgement names a product or brand.
func (j *Judgement) reads() bool { return j != nil && (j.ProductName != "" || j.Brand != "") }

// askJudge asks the stronger model about the photos, image_analyzer's analysis, why
// that may be wrong, and the candidates. Its own reading replaces one that differs. A
// look that fails leaves everything as it was.
func (r *rag) askJudge(ctx context.Context) error {
	r.steps = append(r.steps, StepSecondLook)
	key := "judgement"
	if r.facts.judgement != nil {
		key = "judgement_again" // about candidates, after a look without any
	}
	answer, err := r.lookOnce(ctx, agent.Call{Key: key, Values: r.req.values(), Parts: r.judgeParts(), RetryTruncated: true})
	if kindIn(err, gemini.Blocked, gemini.Truncated, gemini.Malformed) || r.goesWithoutLook(err) {
		r.noteFailedLook(ctx, err)
		return leftToLater(ctx, r.req.key("second_looks_malformed"), err)
	}
	if err != nil {
		return err
	}
	j := answer.Value
	j.offered = len(r.facts.candidates)
	r.dropInjected(&j)
	r.useDates(j.Dates)
	r.useReading(&j)
	r.facts.judgement = &j
	slog.DebugContext(ctx, "analyze: second look", "confirmed", r.facts.confirmed(), "reread", r.facts.reread, "pick", j.Pick, "offered", j.offered)
	return nil
}

// lookOnce asks the stronger model. A refusal is a checkpoint as an answer is: a model that
// changed its mind in a later delivery would change what the web was asked, and paid for.
func (r *rag) lookOnce(ctx context.Context, call agent.Call) (agent.Answer[Judgement], error) {
	refusal := r.req.key(call.Key + "_refused")
	if kind := jobs.Kept[gemini.Kind](ctx, refusal); kind != "" {
		return agent.Answer[Judgement]{}, &gemini.Error{Kind: kind}
	}
	answer, err := r.judge.Ask(ctx, call)
	if refused := (*gemini.Error)(nil); modelRefused(err) && errors.As(err, &refused) {
		if kept := jobs.Keep(ctx, refusal, refused.Kind); kept != nil {
			return answer, kept
		}
	}
	return answer, err
}

// noteFailedLook records that a look failed with err. That is no verdict on the reading.
func (r *rag) noteFailedLook(ctx context.Context, err error) {
	f := &r.facts
	f.refused, f.blocked, f.passing = true, kindIn(err, gemini.Blocked), kindIn(err, gemini.Malformed, gemini.Quota)
	if slices.Contains(f.suspicions, Translated) { // what is printed counts
		f.suspicions = slices.DeleteFunc(f.suspicions, func(s Suspicion) bool { return s == Translated })
		f.analysis = f.analysis.untranslated()
	}
	r.warnings = append(r.warnings, WarnSecondLookFailed)
	slog.InfoContext(ctx, "analyze: second look failed", "error", err)
}

// goesWithoutLook reports whether err is that the stronger model's quota of the day is spent,
// and the reading, which has no suspicion, is sure enough not to wait until midnight for it.
func (r *rag) goesWithoutLook(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && e.PerDay && r.facts.sure() && !r.facts.suspicious() && !r.facts.brandless()
}

// laterDeliveries is how many deliveries of a photo end with a malformed second look, or
// finding, before one goes on without it.
const laterDeliveries = 2

// leftToLater returns err if the answer was malformed and the photo is delivered again
// after an error, which gives the model another chance at no cost for the other steps. The
// deliveries are counted under key.
func leftToLater(ctx context.Context, key string, err error) error {
	if !kindIn(err, gemini.Malformed) || jobs.CheckpointsOf(ctx).Keep == nil {
		return nil
	}
	n := jobs.Kept[int](ctx, key)
	if n >= laterDeliveries {
		return nil
	}
	return cmp.Or(jobs.Keep(ctx, key, n+1), err)
}

// judgeParts returns the input of the judging model.
func (r *rag) judgeParts() []gemini.Part {
	parts := append(photoParts(r.req), contextPart(r.req), labelled("image_analysis", r.facts.analysis))
	if doubts := r.facts.doubts(); len(doubts) > 0 {
		parts = append(parts, labelled("doubts", doubts))
	}
	if offered := described(r.facts.candidates); len(offered) > 0 {
		for i := range offered {
			offered[i].Number = i + 1 // by which the model picks one
		}
		parts = append(parts, labelled("candidates", offered))
	}
	return parts
}

// reading returns a with what j read itself in place of what a says of it. A name or a
// brand that j does not read stays, and is not sure any more.
func (j *Judgement) reading(a Analysis) Analysis {
	a.ProductNameConfidence = min(a.ProductNameConfidence, unprovenCap)
	a.BrandConfidence = min(a.BrandConfidence, unprovenCap)
	if j.ProductName != "" {
		a.NameAsPrinted, a.ProductNameConfidence = j.NameAsPrinted, j.ProductNameConfidence
		a.ProductName, a.NameLocal = asPrinted(j.ProductName, j.NameAsPrinted, j.NameLocal)
	}
	if j.Brand != "" {
		a.BrandAsPrinted, a.BrandConfidence = j.BrandAsPrinted, j.BrandConfidence
		a.Brand, a.BrandLocal = asPrinted(withoutSigns(j.Brand), j.BrandAsPrinted, j.BrandLocal)
	}
	a.SubBrands, a.KnownProduct = j.SubBrands, Unsure
	if j.Category != "" {
		a.Category = j.Category
	}
	return a
}

// useReading replaces the reading by j's own if they differ, if j does not confirm it and reads
// more or less of the names. If the brand may hold a sub-brand, j's brand counts even if it
// confirms the rest. A look that confirms keeps the name as the first reading spells it.
func (r *rag) useReading(j *Judgement) {
	a := r.facts.analysis
	second := j.reading(a)
	if j.Confirmed && spelledOtherwise(a, second, newReading(r.text)) {
		j.NameAsPrinted, j.ProductName, j.NameLocal = a.NameAsPrinted, a.ProductName, a.NameLocal
		second = j.reading(a)
	}
	switch {
	case !j.reads():
		return
	case differ(a, second), a.ProductName == "" && j.ProductName != "", a.Brand == "" && j.Brand != "", !j.Confirmed && fullerNames(a, second), j.leavesOut(unreadWords(a)):
	case j.Confirmed && slices.Contains(r.facts.suspicions, BrandOverextended) && j.Brand != "" && textfold.Name(j.Brand) != textfold.Name(a.Brand):
		a.Brand, a.BrandAsPrinted = second.Brand, cmp.Or(second.BrandAsPrinted, a.BrandAsPrinted)
		second = a
	default:
		return
	}
	r.reread(second, j.Seen)
}

// useDates puts what the stronger model says of a date that the print contests in its place.
func (r *rag) useDates(dates []Date) {
	a, said := &r.facts.analysis, Analysis{Dates: dates}
	said.tidyText()
	read := newReading(a.VisibleText)
	rest := slices.DeleteFunc(slices.Clone(a.Dates), func(d Date) bool {
		return read.contests(d) && slices.ContainsFunc(said.Dates, func(s Date) bool { return textfold.String(s.Text) == textfold.String(d.Text) })
	})
	if len(rest) < len(a.Dates) {
		a.Dates = append(rest, said.Dates...)
		r.placeClaims(*a)
	}
}

// leavesOut reports whether j reads names without words that were doubted: a doubt is not
// dispelled by a look that does not read them.
func (j *Judgement) leavesOut(words []string) bool {
	return j.NameAsPrinted != "" && newReading([]Line{{Text: j.NameAsPrinted}, {Text: j.BrandAsPrinted}}).cover(strings.Join(words, " ")).lost > 0
}

// spelledOtherwise reports whether two readings spell one name otherwise: each is in the
// print, and they share a word.
func spelledOtherwise(a, b Analysis, print reading) bool {
	return !otherBrands(a, b) && (a.NameLocal == "" || b.NameLocal == "") &&
		print.cover(a.NameAsPrinted).whole() && print.cover(b.NameAsPrinted).whole() && newReading([]Line{{Text: a.NameAsPrinted}}).hasAny(b.NameAsPrinted)
}

// reread makes second, the stronger model's own reading, the one that counts. It passes the
// gate, with the text that was read and what that model quotes from the photo, and the
// suspicions that its model was not asked about. The stronger model decides what the brand is,
// and how a name ends whose beginning the gate found.
func (r *rag) reread(second Analysis, seen string) {
	f := &r.facts
	told := f.allSuspicions()
	f.named = second.ProductNameConfidence
	second.Category = r.english(second.Category, f.analysis.Category)
	own := second.VisibleText
	second.VisibleText = slices.Concat(own, quoted(seen, second.NameAsPrinted, second.ProductNameConfidence), quoted(seen, second.BrandAsPrinted, second.BrandConfidence))
	r.gateNames(&second)
	open := slices.DeleteFunc(suspicions(second, brandKnowledge{}), func(s Suspicion) bool {
		return s == BrandOverextended || s == Translated || slices.Contains(told, s)
	})
	second.VisibleText = own
	r.placeClaims(second)
	f.analysis, f.reread, f.dispelled, f.suspicions = second, true, told, open
	if !f.gtinConflict() {
		r.unwarn(WarnGTINConflict)
	}
}

// quoted returns a printed name as a line if it stands in seen. The line is clear if the
// name is sure.
func quoted(seen, name string, confidence float64) []Line {
	if n := textfold.String(name); n == "" || !strings.Contains(textfold.String(seen), n) {
		return nil
	}
	return []Line{{Text: name, Clear: Clarity(confidence > confident)}}
}

// english returns category, or otherwise with a warning if category is not English.
func (r *rag) english(category, otherwise string) string {
	if english(category) {
		return category
	}
	r.warn(warnCategoryNotEnglish)
	if english(otherwise) && otherwise != "" {
		return otherwise
	}
	return category
}

// warn adds a code to the warnings if it is not there yet.
func (r *rag) warn(code string) {
	r.unwarn(code)
	r.warnings = append(r.warnings, code)
}

// unwarn removes codes from the warnings.
func (r *rag) unwarn(codes ...string) {
	r.warnings = slices.DeleteFunc(r.warnings, func(w string) bool { return slices.Contains(codes, w) })
}

// allSuspicions returns the suspicions about the first reading and about the one that
// replaced it, without repeats.
func (f *facts) allSuspicions() []Suspicion {
	all := append([]Suspicion{}, f.dispelled...)
	for _, s := range f.suspicions {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// modelRefused reports whether the model refused or cut its answer, so that a retry
// is of no use.
func modelRefused(err error) bool { return kindIn(err, gemini.Blocked, gemini.Truncated) }

// kindIn reports whether err is a model's error of one of kinds.
func kindIn(err error, kinds ...gemini.Kind) bool {
	var e *gemini.Error
	return errors.As(err, &e) && slices.Contains(kinds, e.Kind)
}
