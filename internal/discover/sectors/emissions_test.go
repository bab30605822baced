package sectors_test

import (
	"testing"

	"example.com/whatis/internal/discover/sectors"
)

func TestTierOf(t *testing.T) {
	for address, want := range map[string]sectors.Tier{
		"https://unfccc.int/documents": sectors.UNFCCC, "http://www.argentina.gob.ar/x": sectors.Government, "https://www.epa.gov/x": sectors.Government, "https://environment.govt.nz/": sectors.Government,
		"https://www.stat.gov.kz/": sectors.Statistics, "https://repo.uni.ac.at/": sectors.University, "https://www.mit.edu/": sectors.University, "http://www.green.or.kr/": sectors.NGO,
		"https://climatetrace.org/data": sectors.Database, "https://blog.example.org/": sectors.News, "https://www.example.com/": sectors.Other, "https://unfccc.int.example.com/": sectors.Other,
		"https://www.gov.example.com/": sectors.Other, "https://fakegov.com/": sectors.Other, "https://notunfccc.int/": sectors.NGO,
		"https://www.smhi.se/data": sectors.Government, "https://www.cbs.nl/en-gb": sectors.Statistics, "https://seeg.eco.br/": sectors.NGO, "https://www.zh.ch/de": sectors.Government,
		"https://www.city.yokohama.lg.jp/": sectors.Government, "https://linz.at/": sectors.Other, "https://www.notsmhi.se/": sectors.Other,
	} {
		if got := sectors.TierOf(address); got != want {
			t.Errorf("emissions.TierOf(%s) = %s, want %s", address, got, want)
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
		l := sectors.Locality{Names: []string{test.name}, Country: test.country}
		for _, address := range test.own {
			if got := l.TierOf(address); got != sectors.Local {
				t.Errorf("%s: %s is of tier %s, want its own", test.name, address, got)
			}
		}
		for _, address := range test.others {
			if got := l.TierOf(address); got > sectors.News {
				t.Errorf("%s: %s is of tier %s, want that of nobody it knows", test.name, address, got)
			}
		}
	}
}

func TestRelevance(t *testing.T) {
	of := []string{"waste"}
	if about, other := sectors.Relevance("Residuos sólidos: emisiones", of), sectors.Relevance("Transporte: emisiones", of); about <= other || other == 0 {
		t.Errorf("a text about waste has %d, one about transport %d: want more, and some", about, other)
	}
	if n := sectors.Relevance("폐기물 매립 온실가스 배출량", of); n < 4 {
		t.Errorf("a Korean text about waste has %d", n)
	}
}
