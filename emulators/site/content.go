package site

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// content is the content of a page: as HTML, and as text for the search engine.
type content struct{ html, text strings.Builder }

type link struct{ URL, Text string }

func (c *content) paragraph(s string) { c.element("p", s) }
func (c *content) heading(s string)   { c.element("h2", s) }

func (c *content) element(name, s string) {
	fmt.Fprintf(&c.html, "<%s>%s</%s>\n", name, html.EscapeString(s), name)
	c.text.WriteString(s + "\n")
}

// table writes rows of which the first is the head.
func (c *content) table(rows [][]string) {
	c.html.WriteString("<table>\n")
	for i, row := range rows {
		cell := "td"
		if i == 0 {
			cell = "th"
		}
		c.html.WriteString("<tr>")
		for _, s := range row {
			fmt.Fprintf(&c.html, "<%s>%s</%s>", cell, html.EscapeString(s), cell)
		}
		c.html.WriteString("</tr>\n")
		c.text.WriteString(strings.Join(row, " ") + "\n")
	}
	c.html.WriteString("</table>\n")
}

// layouts are the ways in which publishers build their pages.
var layouts = []*template.Template{
	template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/assets/site.css">
<style>.skip{position:absolute;left:-9999px}</style></head>
<body><a class="skip" href="#main">{{.Title}}</a>
<header><a href="/"><img src="/assets/logo.svg" alt="{{.Site}}"></a>
<nav><ul>{{range .Nav}}<li><a href="{{.URL}}">{{.Text}}</a></li>{{end}}</ul></nav></header>
<main id="main"><h1>{{.Title}}</h1>
{{.Content}}
{{if .Links}}<h2>{{.See}}</h2><ul>{{range .Links}}<li><a href="{{.URL}}">{{.Text}}</a></li>{{end}}</ul>{{end}}
</main>
<footer><p>{{.Site}} · {{.Contact}}: webmaster@{{.Host}}</p></footer>
<script>window.dataLayer=window.dataLayer||[];</script></body></html>
`)),
	template.Must(template.New("").Parse(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="{{.Lang}}"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>{{.Title}} | {{.Site}}</title></head>
<body bgcolor="#f4f4f0"><table width="960" align="center"><tr><td colspan="2" bgcolor="#224466"><font color="#ffffff" size="5">{{.Site}}</font></td></tr>
<tr><td width="180" valign="top"><div role="navigation">{{range .Nav}}<p><a href="{{.URL}}">{{.Text}}</a></p>{{end}}</div></td>
<td valign="top"><h1>{{.Title}}</h1>
{{.Content}}
{{range .Links}}<p>&raquo; <a href="{{.URL}}">{{.Text}}</a></p>{{end}}
</td></tr><tr><td colspan="2"><small>{{.Site}}, {{.Contact}}</small></td></tr></table></body></html>
`)),
	template.Must(template.New("").Parse(`<!doctype html>
<html lang="{{.Lang}}" dir="ltr"><head><meta charset="utf-8"/><title>{{.Title}} – {{.Site}}</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage"}</script></head>
<body class="node-type-page"><div id="page" class="layout"><nav class="menu" aria-label="menu">{{range .Nav}}<a href="{{.URL}}">{{.Text}}</a> {{end}}</nav>
<div class="breadcrumb"><a href="/">{{.Site}}</a> › {{.Title}}</div>
<article class="node"><h1 class="title">{{.Title}}</h1><div class="field-body">
{{.Content}}
</div>{{if .Links}}<aside><h3>{{.See}}</h3>{{range .Links}}<div class="item"><a class="button" href="{{.URL}}">{{.Text}}</a></div>{{end}}</aside>{{end}}</article>
<div class="cookie-banner" hidden>Cookies</div>
<footer>{{.Contact}} · {{.Site}}</footer></div></body></html>
`)),
}

// render returns the page as HTML, in the layout of its publisher.
func (p *page) render() []byte {
	by, t := p.by, p.words
	var out strings.Builder
	nav := []link{{"/", t.page.home}, {"/" + by.words.paths.data + "/", t.page.data}, {"/" + by.words.paths.about + "/", t.page.about}}
	err := layouts[by.layout].Execute(&out, map[string]any{
		"Lang": t.code, "Title": p.title, "Site": by.name, "Host": by.host, "Nav": nav, "Links": p.links,
		"See": t.page.related, "Contact": t.page.contact, "Content": template.HTML(p.content.html.String()),
	})
	if err != nil { // the layouts are fixed, and accept any string
		panic(err)
	}
	return []byte(out.String())
}
