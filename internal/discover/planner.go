package discover

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/textfold"
)

//go:embed planner.md
var plannerText string

// guides has a file for each sector, and for cities: what is counted and who compiles it.
//
//go:embed guides/*.md
var guides embed.FS

// guide returns the guides for a target.
func (t Target) guide() string {
	names := slices.Clone(t.Sectors)
	if t.Mode == modeCity {
		names = append(names, modeCity)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := guides.ReadFile("guides/" + name + ".md")
		if err != nil {
			panic(fmt.Sprintf("discover: no guide for %s: %v", name, err)) // a mistake in the program
		}
		b.Write(text)
	}
	return b.String()
}

// A SearchPlan is the planner's answer.
type SearchPlan struct {
	PrimaryLanguages     []string      `json:"primary_languages" maxItems:"5" jsonschema:"ISO 639-1"`
	PlaceNames           []string      `json:"place_names" maxItems:"10" jsonschema:"what the place is called in those languages"`
	KeyInstitutions      []string      `json:"key_institutions" maxItems:"20" jsonschema:"who is likely to publish the data"`
	InternationalSources []string      `json:"international_sources" maxItems:"20" jsonschema:"international collections to look into"`
	DocumentTypes        []string      `json:"document_types" maxItems:"20" jsonschema:"the kinds of documents that are sought"`
	Locode               string        `json:"un_locode" jsonschema:"the UN/LOCODE of the city, such as ATLNZ; empty if it is no city or you do not know it"`
	CatalogueTerms       []string      `json:"catalogue_terms" maxItems:"6" jsonschema:"what a catalogue of data is asked for, each one or two words in its language"`
	Queries              []SearchQuery `json:"search_queries" maxItems:"15"`
}

// Limits of a plan's queries, and of a query's words and letters at the search engine.
const (
	minQueries = 5
	maxQueries = 15
	maxPlanned = 40                 // with queries that reviews add
	maxWords   = 46                 // of 50, four are leftOut
	maxLetters = 400 - len(leftOut) // of one
)

// check refuses a plan with too few usable queries.
func (s *SearchPlan) check() error {
	s.Queries = usable(s.Queries)
	if len(s.Queries) < minQueries {
		return fmt.Errorf("search_queries has %d different queries of 1 to %d words: write %d to %d", len(s.Queries), maxWords, minQueries, maxQueries)
	}
	s.Queries = s.Queries[:min(len(s.Queries), maxQueries)]
	return nil
}

// usable returns the queries that a search engine accepts, each once, by rank.
func usable(all []SearchQuery) (good []SearchQuery) {
	slices.SortStableFunc(all, func(a, b SearchQuery) int { return a.Rank - b.Rank })
	seen := map[string]bool{}
	for _, q := range all {
		q.Query = strings.Join(strings.Fields(q.Query), " ")
		q.Status = pending
		key := strings.ToLower(q.Query)
		if q.Query == "" || seen[key] || len(strings.Fields(q.Query)) > maxWords || len([]rune(q.Query)) > maxLetters {
			continue
		}
		seen[key] = true
		good = append(good, q)
	}
	return good
}

// plan asks for the plan, and begins with it. Where queries in English alone are wanted, it has no others.
func (p *Pipeline) plan(ctx context.Context, s *AgentState) error {
	answer, err := p.planner.Ask(ctx, agent.Call{Key: "planner", Values: s.values(), Parts: []gemini.Part{gemini.Text("Write the plan.")}})
	if s.Request.EnglishOnly {
		answer.Value.Queries = slices.DeleteFunc(answer.Value.Queries, func(q SearchQuery) bool { return !isEnglish(q.Language) })
	}
	if err == nil && len(answer.Value.Queries) == 0 {
		s.warn(WarnNoPlan)
	}
	return p.begin(ctx, s, answer.Value, err)
}

// isEnglish reports that a model means English: en, en-US, eng, English.
func isEnglish(said string) bool {
	tag, err := language.Parse(said)
	base, _ := tag.Base()
	return err == nil && base.String() == "en" || strings.EqualFold(strings.TrimSpace(said), "english")
}

// begin begins with a plan, or without one where err says that no answer can be used, and adds
// the portals and what the request names.
func (p *Pipeline) begin(ctx context.Context, s *AgentState, plan SearchPlan, err error) error {
	switch {
	case unanswerable(err):
		s.warn(WarnNoPlan)
	case err != nil:
		return err
	}
	s.Plan = plan
	s.CityLocode = s.locode(s.Plan.Locode)
	for _, name := range s.Plan.PlaceNames {
		if !slices.Contains(s.Names, name) && textfold.Letters(name) > 1 {
			s.Names = append(s.Names, name)
		}
	}
	if s.Marks, err = p.marks(ctx, s.Target); err != nil {
		return err
	}
	s.addMarked()
	s.addNamed()
	for _, portal := range p.Portals {
		if portal.Serves(s.CountryLocode, s.Mode == modeCountry, s.Sectors) {
			s.add(Page{URL: portal.URL, Title: portal.Name, Source: "portal"})
			if root, err := url.Parse(portal.URL); err == nil && portal.Country != "" {
				s.add(Page{URL: root.JoinPath("/sitemap.xml").String(), Title: portal.Name, Source: sitemap})
			}
		}
	}
	s.CurrentIteration = 1
	s.Phase = researching
	s.decide(planning, "plan", "%d queries in %s, %d portals", len(s.Plan.Queries), list(s.Plan.PrimaryLanguages), len(s.Pages))
	s.settle()
	return nil
}

// locodeForm is the form of a UN/LOCODE: the country's code, and three letters or digits from 2.
var locodeForm = regexp.MustCompile(`^[A-Z]{2}[A-Z2-9]{3}$`)

// locode returns a city's UN/LOCODE as a model says it, "" if it has not the form of one of the
// city's country. There is no list to verify it by.
func (t Target) locode(said string) string {
	said = strings.ToUpper(strings.Join(strings.Fields(said), ""))
	if t.Mode != modeCity || !locodeForm.MatchString(said) || said[:2] != t.CountryLocode {
		return ""
	}
	return said
}

// giveUpQueries ends the searches of the run; pages found so far are still read.
func (s *AgentState) giveUpQueries() {
	for _, q := range s.queries() {
		q.Status = failed
	}
}

// settle moves to the next phase that has something to do.
func (s *AgentState) settle() {
	if s.Phase == researching && (len(s.queries()) == 0 || s.QueriesInCycle >= s.Limits.CycleQueries || s.SearchesConductedCount >= s.Limits.Searches) {
		s.Phase, s.QueriesInCycle = fetching, 0
	}
	for _, step := range []struct {
		phase, next Phase
		status      string
	}{{fetching, screening, pending}, {screening, extracting, fetched}, {extracting, following, selected}} {
		if s.Phase == step.phase && len(s.pages(step.status)) == 0 {
			s.Phase = step.next
		}
	}
	switch {
	case s.Phase != following || len(s.candidates()) > 0 || s.unasked() != nil:
	case len(s.pages(pending)) > 0:
		s.Phase = fetching
	default:
		s.Phase = reviewing
	}
}

// list joins texts as "a, b, c".
func list(of []string) string { return strings.Join(of, ", ") }

// unanswerable reports that the same question would fail again with err. A 400 skips the
// subject of the question, such as a page, and does not end the run, as the service
// refuses many inputs with it.
func unanswerable(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && (e.AboutContent() || e.Kind == gemini.Malformed || e.Kind == gemini.Invalid)
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
