package site

// words are the texts of a language. The comments explain the %[n] verbs.
type words struct {
	code, name string
	charset    string // which old pages are in, whatever they say
	sectors    [5]string
	parts      [5][3]string // the subsectors
	page       pageWords
	org        orgWords
	paths      pathWords

	title    []string // 1 sector, 2 place, 3 first year, 4 last year
	coverage []string // 1 sector, 2 the subsectors, 3 place, 4 first year, 5 last year, 6 title: the quote
	intro    []string // 1 publisher, 2 place, 3 sector
	method   []string
	filler   []string
	absent   []string // 1 place, 2 subsector: what an inventory says of what it did not estimate
	old      string   // 1 last year, 2 the title that replaced it
	mirror   string   // 1 publisher
	news     []string // 1 place, 2 publisher, 3 sector, 4 year
	chat     []string // 1 place, 2 sector
	forbid   string   // what a page says that robots.txt forbids
	all      string   // 1 place: the title of an inventory of all sectors
}

type pageWords struct{ home, data, about, news, year, total, download, updated, licence, related, contact, unit, and, map_ string }

type orgWords struct{ ministry, statistics, university, ngo, news, blog, forum, region, city []string } // 1 place, or a coined name

type pathWords struct{ data, about, news, internal, archive string }

var sectorIDs = [5]string{"afolu", "ippu", "stationary_energy", "transportation", "waste"}

var english = words{
	code: "en", name: "English", charset: "windows-1252",
	sectors: [5]string{"agriculture, forestry and other land use", "industrial processes and product use", "stationary energy", "transport", "waste"},
	parts: [5][3]string{
		{"enteric fermentation", "rice cultivation", "forest land"},
		{"cement production", "chemical industry", "refrigeration and air conditioning"},
		{"electricity generation", "residential buildings", "manufacturing industries"},
		{"road transport", "domestic aviation", "railways"},
		{"solid waste disposal", "wastewater treatment", "incineration"},
	},
	page: pageWords{"Home", "Data", "About us", "News", "Year", "Total", "Download", "Last updated", "Licence: Creative Commons Attribution 4.0", "See also", "Contact", "kt CO2 equivalent", "and", "Interactive map"},
	org: orgWords{
		ministry: []string{"Ministry of Environment of %s", "Environmental Protection Agency of %s", "Ministry of Climate and Natural Resources of %s"}, statistics: []string{"Statistics %s", "National Bureau of Statistics, %s"},
		university: []string{"%s University of Technology", "University of %s"}, ngo: []string{"%s Climate Watch", "%s Green Forum"}, news: []string{"The %s Herald", "%s Daily"},
		blog: []string{"Notes from %s"}, forum: []string{"%s Energy Forum"}, region: []string{"Regional Government of %s"}, city: []string{"City of %s"},
	},
	paths: pathWords{"data", "about", "news", "internal", "archive"},
	title: []string{"Greenhouse gas emissions from %[1]s in %[2]s, %[3]d–%[4]d", "%[2]s: emissions of the %[1]s sector, %[3]d to %[4]d", "Inventory of emissions, %[1]s, %[2]s (%[3]d–%[4]d)"},
	coverage: []string{
		"This dataset gives the annual greenhouse gas emissions of %[3]s from %[1]s (%[2]s) for the years %[4]d to %[5]d, in kilotonnes of CO2 equivalent.",
		"The tables cover %[2]s, which belong to %[1]s, in %[3]s; every year from %[4]d to %[5]d is included and figures are in kt CO2 equivalent.",
		"Emissions of carbon dioxide, methane and nitrous oxide from %[1]s in %[3]s are reported here for %[4]d–%[5]d, by %[2]s.",
	},
	intro: []string{
		"%[1]s compiles official figures on the climate impact of %[2]s. The section on this page is about %[3]s and is revised once a year, after consultation with the bodies that supply the underlying records.",
		"As part of the reporting obligations of %[2]s, %[1]s maintains a record of what is emitted by %[3]s. It serves planners, researchers and the public alike.",
		"Reliable figures are the basis of any mitigation policy. %[1]s therefore publishes what is known about %[3]s in %[2]s, together with a description of how it was obtained.",
	},
	method: []string{
		"Estimates follow the 2006 Guidelines of the Intergovernmental Panel on Climate Change and its 2019 Refinement, at Tier 2 where national factors exist and at Tier 1 elsewhere.",
		"Activity data come from surveys, customs records and fuel sales. Global warming potentials are those of the Fifth Assessment Report, over a horizon of one hundred years.",
		"Uncertainty was assessed by error propagation. Recalculations affect the whole series whenever a better source becomes available, so earlier editions should not be mixed with this one.",
	},
	filler: []string{
		"Figures may not add up to totals because of rounding.", "Questions about individual series are answered by the technical unit within ten working days.",
		"The publication calendar for the coming year is approved in December.", "Users are asked to cite the source and the date of access.",
		"Metadata are available in the national catalogue of public information.", "An independent panel of experts reviewed the results before release.",
		"Regional offices contributed field measurements during the dry season.", "The next edition is expected in the second quarter.",
	},
	absent: []string{"For %[1]s, %[2]s was not estimated (NE) owing to a lack of activity data.", "In %[1]s, %[2]s does not occur (NO)."},
	old:    "This edition ends with %[1]d. It has been superseded by “%[2]s” and is kept for reference only.",
	mirror: "We host a copy of the file published by %[1]s, unchanged, for readers with slow connections. The original is the authoritative one.",
	news: []string{
		"%[2]s presented new figures on %[3]s on Tuesday. According to officials in %[1]s, emissions have changed little since %[4]d, and opposition members called the presentation incomplete.",
		"Farmers, carriers and manufacturers in %[1]s disagree about who should pay for the transition. A spokesperson of %[2]s declined to comment on %[3]s and on the targets set in %[4]d.",
	},
	chat: []string{
		"Does anybody know where to find numbers on %[2]s for %[1]s? I only find press releases.", "I once had a spreadsheet about %[2]s in %[1]s, from a friend, but I would not trust it.",
		"My two cents about %[2]s: everything was better before they changed the website.",
	},
	forbid: "Working draft, not for publication: figures of %[1]s under review.",
	all:    "National inventory submission of %[1]s: common reporting tables, all sectors",
}
