package webdoc_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
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
		{fetch.JSON, `{"results":[{"resource":{"name":"Waste","id":"aaaa-0001","description":"1990–2020","attribution":"EPA","columns_name":["Year"]},"permalink":"http://example.org/d/aaaa-0001","link":"http://example.org/x","creator":{"id":"b","display_name":"Ada"}}],"resultSetSize":1}`,
			webdoc.Record{URL: "http://example.org/d/aaaa-0001", Title: "Waste", Description: "1990–2020", Publisher: "EPA"}},
		{fetch.JSON, `{"hits":{"hits":[{"id":7,"links":{"html":"http://example.org/record/7","self":"http://example.org/api/7"},"metadata":{"title":"Waste","description":"1990&ndash;2020","creators":[{"name":"Ada"}]}}],"total":1}}`,
			webdoc.Record{URL: "http://example.org/record/7", Title: "Waste", Description: "1990–2020", Publisher: "Ada"}},
		{fetch.JSON, `{"data":[{"id":"f_0","type":"dataset","attributes":{"name":"Waste","description":"1990–2020","orgName":"EPA","url":"http://example.org/FeatureServer/0","fields":[{"name":"YEAR"}]},"links":{"itemPage":"http://example.org/item?id=f","self":"http://example.org/api"}}]}`,
			webdoc.Record{URL: "http://example.org/item?id=f", Title: "Waste", Description: "1990–2020", Publisher: "EPA"}},
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

