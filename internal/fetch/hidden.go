package fetch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// unseen are elements whose text is for programs.
var unseen = []string{"script", "style", "noscript", "template", "svg", "canvas", "object", "embed", "input", "dialog"}

// invisible finds declarations of CSS by which text is not seen, in a style without
// spaces, in lower case and with a semicolon before and behind.
var invisible = regexp.MustCompile(`;(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|color:transparent|opacity:(?:0?\.0\d*|0%?|0\.0\d*)|` +
	`font-size:(?:[01](?:\.\d+)?px|0?\.\d+px|0(?:\.0\d*)?[a-z%]*)|(?:max-)?(?:width|height):0(?:px|%|em)?|` +
	`(?:text-indent|left|top|right|bottom|margin-left|margin-top):-(?:\d{4,}px|\d{3,}(?:r?em|vw|vh|%))|` +
	`clip:rect\(0[^)]*\)|clip-path:(?:inset\((?:50|100)%|circle\(0)[^;]*|transform:scale[xy]?\(0[,)][^;]*)(?:!important)?;`)

// removeHidden takes out what a reader would not see, as far as the elements say it
// themselves. behind is the colour behind the text; it is unknown, "", where a style
// sheet may have set it.
func removeHidden(root *html.Node, behind string) {
	remove(root, func(n *html.Node) bool {
		css := normalStyle(attribute(n, "style"))
		return slices.Contains(unseen, n.Data) || has(n, "hidden") || attribute(n, "aria-hidden") == "true" || invisible.MatchString(css)
	})
	removeBlended(root, behind)
}

// removeBlended takes out text of the colour that is behind it.
func removeBlended(n *html.Node, behind string) {
	css := normalStyle(attribute(n, "style") + ";" + attributeStyle(n))
	if n.Data != "html" && n.Data != "body" && (has(n, "class") || has(n, "id")) {
		behind = ""
	}
	if m := backgroundOf.FindStringSubmatch(css); m != nil {
		behind = colour(m[1])
	}
	if m := colourOf.FindStringSubmatch(css); m != nil && behind != "" && colour(m[1]) == behind {
		for c := n.FirstChild; c != nil; c = n.FirstChild {
			n.RemoveChild(c)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		removeBlended(c, behind)
	}
}

var (
	colourOf     = regexp.MustCompile(`;color:([^;!]+)`)
	backgroundOf = regexp.MustCompile(`;background(?:-color)?:([^;!]+)`)
	byName       = map[string]string{"white": "#ffffff", "black": "#000000", "rgb(255,255,255)": "#ffffff", "rgb(0,0,0)": "#000000"}
)

// colour is one notation of a colour, as far as the common ones go.
func colour(c string) string {
	if hex := byName[c]; hex != "" {
		return hex
	}
	if len(c) == 4 && c[0] == '#' {
		return "#" + strings.Repeat(c[1:2], 2) + strings.Repeat(c[2:3], 2) + strings.Repeat(c[3:4], 2)
	}
	return c
}

func attributeStyle(n *html.Node) string {
	style := ""
	if c := attribute(n, "bgcolor"); c != "" {
		style += "background:" + c + ";"
	}
	if c := attribute(n, "color"); n.Data == "font" && c != "" {
		style += "color:" + c
	}
	return style
}

func normalStyle(style string) string {
	return ";" + strings.ToLower(strings.Join(strings.Fields(style), "")) + ";"
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

var (
	atRules = regexp.MustCompile(`@[^{;]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})|(?s:/\*.*?\*/)`)
	cssRule = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
)

// hideByStyleSheet takes out what the page's own style sheet hides on a screen.
func hideByStyleSheet(root *html.Node) {
	var hidden []*html.Node
	for n := range root.Descendants() {
		if n.Data != "style" || n.FirstChild == nil {
			continue
		}
		for _, rule := range cssRule.FindAllStringSubmatch(atRules.ReplaceAllString(n.FirstChild.Data, ""), 500) {
			if selector, err := cascadia.ParseGroup(rule[1]); err == nil && invisible.MatchString(normalStyle(rule[2])) {
				hidden = append(hidden, cascadia.QueryAll(root, selector)...)
			}
		}
	}
	for _, n := range hidden {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}
