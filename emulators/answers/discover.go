package answers

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/site"
)

// The calls of the agent that finds data on emissions, by fields of their schemas.
const (
	KindSearchPlan gemini.Kind = "search_plan"
	KindRelevance  gemini.Kind = "relevance"
	KindScreen     gemini.Kind = "raw_review"
	KindExtract    gemini.Kind = "extract_datasets"
	KindReview     gemini.Kind = "review_datasets"
	KindDive       gemini.Kind = "deep_dive"
)

// discover is the responder of the agent that finds data. It knows pages by the labels of
// the emulated web (site.Labels), and nothing of other addresses. It reads the place, the
// sectors and the terms of a plan from the instruction.
type discover struct{ perfect bool }

func (discover) Kinds(r *gemini.Request) []gemini.Kind {
	for _, k := range []struct {
		property string
		kind     gemini.Kind
	}{
		{"search_queries", KindSearchPlan}, {"promising_pages", KindScreen}, {"datasets", KindExtract}, {"completeness_score", KindReview}, {"action_type", KindDive},
	} {
		if asksFor(r, k.property) {
			return []gemini.Kind{k.kind}
		}
	}
	if shape := fmt.Sprint(r.ResponseSchema) + r.System; asksFor(r, "results") && strings.Contains(shape, "is_relevant") {
		return []gemini.Kind{KindRelevance}
	}
	return nil
}

func (d discover) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	b, text := readBriefing(r.System), strings.Join(r.Texts, "\n")
	answer := map[gemini.Kind]func(briefing, string) map[string]any{
		KindSearchPlan: d.planSearch, KindRelevance: judgeResults, KindScreen: choosePages, KindExtract: extractDatasets, KindReview: reviewDatasets, KindDive: chooseDive,
	}[r.Kind]
	if answer == nil {
		return gemini.Answer{}, fmt.Errorf("answers: discover is asked a %s", r.Kind)
	}
	return gemini.Answer{JSON: answer(b, text)}, nil
}

// A briefing is the content of an instruction.
type briefing struct {
	names, sectors, languages []string
	city                      bool
	terms                     map[string]map[string][]string // by section and language
}

func readBriefing(system string) briefing {
	b, section := briefing{terms: map[string]map[string][]string{}}, ""
	for line := range strings.Lines(system) {
		line = strings.TrimSpace(line)
		for label, to := range map[string]*[]string{"Place names: ": &b.names, "Sectors: ": &b.sectors, "Languages: ": &b.languages} {
			if value, ok := strings.CutPrefix(line, label); ok {
				*to = strings.Split(value, ", ")
			}
		}
		b.city = b.city || strings.HasPrefix(line, "Place: ") && strings.Contains(line, "(city of ")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section, b.terms[name] = name, map[string][]string{}
		}
		if lang, terms, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok && len(lang) == 2 && section != "" {
			b.terms[section][lang] = strings.Split(terms, "; ")
		}
	}
	return b
}

// wants reports that a dataset is about the place and one of the sectors.
func (b briefing) wants(d site.Dataset) bool {
	return d.Place.Called(b.names) && slices.ContainsFunc(d.Sectors, func(sector string) bool { return slices.Contains(b.sectors, sector) })
}

func (b briefing) lacks(a site.Absence) bool {
	return a.Place.Called(b.names) && slices.Contains(b.sectors, a.Sector)
}

// An addressed has the labels of an address that concern the wanted place and sectors.
type addressed struct {
	known    bool // the address is on the emulated web
	datasets []site.Dataset
	absent   []site.Absence
	leads    bool // it promises or links such data
}

func (b briefing) at(address string) (p addressed) {
	labels, known := site.Labels(address)
	p.known = known
	for _, l := range labels {
		for _, d := range l.Datasets {
			if b.wants(d) {
				p.datasets = append(p.datasets, d)
			}
		}
		for _, a := range l.Absent {
			if b.lacks(a) {
				p.absent = append(p.absent, a)
			}
		}
		p.leads = p.leads || slices.ContainsFunc(l.Leads, b.wants)
	}
	return p
}

