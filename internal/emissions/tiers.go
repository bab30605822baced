package emissions

import (
	"net/url"
	"regexp"
)

// A Tier is what kind of publisher a domain belongs to, the less credible first.
type Tier int

const (
	Other Tier = iota
	News
	NGO
	University
	Database
	Statistics
	Government
	UNFCCC
)

var tierNames = []string{"other", "news", "ngo", "university", "database", "statistics", "government", "unfccc"}

func (t Tier) String() string { return tierNames[t] }

// domains say which hosts are of a tier, the first that fits: by what countries reserve
// for it, and by name.
var domains = []struct {
	tier Tier
	host *regexp.Regexp
}{
	{UNFCCC, regexp.MustCompile(`(?:^|\.)unfccc\.int$`)},
	{Database, regexp.MustCompile(`(?:^|\.)(?:climatetrace\.org|edgar\.jrc\.ec\.europa\.eu|fao\.org|ourworldindata\.org|climatewatchdata\.org|worldbank\.org|iea\.org|cdp\.net|zenodo\.org)$`)},
	{News, regexp.MustCompile(`(?:^|\.)(?:blog|forum|foro|news|noticias)\.|(?:blogspot|wordpress|medium|reddit|substack)\.com$`)},
	{Statistics, regexp.MustCompile(`(?:^|\.)(?:stats?|statistics?|statistik|insee|indec|ine|ibge|kostat|destatis|istat|eurostat|[a-z]*stat)\.(?:[a-z]+\.)?[a-z]{2,3}$`)},
	{Government, regexp.MustCompile(`(?:^|\.)(?:gov|gob|gouv|go|govt|gub|gv|gc|government|mil)\.[a-z]{2}$|\.gov$|(?:^|\.)(?:europa\.eu|admin\.ch|bund\.de|umweltbundesamt\.(?:de|at)|government\.[a-z]{2})$`)},
	{Statistics, regexp.MustCompile(`(?:^|\.)(?:dst\.dk|ksh\.hu|ssb\.no|scb\.se|ansd\.sn)$`)},
	{Government, regexp.MustCompile(`(?:^|\.)(?:climat\.be|canada\.ca|chmi\.cz|kliimaministeerium\.ee|citepa\.org|epa\.ie|lrv\.lt|emissieregistratie\.nl|kobize\.pl|apambiente\.pt)$`)},
	{University, regexp.MustCompile(`(?:^|\.)(?:edu|ac)\.[a-z]{2}$|\.edu$`)},
	{NGO, regexp.MustCompile(`(?:^|\.)(?:org|or|ngo|ong)\.[a-z]{2}$|\.org$|\.int$`)},
}

// TierOf is the tier of an address, by its host alone.
func TierOf(address string) Tier {
	u, err := url.Parse(address)
	if err != nil {
		return Other
	}
	for _, d := range domains {
		if d.host.MatchString(u.Hostname()) {
			return d.tier
		}
	}
	return Other
}
