package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/arguments.txt anew")

const heldFile = "testdata/arguments.txt"

// Every argument and block of every resource is one that somebody wanted. Whoever adds or
// removes one says so by running this with -update, and reads the difference.
func TestArguments(t *testing.T) {
	t.Parallel()
	sources, err := readSources("../../terraform")
	if err != nil {
		t.Fatal(err)
	}
	set := arguments(sources)
	if *update {
		if err := os.WriteFile(heldFile, []byte(format(set)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	held, err := readHeld(heldFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(deviations(held, set), wrong(sources)...) {
		t.Error(d)
	}
}

// Additions that others have held back, and what none of the assertions can see.
func TestUnexpected(t *testing.T) {
	t.Parallel()
	sources, err := readSources("../../terraform")
	if err != nil {
		t.Fatal(err)
	}
	held := arguments(sources)
	for _, tt := range []struct{ file, from, to, says string }{
		{"buckets.tf", "force_destroy               = var.allow_data_loss\n", "force_destroy               = var.allow_data_loss\n  versioning {\n    enabled = true\n  }\n", "google_storage_bucket.uploads versioning.enabled is set, and was not: deleted photos stay"},
		{"buckets.tf", "force_destroy               = var.allow_data_loss\n", "force_destroy               = var.allow_data_loss\n  retention_policy {\n    retention_period = 86400\n  }\n", "photos cannot be forgotten before its end"},
		{"services.tf", "ignore_changes = [client, client_version]", "ignore_changes = [client, client_version, template[0].containers[0].image]", "what is deployed is no longer what is written"},
		{"services.tf", "    encryption_key                   = local.kms_key\n", "    encryption_key                   = local.kms_key\n    revision = \"whatis\"\n", "a second apply fails"},
		{"services.tf", "        container_port = local.port\n", "        container_port = local.port\n        name = \"h2c\"\n", "the server speaks HTTP/1.1"},
		{"services.tf", "    encryption_key                   = local.kms_key\n", "    encryption_key                   = local.kms_key\n    session_affinity = true\n", "one caller fills one instance"},
		{"apis.tf", "  kms_key_name  = local.kms_key\n", "  kms_key_name  = local.kms_key\n  docker_config {\n    immutable_tags = true\n  }\n", "immutable tags refuse the next push"},
		{"alerts.tf", "resource \"google_billing_budget\" \"month\" {", "resource \"google_logging_project_exclusion\" \"quiet\" {\n  name = \"x\"\n  filter = \"severity<ERROR\"\n}\n\nresource \"google_billing_budget\" \"month\" {", "google_logging_project_exclusion.quiet filter is set, and was not"},
		{"firestore.tf", "  lifecycle {\n    create_before_destroy = true\n  }\n", "", "an index that running services use is deleted"},
		{"alerts.tf", "  lifecycle {\n    create_before_destroy = true\n  }\n", "", "an address cannot be taken out"},
	} {
		broken := slices.Clone(sources)
		i := slices.IndexFunc(broken, func(s source) bool { return s.name == tt.file })
		text := string(broken[i].text)
		if !strings.Contains(text, tt.from) {
			t.Fatalf("%s does not hold %q", tt.file, tt.from)
		}
		if broken[i], err = parseSource(tt.file, []byte(strings.Replace(text, tt.from, tt.to, 1))); err != nil {
			t.Fatal(err)
		}
		found := deviations(held, arguments(broken))
		if !slices.ContainsFunc(found, func(d deviation) bool { return strings.Contains(d.String(), tt.says) }) {
			t.Errorf("%s with %q: %v, want %q", tt.file, tt.to, found, tt.says)
		}
	}
}

// Each generated mutation leaves HCL that can be parsed; those that set or remove something
// are noticed, and all kinds are there.
func TestGenerate(t *testing.T) {
	t.Parallel()
	sources, err := readSources("../../terraform")
	if err != nil {
		t.Fatal(err)
	}
	// A part of the provider's schema.
	schema, err := readSchema("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	held := arguments(sources)
	count := map[string]int{}
	for _, g := range generate(sources, schema) {
		count[g.how]++
		_, noticed, err := notice(sources, held, g)
		if err != nil {
			t.Fatal(err)
		}
		if noticed && (g.how == "changed" || g.how == "neighbour's") {
			count["noticed without a difference in what is set"]++
		} else if (g.how == "removed" || g.how == "added") != noticed {
			t.Errorf("%s %s is noticed = %v", g.how, g.argument, noticed)
		}
	}
	if count["noticed without a difference in what is set"] < 3 {
		t.Error("no change of a value is noticed by the list of expressions")
	}
	for how, least := range map[string]int{"removed": 300, "changed": 15, "neighbour's": 8, "added": 20} {
		if count[how] < least {
			t.Errorf("%d mutations are %s, want %d and more", count[how], how, least)
		}
	}
}
