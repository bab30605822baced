package agent

import "golang.org/x/text/language"

// ParseLang parses a tag of a language with optional script and region, as ko or
// zh-Hant-TW; ok is false for any other. Variants, extensions and private use could carry
// any text into a prompt.
func ParseLang(s string) (tag language.Tag, ok bool) {
	tag, err := language.Parse(s)
	base, _, _ := tag.Raw()
	return tag, err == nil && base != (language.Base{}) && len(tag.Variants()) == 0 && len(tag.Extensions()) == 0
}
