package discover

import (
	"testing"
)

func TestRelevance(t *testing.T) {
	of := []string{"waste"}
	if about, other := relevance("Residuos sólidos: emisiones", of), relevance("Transporte: emisiones", of); about <= other || other == 0 {
		t.Errorf("a text about waste has %d, one about transport %d: want more, and some", about, other)
	}
	if n := relevance("폐기물 매립 온실가스 배출량", of); n < 4 {
		t.Errorf("a Korean text about waste has %d", n)
	}
}
