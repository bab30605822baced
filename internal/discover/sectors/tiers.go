package sectors

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A Tier is the kind of publisher of a domain, the least credible first.
type Tier int

const (
	Other Tier = iota
	News
	NGO
	Local // the region's or city's own
	University
	Database
	Statistics
	Government
	UNFCCC
)

var tierNames = []string{"other", "news", "ngo", "local_government", "university", "database", "statistics", "government", "unfccc"}

func (t Tier) String() string { return tierNames[t] }

// domains are patterns of hosts for each tier, the first match counts: domains that
// countries reserve for it, and names.
var domains = []struct {
	tier Tier
	host *regexp.Regexp
}{
	{UNFCCC, regexp.MustCompile(`(?:^|\.)unfccc\.int$`)},
	{Database, regexp.MustCompile(`(?:^|\.)(?:climatetrace\.org|edgar\.jrc\.ec\.europa\.eu|fao\.org|ourworldindata\.org|climatewatchdata\.org|worldbank\.org|iea\.org|cdp\.net|zenodo\.org)$`)},
	{News, regexp.MustCompile(`(?:^|\.)(?:blog|forum|foro|news|noticias)\.|(?:blogspot|wordpress|medium|reddit|substack)\.com$`)},
	{Statistics, regexp.MustCompile(`(?:^|\.)(?:stats?|statistics?|statistik|insee|indec|ine|ibge|kostat|destatis|istat|eurostat|[a-z]*stat)\.(?:[a-z]+\.)?[a-z]{2,3}$`)},
	{Government, regexp.MustCompile(`(?:^|\.)(?:gov|gob|gouv|go|govt|gub|gv|gc|government|mil)\.[a-z]{2}$|\.gov$|(?:^|\.)(?:europa\.eu|admin\.ch|bund\.de|umweltbundesamt\.(?:de|at)|government\.[a-z]{2})$`)},
	{Government, regexp.MustCompile(`(?:^|\.)(?:lg\.jp|kommune\.no|nic\.in|[a-z]{2}\.ch|gencat\.cat|euskadi\.eus|xunta\.gal|juntadeandalucia\.es)$`)},
	{University, regexp.MustCompile(`(?:^|\.)re\.kr$`)},
	{University, regexp.MustCompile(`(?:^|\.)(?:edu|ac)\.[a-z]{2}$|\.edu$`)},
	{NGO, regexp.MustCompile(`(?:^|\.)(?:org|or|ngo|ong)\.[a-z]{2}$|\.org$|\.int$`)},
}

// agencies are hosts of national offices that are not under a reserved domain, from the
// publishers of national inventories and the members of the European Statistical System and
// of Eionet.
var agencies = map[Tier][]string{
	Statistics: {
		"ansd.sn", "bfs.admin.ch", "cbs.nl", "cso.ie", "czso.cz", "dst.dk", "dzs.hr", "hagstofa.is", "ine.es", "ine.pt", "insse.ro", "knbs.or.ke",
		"ksh.hu", "nsi.bg", "scb.se", "ssb.no", "statice.is", "statssa.gov.za", "ubos.org",
	},
	Government: {
		"apambiente.pt", "canada.ca", "chmi.cz", "citepa.org", "climat.be", "emissieregistratie.nl", "envs.au.dk", "epa.ie", "irceline.be", "isprambiente.it",
		"klimaatmonitor.nl", "kliimaministeerium.ee", "kobize.pl", "lrv.lt", "miljodirektoratet.no", "miljostatus.no", "naturvardsverket.se", "pbl.nl", "rivm.nl", "rvo.nl",
		"seai.ie", "sepa.org.uk", "shmu.sk", "smhi.se", "syke.fi", "umhverfisstofnun.is", "ust.is", "vmm.be", "ymparisto.fi",
	},
	NGO: {"seeg.eco.br"},
}

// TierOf returns the tier of an address, by its host alone.
func TierOf(address string) Tier {
	u, err := url.Parse(address)
	if err != nil {
		return Other
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
	return Other
}
