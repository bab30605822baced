package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

const (
	keptObject = "scraped_content/KE/waste/d1/0a"
	keptText   = `{"url":"http://a.go.ke/","document":{"markdown":"# Waste\n\nThe tables cover **landfill** in Kenya from 1990 to 2020."}}`
)

// proven returns a result whose records quote that.
func proven(object string, quotes ...string) string {
	r := discover.Result{ID: "d1", Sources: []*discover.Page{{URL: "http://a.go.ke/", Object: object}}}
	for i, q := range quotes {
		if i%2 == 0 {
			r.Items = append(r.Items, discover.StructuredDataItem{URL: "http://a.go.ke/", Quote: q})
		} else {
			r.Absent = append(r.Absent, discover.Absence{URL: "http://a.go.ke/", Quote: q})
		}
	}
	return string(encode(r))
}

// Quotes are held to pages of a folder or a bucket, and nothing else is asked.
func TestDiscoverVerify(t *testing.T) {
	w := emulate.Start(t, emulate.Storage)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	const right, forged = "tables cover landfill in Kenya", "tables cover landfill in Uganda"
	folder := t.TempDir()
	write(t, filepath.Join(folder, keptObject+".json"), keptText)
	write(t, filepath.Join(folder, "secret.json"), keptText)
	w.Put(t, "results", keptObject+".json", []byte(keptText))
	elsewhere := strings.Replace(proven(keptObject, right), `"url": "http://a.go.ke/",
      "source"`, `"url": "http://b.go.ke/", "source"`, 1)
	cloud := []string{"STORAGE_EMULATOR_HOST=" + w.Storage.URL()}
	tests := []struct {
		name, result string
		env          []string
		args         []string
		code         int
		out, says    string
	}{
		{"a folder", proven(keptObject, right, right), nil, []string{"r.json", "--pages", folder}, 0, "", "2 of 2 records stand"},
		{"its part", proven(keptObject, right), nil, []string{"r.json", "--pages", filepath.Join(folder, "scraped_content")}, 0, "", "1 of 1"},
		{"pages alone", proven(keptObject, right), nil, []string{"r.json", "--pages", filepath.Join(folder, filepath.Dir(keptObject))}, 0, "", "1 of 1"},
		{"a bucket", proven(keptObject, right), cloud, []string{"r.json", "--pages", "gs://results"}, 0, "", "1 of 1"},
		{"the bucket of the environment", proven(keptObject, right), append(cloud, "RESULTS_BUCKET=results"), []string{"r.json"}, 0, "", "1 of 1"},
		{"all in a bucket", proven(keptObject, right), cloud, []string{"gs://results/discoveries/d1/result.json"}, 0, "", "1 of 1"},
		{"no records", proven(keptObject), nil, []string{"r.json", "--pages", folder}, 0, "", "0 of 0"},
		{"a forged record", proven(keptObject, right, right, forged), nil, []string{"r.json", "--pages", folder}, 1, "Uganda", "2 of 3"},
		{"a forged absence", proven(keptObject, right, forged), nil, []string{"r.json", "--pages", folder}, 1, "does not hold the quote", "1 of 2"},
		{"too short a quote", proven(keptObject, "Kenya"), nil, []string{"r.json", "--pages", folder}, 1, "Kenya", "0 of 1"},
		{"a page that is gone", proven("scraped_content/KE/waste/d1/0b", right), nil, []string{"r.json", "--pages", folder}, 1, "not among those that were kept", "0 of 1"},
		{"a page that is gone from the bucket", proven("scraped_content/KE/waste/d1/0b", right), cloud, []string{"r.json", "--pages", "gs://results/"}, 1, "not among those that were kept", "0 of 1"},
		{"a page that was not fetched", elsewhere, nil, []string{"r.json", "--pages", folder}, 1, "none of the pages that were fetched", "0 of 1"},
		{"a way out of the folder", proven("../"+filepath.Base(folder)+"/secret", right), nil, []string{"r.json", "--pages", filepath.Join(folder, "scraped_content")}, 1, "not among those that were kept", "0 of 1"},
		{"no JSON", "hello", nil, []string{"r.json", "--pages", folder}, 2, "", "not JSON of a whatis service"},
		{"another JSON", "{}", nil, []string{"r.json", "--pages", folder}, 2, "", "not the result of a discovery"},
		{"no pages", proven(keptObject, right), nil, []string{"r.json"}, 2, "", "use --pages FOLDER"},
		{"pages nowhere", proven(keptObject, right), nil, []string{"r.json", "--pages", "none"}, 2, "", "no such folder"},
	}
	for _, test := range tests {
		c := prepared(t, test.env, append([]string{"discover", "verify"}, test.args...)...)
		write(t, filepath.Join(c.Dir, "r.json"), test.result)
		w.Put(t, "results", "discoveries/d1/result.json", []byte(test.result))
		if code := c.here(); code != test.code || !strings.Contains(c.stdout.String(), test.out) || (test.out == "") != (c.stdout.Len() == 0) || !strings.Contains(c.stderr.String(), test.says) {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q and %q", test.name, code, &c.stdout, &c.stderr, test.code, test.out, test.says)
		}
	}
}

