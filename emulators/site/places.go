package site

import "fmt"

// A land has pages in one language: its places, and how its domains end.
type land struct {
	words             *words
	places            []Place // a country, then perhaps a region and a city
	gov, ac, org, com string
}

// lands of the second language: the country has a region and a city that publish.
var lands = []land{
	{&spanish, []Place{{"country", "AR", "", "Argentina", "Argentina"}, {"region", "AR", "AR-M", "Mendoza", "Mendoza"}, {"city", "AR", "AR-S", "Rosario", "Rosario"}}, "gob.ar", "edu.ar", "org.ar", "com.ar"},
	{&german, []Place{{"country", "AT", "", "Austria", "Österreich"}, {"region", "AT", "AT-6", "Styria", "Steiermark"}, {"city", "AT", "AT-4", "Linz", "Linz"}}, "gv.at", "ac.at", "or.at", "co.at"},
	{&french, []Place{{"country", "SN", "", "Senegal", "Sénégal"}, {"region", "SN", "SN-TH", "Thiès", "Thiès"}, {"city", "SN", "SN-SL", "Saint-Louis", "Saint-Louis"}}, "gouv.sn", "edu.sn", "org.sn", "com.sn"},
	{&korean, []Place{{"country", "KR", "", "South Korea", "대한민국"}, {"region", "KR", "KR-42", "Gangwon", "강원"}, {"city", "KR", "KR-48", "Changwon", "창원"}}, "go.kr", "ac.kr", "or.kr", "co.kr"},
	{&spanish, []Place{{"country", "UY", "", "Uruguay", "Uruguay"}, {"region", "UY", "UY-CA", "Canelones", "Canelones"}, {"city", "UY", "UY-SA", "Salto", "Salto"}}, "gub.uy", "edu.uy", "org.uy", "com.uy"},
}

// englishLands have a country only.
var englishLands = []land{
	{&english, []Place{{"country", "KE", "", "Kenya", "Kenya"}}, "go.ke", "ac.ke", "or.ke", "co.ke"},
	{&english, []Place{{"country", "NZ", "", "New Zealand", "New Zealand"}}, "govt.nz", "ac.nz", "org.nz", "co.nz"},
	{&english, []Place{{"country", "GH", "", "Ghana", "Ghana"}}, "gov.gh", "edu.gh", "org.gh", "com.gh"},
}

// choose returns the two lands of a seed.
func choose(o Options) (local, other land, err error) {
	var fitting []land
	for _, l := range lands {
		if len(o.Languages) == 0 || len(o.Languages) == 2 && o.Languages[0] == "en" && o.Languages[1] == l.words.code {
			fitting = append(fitting, l)
		}
	}
	if len(fitting) == 0 {
		return local, other, fmt.Errorf("site: Languages is %q: use en and one of es, de, fr and ko, or none for the seed to choose", o.Languages)
	}
	return fitting[o.Seed%uint64(len(fitting))], englishLands[o.Seed%uint64(len(englishLands))], nil
}
