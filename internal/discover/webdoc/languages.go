package webdoc

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// languagesOf returns the texts of an object whose keys are language tags, English first, nil of
// any other.
func languagesOf(v map[string]any) (texts []any) {
	for key, value := range v {
		list, isList := value.([]any)
		_, isText := value.(string)
		isList = isList && !slices.ContainsFunc(list, func(one any) bool { _, text := one.(string); return !text })
		if !isLanguage(key) || value != nil && !isText && !isList || key == "id" && len(v) == 1 {
			return nil
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(v), func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, "en"), strings.TrimPrefix(b, "en"))
	}) {
		texts = append(texts, v[key])
	}
	return texts
}

// isLanguage reports that a key is a tag of a language that has a code of two letters: de, fra,
// pt-BR, fr-t-en.
func isLanguage(key string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(key, "_", "-"), "-")
	base, err := language.ParseBase(first)
	return err == nil && len(first) >= 2 && len(key) < 12 && len(base.String()) == 2
}

// untranslated returns the name of a field that has a text in another language or in several:
// title of title_translated, title_fra and title_en; "" of other fields.
func untranslated(name string) string {
	of, suffix, _ := strings.Cut(name, "_")
	if (suffix == "translated" || isLanguage(suffix)) && slices.Contains([]string{"title", "name", "notes", "description", "abstract", "keywords", "keyword", "url"}, of) {
		return of
	}
	return ""
}