// planSearch writes queries of the place's names and the terms of the instruction. A perfect
// model first queries the titles of the published datasets.
func (d discover) planSearch(b briefing, _ string) map[string]any {
	var queries []map[string]any
	add := func(lang string, words ...string) {
		if len(queries) < 15 {
			queries = append(queries, map[string]any{"query": strings.Join(words, " "), "language": lang, "rank": len(queries) + 1, "target_type": "inventory"})
		}
	}
	for _, one := range site.Published(b.names) {
		if d.perfect && b.wants(one) {
			add(one.Language, one.Title)
		}
	}
	place := strings.Join(b.names, " ")
	perSector := max(1, 5/max(1, len(b.sectors)))
	for i := len(b.languages) - 1; i >= 0; i-- {
		lang := b.languages[i]
		for _, sector := range b.sectors {
			terms, data := b.terms[sector][lang], b.terms["data"][lang]
			for n := range min(perSector, len(terms)) {
				add(lang, place, terms[n], data[min(1+n%2, len(data)-1)])
			}
		}
	}
	for _, words := range []string{"national inventory submission common reporting tables all sectors", "facility emissions database", "greenhouse gas inventory", "emissions dataset", "official statistics of emissions"} {
		add("en", place, words)
	}
	return map[string]any{
		"primary_languages": b.languages, "place_names": []string{}, "key_institutions": []string{},
		"international_sources": []string{}, "document_types": []string{"inventory", "dataset"}, "un_locode": "", "catalogue_terms": b.catalogueTerms(d.perfect), "search_queries": queries,
	}
}

// catalogueTerms are single terms of the sectors, in the languages of the place. A perfect
// model first asks for the subsectors of what is published.
func (b briefing) catalogueTerms(perfect bool) []string {
	all := []string{}
	for _, one := range site.Published(b.names) {
		if term := strings.Join(one.Parts, " "); perfect && b.wants(one) && !slices.Contains(all, term) && len(all) < 6 {
			all = append(all, term)
		}
	}
	for i := len(b.languages) - 1; i >= 0; i-- {
		for _, sector := range b.sectors {
			if terms := b.terms[sector][b.languages[i]]; len(terms) > 0 && len(all) < 6 {
				all = append(all, terms[0])
			}
		}
	}
	return all
}

// blocks splits a text at its headings, such as "PAGE 3", and returns the parts by number.
func blocks(text, heading string) map[int]string {
	all := map[int]string{}
	for _, part := range strings.Split("\n"+text, "\n"+heading+" ")[1:] {
		number, rest, _ := strings.Cut(part, "\n")
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			all[n] = rest
		}
	}
	return all
}

// addressLine matches the address of a result, a page or a record in a request.
var addressLine = regexp.MustCompile(`(?m)^url: (\S+)$`)

func addressIn(block string) string {
	if m := addressLine.FindStringSubmatch(block); m != nil {
		return m[1]
	}
	return ""
}

// judgeResults accepts results that are labelled to have, promise or link such data, and
// unknown ones.
func judgeResults(b briefing, text string) map[string]any {
	results := []map[string]any{}
	found := blocks(text, "RESULT")
	for n := 1; n <= len(found); n++ {
		p, result := b.at(addressIn(found[n])), map[string]any{"number": n, "is_relevant": true}
		if p.known && len(p.datasets)+len(p.absent) == 0 && !p.leads {
			result["reason"], result["is_relevant"] = "It has no such data.", false
		}
		results = append(results, result)
	}
	return map[string]any{"results": results}
}

func choosePages(b briefing, text string) map[string]any {
	chosen, lists := []int{}, []int{}
	found := blocks(text, "PAGE")
	for n := 1; n <= len(found); n++ {
		if p := b.at(addressIn(found[n])); len(p.datasets)+len(p.absent) > 0 {
			chosen = append(chosen, n)
		} else if p.leads {
			lists = append(lists, n)
		}
	}
	return map[string]any{"reasoning": fmt.Sprintf("%d of %d pages describe such data, or what they lack.", len(chosen), len(found)), "promising_pages": chosen, "lists": lists}
}

var listedLink = regexp.MustCompile(`^([0-9]+)\. .* \((\S+)\)$`)

// extractDatasets returns the datasets in a page's labels that the shown text contains.
func extractDatasets(b briefing, text string) map[string]any {
	head, shown, _ := strings.Cut(text, "\nTEXT OF THE PAGE\n")
	p, letters := b.at(addressIn(head)), samples.Letters(shown)
	datasets, absent := []map[string]any{}, []map[string]any{}
	for _, d := range p.datasets {
		if strings.Contains(letters, samples.Letters(d.Quote)) {
			datasets = append(datasets, b.described(d, head))
		}
	}
	for _, a := range p.absent {
		if strings.Contains(letters, samples.Letters(a.Quote)) {
			absent = append(absent, map[string]any{"quote": a.Quote, "sector": a.Sector, "subsector": a.Part, "label": b.label(site.Subsectors()[a.Part]), "key": a.Key})
		}
	}
	return map[string]any{"datasets": datasets, "absent": absent}
}

