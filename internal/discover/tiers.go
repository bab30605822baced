package discover

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A publisherTier is the kind of publisher of a domain, the least credible first.
type publisherTier int

const (
	tierOther publisherTier = iota
	tierNews
	tierNGO
	tierLocal // the region's or city's own
	tierUniversity
	tierDatabase
	tierStatistics
	tierGovernment
	tierUNFCCC
)

var tierNames = []string{"other", "news", "ngo", "local_government", "university", "database", "statistics", "government", "unfccc"}

func (t publisherTier) String() string { return tierNames[t] }

// tierNamed returns the tier of a name, tierOther for an unknown one.
func tierNamed(name string) publisherTier {
	return publisherTier(max(0, slices.Index(tierNames, name)))
}

// domains has patterns of hosts for each tier: domains that countries reserve for it, and
// names. The first match counts.
var domains = []struct {
	tier publisherTier
	host *regexp.Regexp
}{
	{tierUNFCCC, regexp.MustCompile(`(?:^|\.)unfccc\.int$`)},
	{tierDatabase, regexp.MustCompile(`(?:^|\.)(?:climatetrace\.org|edgar\.jrc\.ec\.europa\.eu|fao\.org|ourworldindata\.org|climatewatchdata\.org|worldbank\.org|iea\.org|cdp\.net|zenodo\.org)$`)},
	{tierNews, regexp.MustCompile(`(?:^|\.)(?:blog|forum|foro|news|noticias)\.|(?:blogspot|wordpress|medium|reddit|substack)\.com$`)},
	{tierStatistics, regexp.MustCompile(`(?:^|\.)(?:stats?|statistics?|statistik|insee|indec|ine|ibge|kostat|destatis|istat|eurostat|[a-z]*stat)\.(?:[a-z]+\.)?[a-z]{2,3}$`)},
	{tierGovernment, regexp.MustCompile(`(?:^|\.)(?:gov|gob|gouv|go|govt|gub|gv|gc|government|mil)\.[a-z]{2}$|\.gov$|(?:^|\.)(?:europa\.eu|admin\.ch|bund\.de|umweltbundesamt\.(?:de|at)|government\.[a-z]{2})$`)},
	{tierGovernment, regexp.MustCompile(`(?:^|\.)(?:lg\.jp|kommune\.no|nic\.in|[a-z]{2}\.ch|gencat\.cat|euskadi\.eus|xunta\.gal|juntadeandalucia\.es)$`)},
	{tierUniversity, regexp.MustCompile(`(?:^|\.)re\.kr$`)},
	{tierUniversity, regexp.MustCompile(`(?:^|\.)(?:edu|ac)\.[a-z]{2}$|\.edu$`)},
	{tierNGO, regexp.MustCompile(`(?:^|\.)(?:org|or|ngo|ong)\.[a-z]{2}$|\.org$|\.int$`)},
}

// agencies are hosts of national offices that are not under a reserved domain, from the
// publishers of national inventories and the members of the European Statistical System and
// of Eionet.
var agencies = map[publisherTier][]string{
	tierStatistics: {
		"ansd.sn", "bfs.admin.ch", "cbs.nl", "cso.ie", "czso.cz", "dst.dk", "dzs.hr", "hagstofa.is", "ine.es", "ine.pt", "insse.ro", "knbs.or.ke",
		"ksh.hu", "nsi.bg", "scb.se", "ssb.no", "statice.is", "statssa.gov.za", "ubos.org",
	},
	tierGovernment: {
		"apambiente.pt", "canada.ca", "chmi.cz", "citepa.org", "climat.be", "emissieregistratie.nl", "envs.au.dk", "epa.ie", "irceline.be", "isprambiente.it",
		"klimaatmonitor.nl", "kliimaministeerium.ee", "kobize.pl", "lrv.lt", "miljodirektoratet.no", "miljostatus.no", "naturvardsverket.se", "pbl.nl", "rivm.nl", "rvo.nl",
		"seai.ie", "sepa.org.uk", "shmu.sk", "smhi.se", "syke.fi", "umhverfisstofnun.is", "ust.is", "vmm.be", "ymparisto.fi",
	},
	tierNGO: {"seeg.eco.br"},
}

// tierOf returns the tier of an address, by its host alone.
func tierOf(address string) publisherTier {
	u, err := url.Parse(address)
	if err != nil {
		return tierOther
	}
	host := u.Hostname()
	for tier, hosts := range agencies {
		if slices.ContainsFunc(hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
			return tier
		}
	}
	for _, d := range domains {
		if d.host.MatchString(host) {
			return d.tier
		}
	}
	return tierOther
}
