package webdoc_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/discover/webdoc"
)

// A page with one dataset in JSON-LD has it in its text and its files among the links,
// whichever vocabulary and namespace it is written with.
func TestDatasetOfJSONLD(t *testing.T) {
	for name, body := range map[string]string{
		"schema.org": `{"@context":"https://schema.org","@type":"Dataset","name":"Residuos","description":"Emisiones de residuos, 1990 a 2020","temporalCoverage":"1990/2020","publisher":{"@type":"Organization","name":"Ministerio"},
			"distribution":{"@type":"DataDownload","encodingFormat":"text/csv","contentUrl":"/files/a"}}`,
		"DCAT with references": `{"@graph":[{"@id":"_:d","@type":"dcat:Distribution","dct:format":{"@value":"CSV"},"dcat:downloadURL":{"@id":"http://example.org/files/a"}},
			{"@id":"_:s","@type":["dcat:Dataset"],"dct:title":[{"@language":"es","@value":"Residuos"}],"dct:description":"Emisiones de residuos, 1990 a 2020","dct:temporal":{"dcat:startDate":"1990","dcat:endDate":"2020"},
			"dct:publisher":{"@id":"_:p"},"dcat:distribution":{"@id":"_:d"}},{"@id":"_:p","foaf:name":"Ministerio"}]}`,
		"full names": `[{"@type":["http://www.w3.org/ns/dcat#Dataset"],"http://purl.org/dc/terms/title":[{"@value":"Residuos"}],"http://purl.org/dc/terms/description":[{"@value":"Emisiones de residuos, 1990 a 2020"}],
			"http://purl.org/dc/terms/temporal":"1990/2020","http://purl.org/dc/terms/publisher":{"http://xmlns.com/foaf/0.1/name":"Ministerio"},
			"http://www.w3.org/ns/dcat#distribution":[{"http://purl.org/dc/terms/format":"csv","http://www.w3.org/ns/dcat#accessURL":[{"@id":"http://example.org/files/a"}]}]}]`,
	} {
		d := read(t, fetch.HTML, []byte(`<!doctype html><title>T</title><script type="application/ld+json">`+body+`</script><p>visible</p>`))
		for _, want := range []string{"visible", "Residuos", "Emisiones de residuos, 1990 a 2020", "1990/2020", "publisher: Ministerio"} {
			if !strings.Contains(d.Markdown, want) {
				t.Errorf("%s: the text lacks %q: %s", name, want, d.Markdown)
			}
		}
		if i := slices.IndexFunc(d.Links, func(l webdoc.Link) bool { return l.URL == "http://example.org/files/a" }); i < 0 || d.Links[i].Format != "CSV" {
			t.Errorf("%s: the links are %+v, without the file", name, d.Links)
		}
	}
}

// A catalogue has the datasets that it lists as records, in JSON-LD, as DCAT-US and from CKAN.
func TestRecordsOfCatalogues(t *testing.T) {
	for _, test := range []struct {
		kind, body string
		want       webdoc.Record
	}{
		{fetch.JSON, `{"conformsTo":"https://project-open-data.cio.gov/v1.1/schema","dataset":[{"title":"Waste","description":"1990–2020","landingPage":"http://example.org/d/1","publisher":{"name":"EPA"}}]}`,
			webdoc.Record{URL: "http://example.org/d/1", Title: "Waste", Description: "1990–2020", Publisher: "EPA"}},
		{fetch.HTML, `<script type="application/ld+json">{"@type":"DataCatalog","dataset":[{"@type":"Dataset","name":"Waste","url":"/d/1"}]}</script>`, webdoc.Record{URL: "http://example.org/d/1", Title: "Waste"}},
		{fetch.JSON, `{"success":true,"result":{"count":1,"results":[{"name":"waste-ch4","title":"Waste","notes":"1990–2020","organization":{"title":"EPA"},"resources":[]}]}}`,
			webdoc.Record{ID: "waste-ch4", Title: "Waste", Description: "1990–2020", Publisher: "EPA"}},
	} {
		if d := read(t, test.kind, []byte(test.body)); len(d.Records) != 1 || d.Records[0] != test.want {
			t.Errorf("%s: the records are %+v, want %+v", test.body, d.Records, test.want)
		}
	}
}

