package webdoc

import (
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// invisible matches declarations that hide text, in a style from styleOf; colourOf and
// backgroundOf match its colours.
var (
	invisible = regexp.MustCompile(`;(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|color:transparent|opacity:(?:0?\.0\d*|0%?|0\.0\d*)|` +
		`font-size:(?:[01](?:\.\d+)?px|0?\.\d+px|0(?:\.0\d*)?[a-z%]*)|(?:max-)?(?:width|height):0(?:px|%|em)?|` +
		`(?:text-indent|left|top|right|bottom|margin-left|margin-top):-(?:\d{4,}px|\d{3,}(?:r?em|vw|vh|%))|` +
		`clip:rect\(0[^)]*\)|clip-path:(?:inset\((?:50|100)%|circle\(0)[^;]*|transform:scale[xy]?\(0[,)][^;]*)(?:!important)?;`)
	colourOf     = regexp.MustCompile(`;color:([^;!]+)`)
	backgroundOf = regexp.MustCompile(`;background(?:-color)?:([^;!]+)`)
)

// styleOf returns an element's own style: CSS in lower case without spaces, with a
// semicolon before and after each declaration, and colours in one notation.
func styleOf(n *html.Node) string {
	style := ";" + attribute(n, "style") + ";"
	if c := attribute(n, "bgcolor"); c != "" {
		style += "background:" + c + ";"
	}
	if c := attribute(n, "color"); c != "" {
		style += "color:" + c + ";"
	}
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return colours.Replace(shortColour.ReplaceAllString(style, "#$1$1$2$2$3$3$4"))
}

var (
	shortColour = regexp.MustCompile(`#([0-9a-f])([0-9a-f])([0-9a-f])([;!])`)
	colours     = strings.NewReplacer(":white", ":#ffffff", "rgb(255,255,255)", "#ffffff", ":black", ":#000000", "rgb(0,0,0)", "#000000")
)

// maxHiding is the largest number of hiding style sheet rules that are considered.
const maxHiding = 200

var (
	cssAside = regexp.MustCompile(`(?s:/\*.*?\*/)|@[^{;]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})`)
	cssRule  = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
	// cssSelector matches p, .x, #z, p.x, and .x > p. Other selectors may take very long to match.
	cssSelector = regexp.MustCompile(`^(?:[\w-]*(?:[.#][\w-]+)*>)?[\w-]*(?:[.#][\w-]+)*$`)
	cssName     = regexp.MustCompile(`[.#]?[\w-]+`)
)

// A selector matches elements by their names: a type, classes with a leading dot and an ID
// with a leading #. The parent, if not empty, has names too.
type selector struct{ names, parent []string }

// styledAway returns the elements that the page's own style sheets hide on every screen. It
// takes time in proportion to the number of elements and of rules.
func styledAway(root *html.Node) map[*html.Node]bool {
	rules := hidingRules(root)
	hidden := map[*html.Node]bool{}
	if len(rules) == 0 {
		return hidden
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		own := namesOf(n)
		hidden[n] = slices.ContainsFunc(own, func(name string) bool {
			return slices.ContainsFunc(rules[name], func(s selector) bool { return s.matches(n, own) })
		})
	}
	return hidden
}

// hidingRules returns the selectors of the rules that hide elements, by their last name.
func hidingRules(root *html.Node) map[string][]selector {
	var sheets strings.Builder
	for _, style := range cascadia.QueryAll(root, styleElement) {
		sheets.WriteString(text(style))
	}
	rules, left := map[string][]selector{}, maxHiding
	for _, rule := range cssRule.FindAllStringSubmatch(cssAside.ReplaceAllString(sheets.String(), ""), -1) {
		if !invisible.MatchString(styleOf(&html.Node{Attr: []html.Attribute{{Key: "style", Val: rule[2]}}})) {
			continue
		}
		for group := range strings.SplitSeq(rule[1], ",") {
			group = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(group), " >", ">"), "> ", ">")
			if group == "" || left == 0 || !cssSelector.MatchString(group) {
				continue
			}
			left--
			parent, own, child := strings.Cut(group, ">")
			if !child {
				parent, own = "", group
			}
			s := selector{cssName.FindAllString(own, -1), cssName.FindAllString(parent, -1)}
			if n := len(s.names); n > 0 {
				rules[s.names[n-1]] = append(rules[s.names[n-1]], s)
			}
		}
	}
	return rules
}

var styleElement = cascadia.MustCompile("style")

// matches reports whether s matches n, which has the names own.
func (s selector) matches(n *html.Node, own []string) bool {
	return containsAll(own, s.names) && (len(s.parent) == 0 || n.Parent != nil && containsAll(namesOf(n.Parent), s.parent))
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// maxClasses is the largest number of an element's classes that are considered.
const maxClasses = 50

// namesOf returns the names of an element that selectors match.
func namesOf(n *html.Node) []string {
	names := []string{n.Data}
	if id := attribute(n, "id"); id != "" {
		names = append(names, "#"+id)
	}
	classes := strings.Fields(attribute(n, "class"))
	for _, class := range classes[:min(len(classes), maxClasses)] {
		names = append(names, "."+class)
	}
	return names
}

// removeBlended removes text that has the colour of its background. The background is
// unknown, "", if a style sheet may set it.
func removeBlended(n *html.Node, behind string) {
	style := styleOf(n)
	if n.Data != "html" && n.Data != "body" && attribute(n, "class")+attribute(n, "id") != "" {
		behind = ""
	}
	if m := backgroundOf.FindStringSubmatch(style); m != nil {
		behind = m[1]
	}
	if m := colourOf.FindStringSubmatch(style); m != nil && m[1] == behind {
		for _, c := range slices.Collect(n.ChildNodes()) {
			n.RemoveChild(c)
		}
	}
	for c := range n.ChildNodes() {
		removeBlended(c, behind)
	}
}
