package minds

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/emulators/gemini"
)

// The calls of the agent that seeks data on emissions, by what their schemas have.
const (
	KindSearchPlan gemini.Kind = "search_plan"
	KindRelevance  gemini.Kind = "relevance"
	KindScreen     gemini.Kind = "raw_review"
	KindExtract    gemini.Kind = "extract_datasets"
	KindReview     gemini.Kind = "review_datasets"
	KindDive       gemini.Kind = "deep_dive"
)

// discover is the mind that seeks data. What it knows of a field and of languages it
// has from the instruction: the terms of a sector, and what a place is called. Of a page
// it knows what stands in the request.
type discover struct{}

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

func (discover) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	b, text := readBriefing(r.System), strings.Join(r.Texts, "\n")
	answer := map[gemini.Kind]func(briefing, string) map[string]any{
		KindSearchPlan: planSearch, KindRelevance: judgeResults, KindScreen: choosePages, KindExtract: extractDatasets, KindReview: reviewDatasets, KindDive: chooseDive,
	}[r.Kind]
	if answer == nil {
		return gemini.Answer{}, fmt.Errorf("minds: discover is asked a %s", r.Kind)
	}
	return gemini.Answer{JSON: answer(b, text)}, nil
}

// A briefing is what an instruction tells.
type briefing struct {
	names, sectors, languages []string
	order                     []string                       // of sections
	terms                     map[string]map[string][]string // by section and language
}

func readBriefing(system string) briefing {
	b, section := briefing{terms: map[string]map[string][]string{}}, ""
	for line := range strings.Lines(system) {
		line = strings.TrimSpace(line)
		for label, to := range map[string]*[]string{"Place names: ": &b.names, "Sectors: ": &b.sectors, "Likely languages: ": &b.languages} {
			if value, ok := strings.CutPrefix(line, label); ok {
				*to = strings.Split(value, ", ")
			}
		}
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section, b.terms[name] = name, map[string][]string{}
			b.order = append(b.order, name)
		}
		if lang, terms, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok && len(lang) == 2 && section != "" {
			b.terms[section][lang] = strings.Split(terms, "; ")
		}
	}
	return b
}

// spelled is a text without case, accents, spaces and signs.
func spelled(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))))
}

// spelledTerms are the terms of instructions, which are few, as spelled makes them.
var spelledTerms sync.Map

func spelledTerm(term string) string {
	known, ok := spelledTerms.Load(term)
	if !ok {
		known, _ = spelledTerms.LoadOrStore(term, spelled(term))
	}
	return known.(string)
}

// about is how much of a text, as spelled makes it, is of a section: the letters of the
// terms that it holds.
func (b briefing) about(folded, section string) (n int) {
	for _, terms := range b.terms[section] {
		for _, term := range terms {
			if t := spelledTerm(term); strings.Contains(folded, t) {
				n += len([]rune(t))
			}
		}
	}
	return n
}

// sectorsOf are the sectors that a text is about: the one that most of it is of, or all
// where it speaks of nearly all.
func (b briefing) sectorsOf(text string) (all []string) {
	best, most, folded := "", 0, spelled(text)
	for _, section := range b.order {
		if n := b.about(folded, section); n > 0 && section != "data" {
			all = append(all, section)
			if n > most {
				best, most = section, n
			}
		}
	}
	if len(all) >= 4 {
		return all
	}
	if best == "" {
		return nil
	}
	return []string{best}
}

func (b briefing) wants(sectors []string) bool {
	for _, s := range sectors {
		for _, wanted := range b.sectors {
			if s == wanted {
				return true
			}
		}
	}
	return false
}

// named is the place's name in a text, "" if there is none.
func (b briefing) named(text string) string {
	for _, name := range b.names {
		if name != "" && strings.Contains(text, name) {
			return name
		}
	}
	return ""
}