// described returns a dataset as an extractor describes it, with the numbers of the listed
// links to its files.
func (b briefing) described(d site.Dataset, links string) map[string]any {
	files := []int{}
	for line := range strings.Lines(links) {
		m := listedLink.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		labels, _ := site.Labels(m[2])
		if slices.ContainsFunc(labels, func(l site.Label) bool {
			return l.File && slices.ContainsFunc(l.Datasets, func(of site.Dataset) bool { return of.URL == d.URL })
		}) {
			n, _ := strconv.Atoi(m[1])
			files = append(files, n)
		}
	}
	place := d.Place.Local
	if !strings.Contains(d.Quote+d.Title, place) {
		place = d.Place.Name
	}
	return map[string]any{
		"quote": d.Quote, "name": d.Title, "place": place, "of_place": true, "part_of": false, "sectors": d.Sectors, "subsectors": d.Parts, "subsector_labels": b.labels(d.Parts), "first_year": d.FirstYear, "last_year": d.LastYear, "links": files,
		"method_of_access": "download", "data_format": "", "description": "", "granularity": "", "gas": "", "unit": "", "scope": "", "licence": "", "publisher": d.Publisher, "publisher_kind": kindOf[d.Tier],
	}
}

// label is what the instruction calls a subsector: that of a city as inventories of cities do.
func (b briefing) label(s site.Subsector) string {
	if b.city {
		return s.InCity()
	}
	return s.Label
}

// labels says of each part of a dataset what it is; a part that is a whole sector has no name.
func (b briefing) labels(parts []string) []string {
	all := []string{}
	for _, part := range parts {
		one := site.Subsectors()[part]
		all = append(all, one.Sector+": "+b.label(one))
	}
	return all
}

// kindOf says what publishers of a tier are.
var kindOf = map[string]string{
	"government": "authority", "statistics": "statistics_office", "unfccc": "international", "database": "international", "university": "university", "ngo": "organisation",
}

var (
	divesLine   = regexp.MustCompile(`(?m)^deep dives in a row: (\d+) of (\d+)$`)
	pendingLine = regexp.MustCompile(`(?m)^pending: (.*)$`)
	openLine    = regexp.MustCompile(`(?m)^sites with pages unread: (\S.*)$`)
	targetLine  = regexp.MustCompile(`(?m)^target: (\S+) `)
)

// reviewDatasets rejects records that the labels contradict, groups those of one dataset, and suggests to continue the
// plan, then a deep dive, then to accept.
func reviewDatasets(b briefing, text string) map[string]any {
	level, action, why, details := "Medium", "accept", "Nothing is left to look at.", ""
	records, rejected := blocks(text, "RECORD"), []int{}
	if len(records) == 0 {
		level = "Low"
	}
	numbers, same := map[string][]int{}, [][]int{}
	for n := 1; n <= len(records); n++ {
		p, letters := b.at(addressIn(records[n])), samples.Letters(records[n])
		if p.known && len(p.datasets) == 0 {
			rejected = append(rejected, n)
		}
		if i := slices.IndexFunc(p.datasets, func(d site.Dataset) bool { return strings.Contains(letters, samples.Letters(d.Quote)) }); i >= 0 {
			of := p.datasets[i].URL
			if numbers[of] = append(numbers[of], n); addressIn(records[n]) == of {
				slices.Reverse(numbers[of]) // its own page stays
			}
		}
	}
	for _, of := range slices.Sorted(maps.Keys(numbers)) {
		if len(numbers[of]) > 1 {
			same = append(same, numbers[of])
		}
	}
	dives, pending, open := divesLine.FindStringSubmatch(text), pendingLine.FindStringSubmatch(text), openLine.FindStringSubmatch(text)
	switch {
	case pending != nil && pending[1] != "":
		action, why = "refine", "Queries of the plan are pending."
	case dives != nil && open != nil && dives[1] != dives[2]:
		action, why, details = "deep_dive", "Sites of publishers have pages that nobody has read.", open[1]
	}
	return map[string]any{
		"action_reasoning": why, "relevance_score": level, "credibility_score": level, "completeness_score": level, "overall_confidence": level, "rejected": rejected, "same_dataset": same,
		"suggested_action": action, "refinement_details": details, "queries": []map[string]any{},
	}
}

// chooseDive reads the first page that links to such data, or has them.
func chooseDive(b briefing, text string) map[string]any {
	for _, m := range targetLine.FindAllStringSubmatch(text, -1) {
		if p := b.at(m[1]); p.leads || len(p.datasets)+len(p.absent) > 0 {
			return map[string]any{"justification": "It leads to such data.", "action_type": "read", "target": m[1]}
		}
	}
	return map[string]any{"justification": "No listed page is known to lead to such data.", "action_type": "terminate_deep_dive", "target": ""}
}