// In RDF a file is described by its own title and description, in whatever order, within its dataset or beside it.
func TestRDFFiles(t *testing.T) {
	d := read(t, fetch.XML, []byte(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><dcat:Catalog><dct:title>CKAN</dct:title>
		<dcat:dataset><dcat:Dataset rdf:about="http://example.org/d/1"><dct:distribution><dcat:Distribution><dct:title>Methane by year</dct:title><dcat:downloadURL rdf:resource="http://example.org/f/1.csv"/></dcat:Distribution></dct:distribution>
		<dct:title>Waste emissions</dct:title><dct:description>Landfills</dct:description></dcat:Dataset></dcat:dataset>
		<dcat:dataset><dcat:Dataset rdf:about="http://example.org/d/2"><dct:title>Roads</dct:title></dcat:Dataset></dcat:dataset></dcat:Catalog>
		<dcat:Distribution rdf:about="http://example.org/r/2"><dcat:accessURL rdf:resource="http://example.org/f/2.csv"/><dct:title>Compost</dct:title><dct:description>Tonnes by town</dct:description></dcat:Distribution>
		<dcat:Distribution><dcat:accessURL rdf:resource="http://example.org/f/3.csv"/><dct:description>Sludge by plant</dct:description></dcat:Distribution></rdf:RDF>`))
	if d.Title != "CKAN" || len(d.Records) != 2 || d.Records[0].Title != "Waste emissions" {
		t.Errorf("the catalogue is %q, with %+v", d.Title, d.Records)
	}
	for _, want := range []webdoc.Link{
		{URL: "http://example.org/f/1.csv", Text: "Methane by year", Near: "Waste emissions", Format: "CSV"}, {URL: "http://example.org/f/2.csv", Text: "Compost", Near: "Tonnes by town", Format: "CSV"}, {URL: "http://example.org/f/3.csv", Near: "Sludge by plant", Format: "CSV"},
	} {
		if !slices.Contains(d.Links, want) {
			t.Errorf("the links are %+v, want %+v", d.Links, want)
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

// Catalogues of many kinds describe a dataset in the same shape: a title, a text, who publishes
// it, its period and files, whatever the names, in one language or in several.
func TestDatasetByShape(t *testing.T) {
	const file = "http://files.example.org/waste"
	for name, test := range map[string]struct{ body, want string }{
		"maps of languages, JSON within a text": {`{"success":true,"result":{"name":"abfall","title":{"de":"Emissionen aus Abfall","en":"Emissions of waste","fr":"Émissions des déchets"},"display_name":{},
			"description":{"de":"Deponien, 1990 bis 2020","en":"","fr":"Décharges, 1990 à 2020"},"keywords":{"de":["abfall","methan"],"en":["waste"]},"publisher":"{\"url\": \"https://www.example.org\", \"name\": \"Amt für Umwelt\"}",
			"organization":{"name":"afu","title":{"de":"Amt für Umwelt AFU"}},"temporals":[{"start_date":"1990-01-01","end_date":"2020-12-31"}],
			"resources":[{"name":{"de":"Reihe","en":"Series"},"title":{"de":"Reihe","en":"Series"},"format":"CSV","url":"` + file + `","rights":"NonCommercialAllowed"}]}}`,
			"Emissions of waste|Emissionen aus Abfall|Émissions des déchets|Deponien, 1990 bis 2020|Décharges, 1990 à 2020|abfall, methan|publisher: Amt für Umwelt|1990-01-01/2020-12-31|file: Series"},
		"fields with a language in their name": {`{"result":{"name":"ghg","title_translated":{"en":"Waste emissions","fr-t-en":"Émissions des déchets"},"notes_translated":{"en":"Landfills of the country","fr":"Décharges du pays"},
			"org_title_at_publication":{"en":"Environment Office"},"time_period_coverage_start":"1990-01-01","time_period_coverage_end":"2020-12-31","license_title":"Open Licence",
			"resources":[{"name_translated":{"en":"Table"},"format":"CSV","url":"` + file + `"}]}}`,
			"Waste emissions|Émissions des déchets|Landfills of the country|Décharges du pays|time_period_coverage_start: 1990-01-01|time_period_coverage_end: 2020-12-31|license_title: Open Licence|file: Table"},
		"a field for each language": {`{"title":"Waste emissions","title_fra":"Émissions des déchets","notes":"Landfills","notes_fra":"Décharges","resources":[{"name":"a","name_fra":"b","url":"` + file + `","format":"CSV"}],"url":"http://example.org/d"}`,
			"Waste emissions|Émissions des déchets|Landfills|Décharges|file: a, b"},
		"a page and its resources": {`{"title":"Émissions des déchets","slug":"emissions","description":"Décharges, 1990 à 2020","page":"http://example.org/d/1","organization":{"name":"Ministère"},"temporal_coverage":{"start":"1990-01-01","end":"2020-12-31"},
			"license":"lov2","resources":[{"title":"Série","format":"csv","url":"` + file + `"}]}`, "Émissions des déchets|publisher: Ministère|temporal_coverage: 1990-01-01/2020-12-31|license: lov2|file: Série (csv)"},
		"a table with columns": {`{"id":"abcd-1234","name":"Waste emissions","attribution":"Department of the Environment","description":"Landfills by county, 1990-2020","licenseId":"PDDL","rowsUpdatedAt":1348659179,
			"columns":[{"id":1,"name":"Year"},{"id":2,"name":"CO2e, kt"}],"tags":["waste"],"owner":{"displayName":"admin"}}`, "Waste emissions|Landfills by county, 1990-2020|publisher: Department of the Environment|licenseId: PDDL|columns: Year, CO2e, kt|tags: waste"},
		"metadata in a field of their own": {`{"dataset_id":"waste","has_records":true,"fields":[{"name":"year","label":"Year"}],"metas":{"default":{"title":"Waste emissions","description":"<p>Landfills, <b>1990</b> to 2020</p>","publisher":"City",
			"license":"CC BY 4.0","keyword":["waste"],"modified":"2024-05-01"}}}`, "Waste emissions|Landfills, 1990 to 2020|publisher: City|license: CC BY 4.0|modified: 2024-05-01"},
		"attributes": {`{"data":{"id":"0a1b","type":"dataset","attributes":{"name":"Waste emissions","description":"Landfills, 1990 to 2020","orgName":"County","url":"` + file + `","fields":[{"name":"YEAR"}]}}}`, "Waste emissions|Landfills, 1990 to 2020|publisher: County|fields: YEAR"},
		"a deposit with files": {`{"doi":"10.5281/zenodo.1","links":{"self":"http://example.org/api/1","html":"http://example.org/record/1"},"files":[{"key":"waste.csv","type":"csv","links":{"self":"` + file + `"}}],
			"metadata":{"title":"Waste emissions","description":"<p>Landfills,&nbsp;1990 to 2020</p>","creators":[{"name":"Doe, J."}],"publication_date":"2024-05-01","license":{"id":"cc-by-4.0"},"keywords":["waste"]}}`,
			"Waste emissions|Landfills, 1990 to 2020|publisher: Doe, J.|license: cc-by-4.0|publication_date: 2024-05-01|file: waste.csv (csv)"},
		"a list without pages": {`{"nhits":2,"datasets":[{"datasetid":"a","metas":{"title":"Waste emissions","description":"Landfills, 1990 to 2020","publisher":"City"},"fields":[{"name":"year","label":"Year"}]},{"datasetid":"b","metas":{"title":"Roads","description":"Cars"},"fields":[]}]}`, "Waste emissions|Landfills, 1990 to 2020|publisher: City|## Roads"},
		"features":             {`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{},"properties":{"title":"Waste emissions","description":"Landfills, 1990 to 2020","orgName":"County","fields":[{"name":"YEAR"}]}}]}`, "Waste emissions|publisher: County|fields: YEAR"},
	} {
		d := read(t, fetch.JSON, []byte(test.body))
		for _, want := range strings.Split(test.want, "|") {
			if !strings.Contains(strings.ReplaceAll(d.Markdown, "\u00a0", " "), want) {
				t.Errorf("%s: the text lacks %q: %s", name, want, d.Markdown)
			}
		}
		if d.Title == "" || strings.Contains(d.Markdown, "map[") || strings.Contains(test.body, file) && !slices.ContainsFunc(d.Links, func(l webdoc.Link) bool { return l.URL == file }) {
			t.Errorf("%s: the title is %q, the links are %+v", name, d.Title, d.Links)
		}
	}
}

// JSON that only resembles a description of a dataset stays as it is.
func TestJSONThatIsData(t *testing.T) {
	for _, body := range []string{
		`{"meta":{"view":{"name":"Waste","description":"x","columns":[]}},"data":[[1990,77,5]]}`, `{"title":"Waste","data":[{"year":1990,"kt":77}]}`, `[{"id":"a","no":"77","is":"5"}]`,
		`{"type":"FeatureCollection","features":[{"properties":{"name":"Landfill","description":"x"}}]}`, `{"name":"waste","fields":["year","kt"],"rows":[[1990,77]]}`,
	} {
		if d := read(t, fetch.JSON, []byte(body)); d.Markdown != body {
			t.Errorf("%s became %s", body, d.Markdown)
		}
	}
}

// Records of ISO 19139 and of RDF are read by their properties, and feeds as lists.
func TestXMLByShape(t *testing.T) {
	iso := `<?xml version="1.0" encoding="ISO-8859-1"?><gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"><gmd:contact><gmd:CI_ResponsibleParty><gmd:organisationName><gco:CharacterString>Umweltamt</gco:CharacterString></gmd:organisationName></gmd:CI_ResponsibleParty></gmd:contact>
		<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title><gco:CharacterString>Emissionen aus Abfall</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation><gmd:abstract><gco:CharacterString>Deponien, 1990 bis 2020</gco:CharacterString></gmd:abstract>
		<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:code><gco:CharacterString>Kanton</gco:CharacterString></gmd:code></gmd:geographicElement><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimePeriod xmlns:gml="http://www.opengis.net/gml"><gml:beginPosition>1990-01-01</gml:beginPosition>
		<gml:endPosition>2020</gml:endPosition></gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent></gmd:MD_DataIdentification></gmd:identificationInfo>
		<gmd:distributionInfo><gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine><gmd:CI_OnlineResource><gmd:linkage><gmd:URL>http://example.org/f/1.csv</gmd:URL></gmd:linkage><gmd:protocol><gco:CharacterString>csv</gco:CharacterString></gmd:protocol>
		<gmd:name><gco:CharacterString>Reihe</gco:CharacterString></gmd:name><gmd:description><gco:CharacterString>Tabelle</gco:CharacterString></gmd:description></gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions></gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo></gmd:MD_Metadata>`
	d := read(t, fetch.XML, []byte(iso))
	if d.Title != "Emissionen aus Abfall" || len(d.Links) != 1 || d.Links[0].URL != "http://example.org/f/1.csv" {
		t.Errorf("the record is %q, with %+v", d.Title, d.Links)
	}
	for _, want := range []string{"## Emissionen aus Abfall", "Deponien, 1990 bis 2020", "- publisher: Umweltamt", "- extent: Kanton, 1990-01-01/2020", "- file: Reihe () Tabelle http://example.org/f/1.csv"} {
		if !strings.Contains(d.Markdown, want) {
			t.Errorf("the text lacks %q: %s", want, d.Markdown)
		}
	}
	text := func(de, fr string) string {
		return `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="gmd:PT_FreeText_PropertyType"><gco:CharacterString>` + de + `</gco:CharacterString><gmd:PT_FreeText><gmd:textGroup><gmd:LocalisedCharacterString locale="#DE">` + de + `</gmd:LocalisedCharacterString></gmd:textGroup><gmd:textGroup><gmd:LocalisedCharacterString locale="#FR">` + fr + `</gmd:LocalisedCharacterString></gmd:textGroup></gmd:PT_FreeText>`
	}
	several := strings.NewReplacer(`<gmd:title><gco:CharacterString>Emissionen aus Abfall</gco:CharacterString>`, `<gmd:title `+text("Emissionen aus Abfall", "Émissions des déchets"),
		`<gmd:linkage><gmd:URL>http://example.org/f/1.csv</gmd:URL>`, `<gmd:linkage><che:PT_FreeURL><che:URLGroup><che:LocalisedURL locale="#DE">http://example.org/f/1.csv</che:LocalisedURL></che:URLGroup><che:URLGroup><che:LocalisedURL locale="#FR">http://example.org/f/1_fr.csv</che:LocalisedURL></che:URLGroup></che:PT_FreeURL>`).Replace(iso)
	if d := read(t, fetch.XML, []byte(several)); d.Title != "Emissionen aus Abfall, Émissions des déchets" || len(d.Links) != 2 || d.Links[0].URL != "http://example.org/f/1.csv" || d.Links[1].URL != "http://example.org/f/1_fr.csv" {
		t.Errorf("the record in two languages is %q, with %+v", d.Title, d.Links)
	}
	want := webdoc.Record{URL: "http://example.org/d/1", Title: "Waste emissions", Description: "Landfills"}
	for name, body := range map[string]string{
		"RSS":            `<rss><channel><title>New data</title><link>http://example.org/</link><item><title>Waste emissions</title><link>http://example.org/d/1</link><description>&lt;p&gt;Landfills&lt;/p&gt;</description></item><item><title>B</title><link>http://example.org/d/2</link></item></channel></rss>`,
		"RSS of a place": `<rss><channel><title>New data</title><link>http://example.org/</link><geo:Point xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"><geo:lat>63</geo:lat></geo:Point><item><title>Waste emissions</title><link>http://example.org/d/1</link><link href="http://example.org/wms" rel="alternate"/><description>Landfills</description></item><item><title>B</title><link>http://example.org/d/2</link></item></channel></rss>`,
		"Atom":           `<feed xmlns="http://www.w3.org/2005/Atom"><title>New data</title><entry><title>Waste emissions</title><link href="http://example.org/d/1"/><summary>Landfills</summary></entry><entry><title>B</title><link href="http://example.org/d/2"/></entry></feed>`,
		"DCAT":           `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><dcat:Catalog><dct:title>New data</dct:title><dcat:Dataset rdf:about="http://example.org/d/1"><dct:title>Waste emissions</dct:title><dct:description>Landfills</dct:description></dcat:Dataset><dcat:Dataset rdf:about="http://example.org/d/2"><dct:title>B</dct:title></dcat:Dataset></dcat:Catalog></rdf:RDF>`,
	} {
		if d := read(t, fetch.XML, []byte(body)); d.Title != "New data" || len(d.Records) != 2 || d.Records[0] != want {
			t.Errorf("%s: %q has %+v, want %+v", name, d.Title, d.Records, want)
		}
	}
	feed := `<feed xmlns="http://www.w3.org/2005/Atom"><title>Download service</title><rights>CC0</rights><entry><title type="text">Waste emissions</title><content>A file for each year</content><link href="http://example.org/f/1" rel="section" type="text/csv" title="1990"/><link href="http://example.org/f/2.gml.gz" rel="section"/></entry></feed>`
	if d := read(t, fetch.XML, []byte(feed)); d.Title != "Waste emissions" || !strings.Contains(d.Markdown, "A file for each year") || !slices.Contains(d.Links, webdoc.Link{URL: "http://example.org/f/1", Text: "1990", Near: "Waste emissions", Format: "CSV"}) {
		t.Errorf("a dataset of a feed is %q with %+v", d.Markdown, d.Links)
	}
	for _, data := range []string{`<Obs TIME_PERIOD="1990" OBS_VALUE="77"/>`, `<rows><item><year>1990</year><kt>77</kt></item></rows>`, `<a><title>x</title>`} {
		if d := read(t, fetch.XML, []byte(data)); d.Markdown != data || len(d.Records) > 0 {
			t.Errorf("data became %q", d.Markdown)
		}
	}
}
