package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/spreadsheet"
)

// A Result is the result of a run, however it ended.
type Result struct {
	ID string `json:"id"`
	Target
	Action     string    `json:"action"` // accept, reject, exhausted, limit, canceled, failed or not_on_emulated_web
	Reason     string    `json:"reason"`
	StartTime  time.Time `json:"start_time"`
	EndTime    time.Time `json:"end_time"`
	Iterations int       `json:"iterations"`

	Items    []StructuredDataItem `json:"items"`
	Changes  *Changes             `json:"changes,omitempty"` // since the run that the request names
	Note     []string             `json:"note"`              // what was found, for a reader: what exists, years, gaps, contradictions
	Grid     Grid                 `json:"coverage"`
	NotFound []NotFound           `json:"not_found"` // sought, with the reason why not found
	Absent   []Absence            `json:"absent"`
	Dropped  []Dropped            `json:"dropped"`
	NotRead  []NotRead            `json:"not_read"` // seen, with the reason why not read
	Plan     SearchPlan           `json:"search_plan"`
	Log      []Decision           `json:"decision_log"`
	Sources  []*Page              `json:"sources"`
	Scores   map[string]float64   `json:"confidence_scores,omitempty"`
	Review   *Review              `json:"reviewer_assessment,omitempty"` // the last one
	Searches int                  `json:"searches_conducted_count"`
	Calls    int                  `json:"model_calls"`
	CostUSD  float64              `json:"cost_usd"`
	Warnings []string             `json:"warnings,omitempty"`
}

// result returns the result of s.
func (s *AgentState) result(end time.Time) Result {
	items := s.consolidated()
	r := Result{
		ID: s.ID, Target: s.Target, Action: s.Action, Reason: s.Reason, StartTime: s.StartTime, EndTime: end, Iterations: s.CurrentIteration,
		Items: append([]StructuredDataItem{}, items...), Grid: grid(s.Sectors, items, s.Absent), Absent: append([]Absence{}, s.Absent...), Dropped: append([]Dropped{}, s.Dropped...), NotRead: s.notRead(),
		Plan: s.Plan, Log: s.DecisionLog, Sources: s.Pages, Scores: s.ConfidenceScores, Review: s.Assessment, Searches: s.SearchesConductedCount,
		Calls: s.Spent.Calls.Generate, CostUSD: s.Spent.USD, Warnings: append(slices.Clone(s.Warnings), s.Spent.Warnings...),
	}
	r.NotFound = s.notFound(r.Grid)
	r.Note = r.note()
	return r
}

// filled returns r with empty lists instead of nil ones.
func (r Result) filled() Result {
	r.Note, r.NotFound = append([]string{}, r.Note...), append([]NotFound{}, r.NotFound...)
	r.Log, r.Sources = append([]Decision{}, r.Log...), append([]*Page{}, r.Sources...)
	for _, list := range []*[]string{&r.Names, &r.Languages, &r.Target.Sectors} {
		*list = append([]string{}, *list...)
	}
	r.Plan = r.Plan.filled()
	return r
}

// filled returns p with copies of its lists, empty instead of nil.
func (p SearchPlan) filled() SearchPlan {
	for _, list := range []*[]string{&p.PlaceNames, &p.PrimaryLanguages, &p.KeyInstitutions, &p.InternationalSources, &p.DocumentTypes, &p.CatalogueTerms} {
		*list = append([]string{}, *list...)
	}
	p.Queries = append([]SearchQuery{}, p.Queries...)
	return p
}

