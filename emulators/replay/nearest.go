package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mostDifferences limits the differences reported for a miss.
const mostDifferences = 5

// miss returns the message for a request that was not recorded: the nearest recorded
// request, the differences, and r with long strings truncated.
func (r Request) miss(all []Exchange) string {
	near, differences := r.nearest(all)
	told := differences[:min(len(differences), mostDifferences)]
	more := ""
	if n := len(differences) - len(told); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return fmt.Sprintf("replay: %s %s was not recorded. The nearest is %s, but %s%s. The request: %s",
		r.Method, r.target(), near.file, strings.Join(told, "; "), more, r.preview())
}

// preview returns r's body with long strings truncated.
func (r Request) preview() string {
	d := json.NewDecoder(bytes.NewReader(r.Body.bytes()))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return short(string(r.Body.bytes()), 300)
	}
	cut, err := json.Marshal(cutStrings(v))
	if err != nil {
		return ""
	}
	return string(cut)
}

func cutStrings(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = cutStrings(member)
		}
	case []any:
		for i, element := range v {
			v[i] = cutStrings(element)
		}
	case string:
		if len(v) > 80 {
			return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(v[:60], ""), len(v))
		}
	}
	return v
}

func (r Request) target() string {
	if r.Query == "" {
		return r.Path
	}
	return r.Path + "?" + r.Query
}

// nearest returns the exchange whose request differs from r in the fewest values; a
// different path outweighs all of them.
func (r Request) nearest(all []Exchange) (near Exchange, differences []string) {
	here := r.leaves()
	for i, e := range all {
		d := different(here, e.Request.leaves())
		if i == 0 || less(r, e.Request, near.Request, len(d), len(differences)) {
			near, differences = e, d
		}
	}
	return near, differences
}

func less(r, a, b Request, differencesOfA, differencesOfB int) bool {
	if (a.Path == r.Path) != (b.Path == r.Path) {
		return a.Path == r.Path
	}
	return differencesOfA < differencesOfB
}

// leaves returns the values of r by their path, such as contents[0].parts[1].text.
func (r Request) leaves() map[string]string {
	all := map[string]string{"method": r.Method, "path": r.Path, "query": r.Query}
	d := json.NewDecoder(bytes.NewReader(r.Body.bytes()))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		all["body"] = string(r.Body.bytes())
		return all
	}
	collect("", v, all)
	return all
}

func collect(at string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			path := name
			if at != "" {
				path = at + "." + name
			}
			collect(path, member, into)
		}
	case []any:
		for i, element := range v {
			collect(at+"["+strconv.Itoa(i)+"]", element, into)
		}
	default:
		into[at] = fmt.Sprint(v)
	}
}

// different lists the paths at which now differs from then.
func different(now, then map[string]string) []string {
	paths := maps.Clone(now)
	maps.Copy(paths, then)
	var all []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		a, here := now[path]
		b, there := then[path]
		switch {
		case a == b && here == there:
		case !there:
			all = append(all, fmt.Sprintf("%s is %s, and was not there", path, short(a, 60)))
		case !here:
			all = append(all, fmt.Sprintf("%s is not there, and was %s", path, short(b, 60)))
		default:
			at := apart(a, b)
			all = append(all, fmt.Sprintf("%s is %s, and was %s", path, short(a[at:], 60), short(b[at:], 60)))
		}
	}
	return all
}

// apart returns an index a little before the first difference of two texts, at the start
// of a rune.
func apart(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	i = max(0, i-20)
	for i > 0 && a[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

// short returns a text cut to at most n bytes, in quotes.
func short(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return strconv.Quote(s)
}