// planSearch writes queries of the place's names and the terms of the field.
func planSearch(b briefing, _ string) map[string]any {
	var queries []map[string]any
	add := func(lang, priority string, words ...string) {
		if len(queries) < 15 {
			queries = append(queries, map[string]any{"query": strings.Join(words, " "), "language": lang, "priority": priority, "rank": len(queries) + 1, "target_type": "inventory"})
		}
	}
	place := strings.Join(b.names, " ")
	perSector := max(1, 5/max(1, len(b.sectors)))
	for i := len(b.languages) - 1; i >= 0; i-- {
		lang := b.languages[i]
		for _, sector := range b.sectors {
			terms, data := b.terms[sector][lang], b.terms["data"][lang]
			for n := range min(perSector, len(terms)) {
				add(lang, "high", place, terms[n], data[min(1+n%2, len(data)-1)])
			}
		}
	}
	for _, words := range []string{"national inventory submission common reporting tables all sectors", "facility emissions database", "greenhouse gas inventory", "emissions dataset", "official statistics of emissions"} {
		add("en", "medium", place, words)
	}
	return map[string]any{
		"reasoning": "From the terms and names that were given.", "primary_languages": b.languages, "place_names": []string{}, "key_institutions": []string{},
		"international_sources": []string{}, "document_types": []string{"inventory", "dataset"}, "search_queries": queries,
	}
}

// blocks cuts a text at its headings, such as "PAGE 3", and numbers what follows.
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

func judgeResults(b briefing, text string) map[string]any {
	results := []map[string]any{}
	found := blocks(text, "RESULT")
	for n := 1; n <= len(found); n++ {
		sectors := b.sectorsOf(found[n])
		relevant := b.wants(sectors) || len(sectors) == 0 && b.about(spelled(found[n]), "data") > 0
		results = append(results, map[string]any{"number": n, "reason": fmt.Sprintf("It speaks of %s.", strings.Join(append(sectors, "what was read"), ", ")), "is_relevant": relevant})
	}
	return map[string]any{"results": results}
}

func choosePages(b briefing, text string) map[string]any {
	chosen := []int{}
	found := blocks(text, "PAGE")
	for n := 1; n <= len(found); n++ {
		if len(b.datasets(found[n])) > 0 || len(b.missing(found[n])) > 0 {
			chosen = append(chosen, n)
		}
	}
	return map[string]any{"reasoning": fmt.Sprintf("%d of %d pages say which years of emissions they cover, or what they lack.", len(chosen), len(found)), "promising_pages": chosen}
}

var (
	sentenceEnd = regexp.MustCompile(`([.!?。])\s+`)
	yearNumber  = regexp.MustCompile(`(?:19|20)[0-9]{2}`)
	fileEnding  = regexp.MustCompile(`\.(?:csv|xlsx|xls|pdf|json)(?:\?[^)]*)?\)$`)
	listedLink  = regexp.MustCompile(`^([0-9]+)\. (.*) \((\S+)\)$`)
)

// A coverage is a sentence that says what data cover.
type coverage struct {
	quote, place string
	sectors      []string
	first, last  int
}

// sentences are those of the prose of a page: not of its headings, tables and links.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsAny(line[:1], "#|>") || strings.Contains(line, "](") {
			continue
		}
		all = append(all, strings.Split(sentenceEnd.ReplaceAllString(line, "$1\n"), "\n")...)
	}
	return all
}

// datasets are the sentences that name the place, a wanted sector and a span of years.
// One that names another title in quotation marks is about that.
func (b briefing) datasets(text string) (all []coverage) {
	for _, sentence := range sentences(text) {
		years := yearNumber.FindAllString(sentence, -1)
		if len(years) < 2 || strings.ContainsAny(sentence, "“”„«»《》「」") {
			continue
		}
		c := coverage{quote: sentence, place: b.named(sentence), sectors: b.sectorsOf(sentence)}
		c.first, _ = strconv.Atoi(years[0])
		c.last, _ = strconv.Atoi(years[len(years)-1])
		if c.place != "" && c.first < c.last && c.last <= time.Now().Year() && b.wants(c.sectors) {
			all = append(all, c)
		}
	}
	return all
}

