package discover

import (
	"fmt"
	"slices"
	"time"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/gemini"
)

// An AgentState is the state of a run: its target, plan, pages and records so far. It has
// the addresses of pages; their texts are in the bucket.
type AgentState struct {
	ID      string  `json:"id"`
	Request Request `json:"request"`
	Target
	Limits     Limits   `json:"limits"`
	Deployment Pointing `json:"deployment,omitzero"` // where it points, beside the request

	Phase Phase `json:"phase"`
	Slice int   `json:"slice"` // the number of slices done

	Plan           SearchPlan           `json:"search_plan"`
	Pages          []*Page              `json:"scraped_data"`
	StructuredData []StructuredDataItem `json:"structured_data"`
	Absent         []Absence            `json:"absent"`
	Candidates     []*Candidate         `json:"candidates,omitempty"` // files that pages link, and datasets of catalogues
	Catalogues     []*Catalogue         `json:"catalogues,omitempty"`
	Marks          map[string]Mark      `json:"marks,omitempty"` // users' verdicts on records of this place
	Dropped        []Dropped            `json:"dropped"`

	CurrentIteration            int                `json:"current_iteration"`
	QueriesInCycle              int                `json:"queries_in_cycle"`
	SearchesConductedCount      int                `json:"searches_conducted_count"`
	SearchFailures              int                `json:"search_failures,omitempty"` // in a row
	ConsecutiveDeepDiveCount    int                `json:"consecutive_deep_dive_count"`
	CurrentDeepDiveActionsCount int                `json:"current_deep_dive_actions_count"`
	RefinementDetails           string             `json:"refinement_details,omitempty"`
	Assessment                  *Review            `json:"reviewer_assessment,omitempty"` // of the last review
	DecisionLog                 []Decision         `json:"decision_log"`
	ConfidenceScores            map[string]float64 `json:"confidence_scores,omitempty"`
	StartTime                   time.Time          `json:"start_time"`

	Action   string        `json:"action,omitempty"` // how it ended
	Reason   string        `json:"reason,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Spent    gemini.Ledger `json:"spent"`

	Tolls    map[Phase]Toll `json:"tolls,omitempty"` // what each step has taken
	Estimate Estimate       `json:"estimate"`        // of the whole run, as it looks now
}

// A Phase is the current step of a run.
type Phase string

// The phases, in the order of an iteration.
const (
	planning    Phase = "planner"
	researching Phase = "researcher"
	fetching    Phase = "fetch"
	screening   Phase = "raw_review"
	extracting  Phase = "extractor"
	following   Phase = "follow" // asks catalogues, and judges the files that pages link
	reviewing   Phase = "reviewer"
	diving      Phase = "deep_diver"
	over        Phase = "over"
)

// How a run ends.
const (
	accepted  = "accept"
	rejected  = "reject"
	exhausted = "exhausted" // nothing is left to search
	stopped   = "limit"     // a limit was reached
	canceled  = "canceled"
	failed    = "failed"
	elsewhere = "not_on_emulated_web"
)

// A SearchQuery is one query of the plan.
type SearchQuery struct {
	Query      string `json:"query"`
	Language   string `json:"language" jsonschema:"ISO 639-1"`
	Rank       int    `json:"rank" jsonschema:"1 is searched first"`
	TargetType string `json:"target_type" jsonschema:"the kind of document that is sought"`
	Status     string `json:"status,omitempty" enum:"pending,searched,failed" jsonschema:"leave it out"`
}

// A Page is an address to read, or a page that was read.
type Page struct {
	URL         string   `json:"url"`
	Title       string   `json:"title,omitempty"`
	Snippet     string   `json:"snippet,omitempty"`
	Source      string   `json:"source"`            // marked, start, search, portal, sitemap, file, catalogue, link or dive
	Fetch       string   `json:"fetch,omitempty"`   // the address that is asked, where it is another: a catalogue's interface
	Promise     int      `json:"promise,omitempty"` // the most promising pages are read, reviewed and extracted from first
	Depth       int      `json:"depth,omitempty"`   // how many lists were followed to it
	Via         string   `json:"via,omitempty"`     // the query or the page that it comes from
	Status      string   `json:"status"`
	Reason      string   `json:"reason,omitempty"` // why it, or its end, is not read
	Missing     bool     `json:"missing,omitempty" jsonschema:"whether its site says that there is none: 404 or 410"`
	ContentType string   `json:"content_type,omitempty"`
	Object      string   `json:"object,omitempty"`         // its name in the bucket
	Unread      string   `json:"unread,omitempty"`         // the pieces of a long page that no model has read
	Members     []string `json:"members_unread,omitempty"` // of an archive, that are of a kind that is not read, or too large

	Further []webdoc.Link `json:"further,omitempty"` // its links to pages of its site, the most promising first
}

// The states of a page, in this order.
const (
	pending   = "pending"
	fetched   = "fetched"
	selected  = "selected"  // the raw review chose it
	extracted = "extracted" // it was read
	skipped   = "skipped"   // there is a Reason
)

// A StructuredDataItem is a dataset that a page publishes, with its proof.
type StructuredDataItem struct {
	Name           string `json:"name"`
	URL            string `json:"url"`
	MethodOfAccess string `json:"method_of_access"`
	Sector         string `json:"sector"`
	Subsector      string `json:"subsector"` // English names, "a; b"
	DataFormat     string `json:"data_format"`
	Description    string `json:"description"`
	Granularity    string `json:"granularity"`
	Gas            string `json:"gas,omitempty"`     // which gases it has, as its page prints them
	Unit           string `json:"unit,omitempty"`    // of its figures, as its page prints it
	Scope          string `json:"scope,omitempty"`   // which scopes of a city's inventory it has, as its page prints them
	Licence        string `json:"licence,omitempty"` // the terms of use, as its page prints them
	Country        string `json:"country"`
	CountryLocode  string `json:"country_locode"`
	Place          string `json:"place,omitempty"` // the words of the page that say so; "" where only its publisher does

	PartOf        bool        `json:"part_of,omitempty"`    // it is about a part of the place alone, such as a province, or about the region of the city
	Sectors       []string    `json:"sectors"`              // all that it serves
	Subsectors    []Subsector `json:"subsectors,omitempty"` // those of which it has figures, as its page prints them
	Publisher     string      `json:"publisher"`
	PublisherKind string      `json:"publisher_kind"`         // what that is, as the model says
	FirstYear     int         `json:"first_year"`             // 0 where the page says none: "up to 2017"
	LastYear      int         `json:"last_year"`              // 0 where the page says none: "since 1990"
	Quote         string      `json:"quote"`                  // a literal text of the page
	Where         string      `json:"where,omitempty"`        // in a file: its page or cell
	LandingPage   string      `json:"landing_page,omitempty"` // of a record of a file: the page that links it
	Files         []File      `json:"files,omitempty"`        // linked from the page, or the file that the quote stands in
	Also          []Identity  `json:"also,omitempty"`         // the dataset at other addresses: mirrors, translations, older editions
	DuplicateKey  string      `json:"duplicate_key"`
	Proofs        []string    `json:"proofs"`         // what its page proves: publisher (by its domain), place, years, quote, file
	Acceptance    float64     `json:"acceptance"`     // 0 to 1, by its proofs: confidence that it is what the request asks for
	Mark          *Opinion    `json:"mark,omitempty"` // a user's verdict
}

// A File is something to download, or a dashboard, whose format is "web".
type File struct {
	URL    string `json:"url"`
	Format string `json:"format"`
}

// An Absence is an entry that an inventory states not to have.
type Absence struct {
	URL       string `json:"url"`
	Sector    string `json:"sector"`
	Subsector string `json:"subsector"` // its English name
	Key       string `json:"key"`       // NE, not estimated, or NO, not occurring
	Quote     string `json:"quote"`
}

// A Dropped is an address, page or record that a gate kept out of the result.
type Dropped struct {
	URL    string `json:"url"`
	Record string `json:"record,omitempty"`
	Gate   Gate   `json:"gate"`
	Reason string `json:"reason"`
	Key    string `json:"duplicate_key,omitempty"` // of a record that was marked
}

// A Decision is an entry of the decision log.
type Decision struct {
	Time      time.Time `json:"time"`
	Agent     string    `json:"agent"`
	Iteration int       `json:"iteration"`
	Action    string    `json:"action"`
	Reason    string    `json:"reason"`
}

// decide logs a decision.
func (s *AgentState) decide(agent Phase, action, format string, args ...any) {
	s.DecisionLog = append(s.DecisionLog, Decision{time.Now().UTC(), string(agent), s.CurrentIteration, action, fmt.Sprintf(format, args...)})
}

// drop notes an entry that a gate kept out.
func (s *AgentState) drop(url, record string, gate Gate, format string, args ...any) {
	s.Dropped = append(s.Dropped, Dropped{URL: url, Record: record, Gate: gate, Reason: fmt.Sprintf(format, args...)})
}

// end ends the run.
func (s *AgentState) end(action, format string, args ...any) {
	s.Phase, s.Action, s.Reason = over, action, fmt.Sprintf(format, args...)
	s.decide(over, action, "%s", s.Reason)
}

func (s *AgentState) warn(code string) {
	if !slices.Contains(s.Warnings, code) {
		s.Warnings = append(s.Warnings, code)
	}
}

// pages returns the pages with a status, in the order in which they were found.
func (s *AgentState) pages(status string) []*Page {
	return slices.DeleteFunc(slices.Clone(s.Pages), func(p *Page) bool { return p.Status != status })
}

// known returns the page of an address, nil if there is none.
func (s *AgentState) known(url string) *Page {
	if i := slices.IndexFunc(s.Pages, func(p *Page) bool { return p.URL == url }); i >= 0 {
		return s.Pages[i]
	}
	return nil
}

// add adds a page to read, unless it is known, there are too many, or the request leaves it out.
func (s *AgentState) add(p Page) bool {
	if s.known(p.URL) != nil || len(s.Pages) >= s.Limits.Pages || !s.admits(p.URL) {
		return false
	}
	p.Status, p.Promise = pending, s.promise(&p, "")
	s.Pages = append(s.Pages, &p)
	return true
}

// queries returns the queries not searched yet, by rank, as many as one cycle has left.
func (s *AgentState) queries() (all []*SearchQuery) {
	for i := range s.Plan.Queries {
		if q := &s.Plan.Queries[i]; q.Status == pending {
			all = append(all, q)
		}
	}
	slices.SortStableFunc(all, func(a, b *SearchQuery) int { return a.Rank - b.Rank })
	return all
}
