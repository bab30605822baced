package discover

import (
	"testing"
)

func TestTierOf(t *testing.T) {
	for address, want := range map[string]publisherTier{
		"https://unfccc.int/documents": tierUNFCCC, "http://www.argentina.gob.ar/x": tierGovernment, "https://www.epa.gov/x": tierGovernment, "https://environment.govt.nz/": tierGovernment,
		"https://www.stat.gov.kz/": tierStatistics, "https://repo.uni.ac.at/": tierUniversity, "https://www.mit.edu/": tierUniversity, "http://www.green.or.kr/": tierNGO,
		"https://climatetrace.org/data": tierDatabase, "https://blog.example.org/": tierNews, "https://www.example.com/": tierOther, "https://unfccc.int.example.com/": tierOther,
		"https://www.gov.example.com/": tierOther, "https://fakegov.com/": tierOther, "https://notunfccc.int/": tierNGO,
		"https://www.smhi.se/data": tierGovernment, "https://www.cbs.nl/en-gb": tierStatistics, "https://seeg.eco.br/": tierNGO, "https://www.zh.ch/de": tierGovernment,
		"https://www.city.yokohama.lg.jp/": tierGovernment, "https://linz.at/": tierOther, "https://www.notsmhi.se/": tierOther,
	} {
		if got := tierOf(address); got != want {
			t.Errorf("emissions.tierOf(%s) = %s, want %s", address, got, want)
		}
	}
}

// A city's own hosts have its name under its country's domain; other hosts with its name
// are not its own.
func TestLocality(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		country, name string
		own, others   []string
	}{
		{"AT", "Linz", []string{"https://www.linz.at/umwelt", "https://data.linz.at"}, []string{"https://linz.com", "https://linz-news.at", "https://linz.de", "https://linz.at.example.com", "https://news.linz.at"}},
		{"FR", "Paris", []string{"https://opendata.paris.fr", "https://mairie-paris.fr"}, []string{"https://paris-blog.fr", "https://cheap.paris", "https://www.paris.com"}},
		{"CH", "Zürich", []string{"https://data.stadt-zuerich.ch/dataset"}, []string{"https://zuerich-immobilien.ch", "https://zurich.com"}},
		{"DE", "Hamburg", []string{"https://www.hamburg.de"}, []string{"https://hamburger.de"}},
		{"IT", "Milano", []string{"https://dati.comune.milano.it"}, []string{"https://pizzeria.milano.it", "https://milano.com.it"}},
		{"BE", "Gent", []string{"https://data.stad.gent", "https://stad.gent"}, []string{"https://bar.gent"}},
		{"ES", "Barcelona", []string{"https://opendata-ajuntament.barcelona.cat", "https://www.barcelona.cat"}, []string{"https://barcelona.com"}},
		{"GB", "Bristol", []string{"https://bristol.uk"}, []string{"https://bristol.co.uk", "https://bristol.fr"}},
		{"DE", "Bayern", []string{"https://www.bayern.de"}, nil},
		{"VN", "Hà Nội", []string{"https://hanoi.vn"}, []string{"https://hanoi.com.vn"}},
	} {
		l := locality{Names: []string{test.name}, Country: test.country}
		for _, address := range test.own {
			if got := l.tierOf(address); got != tierLocal {
				t.Errorf("%s: %s is of tier %s, want its own", test.name, address, got)
			}
		}
		for _, address := range test.others {
			if got := l.tierOf(address); got > tierNews {
				t.Errorf("%s: %s is of tier %s, want that of nobody it knows", test.name, address, got)
			}
		}
	}
}

func TestRelevance(t *testing.T) {
	of := []string{"waste"}
	if about, other := relevance("Residuos sólidos: emisiones", of), relevance("Transporte: emisiones", of); about <= other || other == 0 {
		t.Errorf("a text about waste has %d, one about transport %d: want more, and some", about, other)
	}
	if n := relevance("폐기물 매립 온실가스 배출량", of); n < 4 {
		t.Errorf("a Korean text about waste has %d", n)
	}
}
