package emulate

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/realdata"
)

// terraform is the text of terraform/firestore.tf, which lies above the folder of a test.
var terraform = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(realdata.Above("terraform/firestore.tf"))
	return string(text), err
})

// Declared returns the indexes that terraform/firestore.tf makes: the entries of its
// local.indexes.
func Declared() ([]firestore.Index, error) {
	text, err := terraform()
	if err != nil {
		return nil, err
	}
	var all []firestore.Index
	for _, entry := range indexEntry.FindAllStringSubmatch(text, -1) {
		i := firestore.Index{Collection: entry[1], Vector: entry[3]}
		i.Dimension, _ = strconv.Atoi(entry[4])
		for _, f := range indexField.FindAllStringSubmatch(entry[2], -1) {
			i.Ordered = append(i.Ordered, f[1]+" "+f[2])
		}
		all = append(all, i)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("emulate: terraform/firestore.tf declares no index that can be read here")
	}
	return all, nil
}

// Indexed returns the fields, as "work.finished_at", or "items.id (group)" if it is one
// across all collections, that terraform/firestore.tf gives an index of their own, and the collections whose other fields have none: the
// entries of its local.indexed.
func Indexed() (fields, collections []string, err error) {
	text, err := terraform()
	if err != nil {
		return nil, nil, err
	}
	block := indexedBlock.FindStringSubmatch(text)
	if block == nil {
		return nil, nil, fmt.Errorf("emulate: terraform/firestore.tf has no local.indexed that can be read here")
	}
	groups := strings.Split(groupsLine.FindString(text), `"`)
	for _, entry := range indexedEntry.FindAllStringSubmatch(block[1], -1) {
		collections = append(collections, entry[1])
		for _, field := range quotedWord.FindAllStringSubmatch(entry[2], -1) {
			name := entry[1] + "." + field[1]
			if slices.Contains(groups, name) {
				name += " (group)"
			}
			fields = append(fields, name)
		}
	}
	return fields, collections, nil
}

// unindexed returns the fields that queries so far ask for in a collection of
// Terraform's without the index that they would need in production.
func unindexed(needed []string) ([]string, error) {
	fields, collections, err := Indexed()
	return slices.DeleteFunc(needed, func(field string) bool {
		collection, path, _ := strings.Cut(field, ".")
		outer, _, _ := strings.Cut(path, ".") // the fields of a map are indexed as the map is
		return !slices.Contains(collections, collection) || slices.Contains(fields, field) || slices.Contains(fields, collection+"."+outer)
	}), err
}

var (
	indexedBlock = regexp.MustCompile(`(?s)\n  indexed = \{\n(.*?)\n  \}\n`)
	indexedEntry = regexp.MustCompile(`(?m)^ +(\w+) += \[(.*)\]$`)
	groupsLine   = regexp.MustCompile(`(?m)^  groups = \[.*\]$`)
	quotedWord   = regexp.MustCompile(`"(\w+)"`)

	indexEntry = regexp.MustCompile(`collection = "(\w+)"\s+fields\s+= \[(.*)\]\s+vector\s+= (?:null|\{ field = "(\w+)", dimension = (\d+) \})`)
	indexField = regexp.MustCompile(`\["([\w.]+)", "(\w+)"\]`)
)

// Serves reports that a declared index is one that a query needs: it begins with
// the fields that are compared, and goes on with those that are ordered.
func Serves(declared, needed firestore.Index) bool {
	n := len(needed.Equal)
	if declared.Collection != needed.Collection || declared.Vector != needed.Vector || declared.Dimension != needed.Dimension ||
		len(declared.Ordered) != n+len(needed.Ordered) {
		return false
	}
	for _, f := range declared.Ordered[:n] {
		name, _, _ := strings.Cut(f, " ")
		if !slices.Contains(needed.Equal, name) {
			return false
		}
	}
	return slices.Equal(declared.Ordered[n:], needed.Ordered)
}

// undeclared returns the indexes that queries so far would need in production and
// that Terraform does not make.
func undeclared(needed []firestore.Index) ([]firestore.Index, error) {
	if len(needed) == 0 {
		return nil, nil
	}
	declared, err := Declared()
	return slices.DeleteFunc(needed, func(n firestore.Index) bool {
		return slices.ContainsFunc(declared, func(d firestore.Index) bool { return Serves(d, n) })
	}), err
}
