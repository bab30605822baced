package emissions_test

import (
	"testing"

	"example.com/whatis/internal/emissions"
)

func TestTierOf(t *testing.T) {
	for address, want := range map[string]emissions.Tier{
		"https://unfccc.int/documents": emissions.UNFCCC, "http://www.argentina.gob.ar/x": emissions.Government, "https://www.epa.gov/x": emissions.Government, "https://environment.govt.nz/": emissions.Government,
		"https://www.stat.gov.kz/": emissions.Statistics, "https://repo.uni.ac.at/": emissions.University, "https://www.mit.edu/": emissions.University, "http://www.green.or.kr/": emissions.NGO,
		"https://climatetrace.org/data": emissions.Database, "https://blog.example.org/": emissions.News, "https://www.example.com/": emissions.Other, "https://unfccc.int.example.com/": emissions.Other,
		"https://www.gov.example.com/": emissions.Other, "https://fakegov.com/": emissions.Other, "https://notunfccc.int/": emissions.NGO,
	} {
		if got := emissions.TierOf(address); got != want {
			t.Errorf("emissions.TierOf(%s) = %s, want %s", address, got, want)
		}
	}
}

func TestRelevance(t *testing.T) {
	of := []string{"waste"}
	if about, other := emissions.Relevance("Residuos sólidos: emisiones", of), emissions.Relevance("Transporte: emisiones", of); about <= other || other == 0 {
		t.Errorf("a text about waste has %d, one about transport %d: want more, and some", about, other)
	}
	if n := emissions.Relevance("폐기물 매립 온실가스 배출량", of); n < 4 {
		t.Errorf("a Korean text about waste has %d", n)
	}
}