// Portals are asked as a discovery asks: by the rules of robots.txt, and for what is
// public only.
func TestDiscoverPortals(t *testing.T) {
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	local := httptest.NewServer(nil)
	t.Cleanup(local.Close)
	file := filepath.Join(t.TempDir(), "portals.json")
	write(t, file, `[{"country":"","name":"UNFCCC","url":"http://unfccc.int","source":"known","checked":""},
{"country":"KE","name":"Forbidden","url":"http://unfccc.int/internal/x","source":"known","checked":"2020-01-01"},
{"country":"KE","name":"Gone","url":"http://unfccc.int/nothing","source":"known","checked":""},
{"country":"KE","name":"Inside","url":"`+local.URL+`","source":"known","checked":""}]`)
	run := func(code int, args ...string) *command {
		t.Helper()
		c := prepared(t, []string{"FETCH_ALLOW=" + web.Allow()}, append([]string{"discover", "portals"}, args...)...)
		if got := c.here(); got != code {
			t.Errorf("portals %q: exit %d, want %d; %q", args, got, code, &c.stderr)
		}
		return c
	}
	c := run(1, "--file", file, "--check")
	for _, want := range []string{"http://unfccc.int             200\n", "robots.txt asks programs not to read", "404 Not Found", "no address of the public web"} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("--check prints\n%s\nwant %q", &c.stdout, want)
		}
	}
	c.says("[4/4] ", "1 of 4 portals answer")
	c = run(1, "--file", file, "--check", "--json")
	var all []discover.Portal
	if err := json.Unmarshal(c.stdout.Bytes(), &all); err != nil || len(all) != 4 || all[0].Checked < "2026" || all[1].Checked != "2020-01-01" || all[2].Checked != "" || all[0].Source != "known" {
		t.Errorf("--check --json prints %s, %v; want the day where one answers", &c.stdout, err)
	}
	for _, r := range web.Requests() {
		if strings.HasPrefix(r.Path, "/internal") {
			t.Errorf("%s%s was asked for", r.Host, r.Path)
		}
	}
	if c = run(0); strings.Count(c.stdout.String(), "\n") < 45 || c.stderr.Len() > 0 {
		t.Errorf("portals prints\n%s\n%s\nwant those of the program", &c.stdout, &c.stderr)
	}
	own, err := os.ReadFile("../../internal/discover/portals.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/discovering.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{portalsCommand{}.Help(), string(page)} { // a shell empties the file before go run embeds it
		if strings.Contains(text, "> internal/discover/portals.json") || !strings.Contains(text, "mv portals.json internal/discover/") {
			t.Error("the way to renew portals.json empties the file that is built in")
		}
	}
	if c = run(0, "--json"); c.stdout.String() == "" || json.Unmarshal(c.stdout.Bytes(), &all) != nil || len(all) != strings.Count(string(own), `"url"`) {
		t.Errorf("portals --json has %d of them", len(all))
	}
}