// The answer of package_show is read as a page of that dataset, with its resources as links.
func TestPackage(t *testing.T) {
	d := read(t, fetch.JSON, []byte(`{"help":"","success":true,"result":{"name":"waste-ch4","title":"Waste","notes":"Methane of landfills, 1990–2020","extras":[{"key":"spatial","value":"Chile"}],
		"resources":[{"name":"series","format":".XLSX","url":"http://files.example.org/get/7"}]}}`))
	if d.Title != "Waste" || !strings.Contains(d.Markdown, "Methane of landfills, 1990–2020") || !strings.Contains(d.Markdown, "spatial: Chile") || len(d.Records) > 0 {
		t.Errorf("the document is %+v", d)
	}
	if want := (webdoc.Link{URL: "http://files.example.org/get/7", Text: "series", Near: "Waste", Format: "XLSX"}); len(d.Links) != 1 || d.Links[0] != want {
		t.Errorf("the links are %+v, want %+v", d.Links, want)
	}
}

func TestCKANPage(t *testing.T) {
	for page, want := range map[string]string{
		`<meta name="generator" content="ckan 2.9.5"><body data-site-root="http://example.org/catalogo/">`: "http://example.org/catalogo",
		`<meta name="generator" content="ckan 2.9.5">`:                                                     "http://example.org",
		`<meta name="generator" content="ckan 2.9"><body data-site-root="http://evil.example/">`:           "http://example.org",
		`<meta name="generator" content="WordPress 6">`:                                                    "",
	} {
		if d := read(t, fetch.HTML, []byte("<!doctype html><html><head>"+page)); d.CKAN != want {
			t.Errorf("%s is of the catalogue %q, want %q", page, d.CKAN, want)
		}
	}
}

// Of RDF the addresses are read.
func TestRDF(t *testing.T) {
	for kind, body := range map[string]string{
		fetch.Turtle: `@prefix dcat: <http://www.w3.org/ns/dcat#> . <http://example.org/d/1> a dcat:Dataset ; dcat:downloadURL <http://example.org/f/1.csv> .`,
		fetch.XML:    `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><dcat:Dataset rdf:about="http://example.org/d/1"><dcat:downloadURL rdf:resource="http://example.org/f/1.csv"/></dcat:Dataset></rdf:RDF>`,
	} {
		d := read(t, kind, []byte(body))
		if !slices.ContainsFunc(d.Links, func(l webdoc.Link) bool { return l.URL == "http://example.org/f/1.csv" && l.Format == "CSV" }) {
			t.Errorf("%s: the links are %+v", kind, d.Links)
		}
	}
}

// Metadata of any shape are read in time, and never by more than their limits.
func TestHostileMetadata(t *testing.T) {
	for name, body := range map[string]string{
		"deep":   strings.Repeat(`{"@graph":`, 5000) + "1" + strings.Repeat("}", 5000),
		"wide":   `{"@graph":[` + strings.Repeat(`{"@type":"Dataset","name":"x","distribution":[{},{}]},`, 20_000) + `{}]}`,
		"cyclic": `{"@graph":[{"@id":"_:a","@type":"Dataset","publisher":{"@id":"_:a"},"distribution":{"@id":"_:a"}}]}`,
		"long":   `{"@type":"Dataset","description":"` + strings.Repeat("word ", 200_000) + `"}`,
		"broken": `{"@type":"Dataset"`,
	} {
		if d := read(t, fetch.HTML, []byte(`<script type="application/ld+json">`+body+`</script>`)); len(d.Markdown) > 1<<20 || len(d.Records) > 200 {
			t.Errorf("%s: %d bytes, %d records", name, len(d.Markdown), len(d.Records))
		}
	}
}