// CSV returns the records, a line each, followed by the dropped entries.
func (r Result) CSV() []byte {
	var b bytes.Buffer
	w := spreadsheet.NewWriter(&b, "status", "name", "url", "sector", "subsector", "place", "part_of", "country", "country_locode", "method_of_access", "data_format", "description", "granularity", "gas", "unit", "scope", "licence",
		"publisher", "publisher_kind", "first_year", "last_year", "quote", "where", "landing_page", "files", "proofs", "acceptance", "duplicate_key", "mark", "gate", "reason")
	for _, i := range r.Items {
		var files []string
		for _, f := range i.Files {
			files = append(files, f.URL)
		}
		mark := ""
		if i.Mark != nil {
			mark = i.Mark.Verdict
		}
		_ = w.Row("found", i.Name, i.URL, i.Sector, i.Subsector, i.Place, strconv.FormatBool(i.PartOf), i.Country, i.CountryLocode, i.MethodOfAccess, i.DataFormat, i.Description, i.Granularity, i.Gas, i.Unit, i.Scope, i.Licence,
			i.Publisher, i.PublisherKind, yearOrNone(i.FirstYear), yearOrNone(i.LastYear), i.Quote, i.Where, i.LandingPage, strings.Join(files, " "), strings.Join(i.Proofs, " "), fmt.Sprintf("%.2f", i.Acceptance), i.DuplicateKey, mark, "", "")
	}
	for _, d := range r.Dropped {
		_ = w.Row(slices.Concat([]string{"dropped", d.Record, d.URL}, make([]string, 24), []string{d.Key, "", string(d.Gate), d.Reason})...)
	}
	_ = w.Flush() // into memory
	return b.Bytes()
}

// yearOrNone writes a year, "" if there is none.
func yearOrNone(year int) string {
	if year == 0 {
		return ""
	}
	return strconv.Itoa(year)
}

// resultName returns the object's name of a file of a run.
func resultName(id, file string) string { return blob.Discoveries + id + "/" + file }

// write writes the results of a run that is over.
func (p *Pipeline) write(ctx context.Context, s *AgentState) error {
	if p.EmulatedWeb != nil {
		s.warn(WarnEmulatedWeb)
	}
	switch {
	case s.Mode == modeCity && s.CityLocode == "":
		s.warn(WarnNoLocode)
	case s.Mode == modeCity:
		s.warn(WarnLocode)
	}
	r := s.result(time.Now().UTC())
	if s.Request.Since != "" {
		before, err := p.earlier(ctx, s.Request.Since, s.Target)
		switch {
		case err == nil:
			r.Changes, err = changes(s.Request.Since, before.Items, r.Items, func(old StructuredDataItem) (string, error) { return p.unseen(ctx, s, old) })
			if err != nil {
				return err
			}
		case errors.Is(err, ErrRequest): // the earlier result was deleted after this run began
			r.Warnings = append(r.Warnings, WarnSince)
		default:
			return err
		}
	}
	var searches []Decision
	for _, d := range s.DecisionLog {
		if d.Agent == string(researching) {
			searches = append(searches, d)
		}
	}
	for file, v := range map[string]any{"result.json": r.filled(), "search_plan.json": s.Plan, "search_log.json": searches} {
		data, err := json.MarshalIndent(v, "", " ")
		if err == nil {
			err = p.archive().Put(ctx, resultName(s.ID, file), "application/json", data)
		}
		if err != nil {
			return fmt.Errorf("discover: %s: %w", file, err)
		}
	}
	return p.archive().Put(ctx, resultName(s.ID, "result.csv"), "text/csv; charset=utf-8", r.CSV())
}

// maxResult bounds a result that is read, in bytes.
const maxResult = 64 << 20

// File returns result.json or result.csv of a run that is over, with the current marks.
func (p *Pipeline) File(ctx context.Context, id, file string) ([]byte, error) {
	r, err := p.Result(ctx, id)
	if err != nil {
		return nil, err
	}
	if file == "result.csv" {
		return r.CSV(), nil
	}
	return json.MarshalIndent(r, "", " ")
}

// object returns a file of a run that is over, as it was written.
func (p *Pipeline) object(ctx context.Context, id, file string) ([]byte, error) {
	s, err := p.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.State.Over() {
		return nil, ErrUnfinished
	}
	data, _, err := p.Objects.Read(ctx, blob.ObjectRef{Bucket: p.Bucket, Name: resultName(id, file)}, maxResult)
	return data, err
}