// missing are the sentences that say what is not estimated or does not occur.
func (b briefing) missing(text string) (all []map[string]any) {
	for _, sentence := range sentences(text) {
		for _, key := range []string{"NE", "NO"} {
			sectors := b.sectorsOf(sentence)
			if strings.Contains(sentence, "("+key+")") && b.named(sentence) != "" && b.wants(sectors) {
				all = append(all, map[string]any{"quote": sentence, "sector": sectors[0], "subsector": strings.Join(b.termsIn(sentence, sectors[0]), ", "), "key": key})
			}
		}
	}
	return all
}

// termsIn are the terms of a sector that a text holds.
func (b briefing) termsIn(text, sector string) (all []string) {
	folded := spelled(text)
	for _, lang := range slices.Sorted(maps.Keys(b.terms[sector])) {
		for _, term := range b.terms[sector][lang] {
			if strings.Contains(folded, spelledTerm(term)) {
				all = append(all, term)
			}
		}
	}
	return all
}

func extractDatasets(b briefing, text string) map[string]any {
	head, page, _ := strings.Cut(text, "\nTEXT OF THE PAGE\n")
	title, files := "", []int{}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if t, ok := strings.CutPrefix(line, "title: "); ok {
			title = t
		}
		m := listedLink.FindStringSubmatch(line)
		if m != nil && (fileEnding.MatchString(line) || title != "" && strings.HasSuffix(m[2], ": "+title)) {
			n, _ := strconv.Atoi(m[1])
			files = append(files, n)
		}
	}
	datasets := []map[string]any{}
	for _, c := range b.datasets(page)[:min(1, len(b.datasets(page)))] {
		datasets = append(datasets, map[string]any{
			"quote": c.quote, "name": title, "place": c.place, "sectors": c.sectors, "subsectors": b.termsIn(c.quote, c.sectors[0]), "first_year": c.first, "last_year": c.last, "links": files,
			"method_of_access": "download", "data_format": "", "description": "", "granularity": "", "publisher": "",
		})
	}
	missing := b.missing(page)
	if missing == nil {
		missing = []map[string]any{}
	}
	return map[string]any{"reasoning": "What the sentences of the page say.", "datasets": datasets, "absent": missing}
}

var (
	divesLine   = regexp.MustCompile(`(?m)^deep dives in a row: (\d+) of (\d+)$`)
	pendingLine = regexp.MustCompile(`(?m)pending: (\d+)$`)
	openLine    = regexp.MustCompile(`(?m)^sites with pages unread: (\S.*)$`)
	targetLine  = regexp.MustCompile(`(?m)^target: (\S+) \(([a-z]+);`)
)

// reviewDatasets goes on with the plan, then looks further into sites, then is content.
func reviewDatasets(_ briefing, text string) map[string]any {
	level, action, why, details := "Medium", "accept", "Nothing is left to look at.", ""
	if len(blocks(text, "RECORD")) == 0 {
		level = "Low"
	}
	dives, pending, open := divesLine.FindStringSubmatch(text), pendingLine.FindStringSubmatch(text), openLine.FindStringSubmatch(text)
	switch {
	case pending != nil && pending[1] != "0":
		action, why = "refine", "Queries of the plan are pending."
	case dives != nil && open != nil && dives[1] != dives[2]:
		action, why, details = "deep_dive", "Sites of publishers have pages that nobody has read.", open[1]
	}
	return map[string]any{
		"reasoning": why, "relevance_score": level, "credibility_score": level, "completeness_score": level, "overall_confidence": level, "rejected": []int{},
		"suggested_action": action, "action_reasoning": why, "refinement_details": details, "queries": []map[string]any{},
	}
}

// chooseDive crawls the site whose publisher is the most credible.
func chooseDive(_ briefing, text string) map[string]any {
	for _, tier := range []string{"government", "statistics", "unfccc", "university", "database", "ngo"} {
		for _, m := range targetLine.FindAllStringSubmatch(text, -1) {
			if m[2] == tier {
				return map[string]any{"justification": "It is the first link of a publisher of tier " + tier + ".", "action_type": "crawl", "target": m[1], "max_pages": 50, "exclude_patterns": []string{}}
			}
		}
	}
	return map[string]any{"justification": "No publisher is listed.", "action_type": "terminate_deep_dive", "target": "", "max_pages": 0, "exclude_patterns": []string{}}
}
