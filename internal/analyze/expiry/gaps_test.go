package expiry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// A form writes a date as packs of a country do, with words before and behind it.
type form struct {
	country, before, layout, behind string
	month                           bool // it has no day
}

// printedForms are the known forms of dates.
var printedForms = []form{
	{"KR", "소비기한 ", "2006.01.02", "", false}, {"KR", "소비기한 ", "2006. 1. 2.", "", false}, {"KR", "", "2006.01.02", "까지", false}, {"KR", "유통기한 ", "06.01.02", "까지", false},
	{"KR", "소비기한 ", "2006년 1월 2일", "", false}, {"KR", "소비기한 ", "06년 1월 2일", "까지", false}, {"KR", "소비기한: ", "20060102", "", false}, {"KR", "소비기한 ", "2006년 1월", "", true},
	{"JP", "賞味期限 ", "2006年1月2日", "", false}, {"JP", "賞味期限 ", "2006.01.02", "", false}, {"JP", "賞味期限 ", "06.1.2", "", false}, {"JP", "賞味期限 ", "060102", "", false}, {"JP", "賞味期限 ", "2006.01", "", true},
	{"CN", "保质期至 ", "2006年01月02日", "", false}, {"CN", "有效期至 ", "20060102", "", false}, {"TW", "有效日期 ", "2006/01/02", "", false},
	{"DE", "MHD ", "02.01.2006", "", false}, {"DE", "mindestens haltbar bis: ", "02.01.06", " L1234", false}, {"DE", "MHD ", "2. Januar 2006", "", false}, {"DE", "mindestens haltbar bis Ende ", "01.2006", "", true}, {"DE", "MHD ", "01/06", "", true},
	{"FR", "À consommer de préférence avant le ", "02/01/2006", "", false}, {"FR", "DLC ", "02/01/06", "", false}, {"FR", "DDM ", "2 JAN. 2006", "", false},
	{"NL", "THT ", "02-01-2006", "", false}, {"NL", "THT ", "02 01 2006", "", false}, {"DK", "Bedst før ", "02.01.06", "", false}, {"SE", "Bäst före ", "2006-01-02", "", false},
	{"RU", "годен до ", "02.01.06", "", false}, {"RU", "Годен до ", "01.2006", "", true}, {"PL", "Najlepiej spożyć przed: ", "02.01.2006", "", false},
	{"TR", "SKT: ", "02.01.2006", "", false}, {"TR", "TETT ", "01/2006", "", true}, {"VN", "HSD: ", "02/01/2006", "", false}, {"VN", "HSD ", "020106", "", false},
	{"GB", "BEST BEFORE ", "02 JAN 2006", "", false}, {"GB", "BB ", "02JAN06", "L1234", false}, {"GB", "BBE ", "JAN 2006", "", true}, {"GB", "USE BY ", "02-01-2006", "", false}, {"GB", "EXP ", "2006/01/02", "", false},
	{"US", "BEST BY ", "Jan 02, 2006", "", false}, {"US", "BEST BY ", "JAN 02 2006", "", false}, {"US", "BEST BY ", "01/02/06", "", false}, {"US", "EXP ", "01/2006", "", true}, {"US", "EXP ", "JAN2006", "", true},
	{"CA", "Best before Meilleur avant ", "2006 JA 02", "", false}, {"IN", "EXP ", "JAN 2006", "", true}, {"IN", "EXP: ", "01/2006", " B.NO: 42", true},
	{"SA", "انتهاء ", "02/01/2006", "", false}, {"BR", "VAL ", "02/01/06", "", false}, {"ES", "CAD ", "02/01/2006", "", false}, {"IT", "SCAD. ", "02.01.06", "", false}, {"GR", "ΛΗΞΗ ", "02/01/2006", "", false},
	{"PL", "Termin przydatności ", "ROMAN 2006", "", true}, {"TH", "หมดอายุ ", "02/01/{BE}", "", false}, {"TH", "หมดอายุ ", "02/01/{be}", "", false}, {"IR", "انقضا ", "SOLAR", "", false}, {"TW", "有效日期 ", "ROC.01.02", "", false}, {"JP", "賞味期限 ", "令和REIWA年1月2日", "", false},
}

// print returns d in form f.
func (f form) print(d time.Time) string {
	roman := strings.Fields("I II III IV V VI VII VIII IX X XI XII")[d.Month()-1]
	s := d.Format(f.layout)
	if strings.Contains(f.layout, "JAN") {
		s = strings.Replace(f.layout, "JAN", "\x01", 1)
		s = strings.Replace(d.Format(s), "\x01", strings.ToUpper(d.Format("Jan")), 1)
	}
	if strings.Contains(f.layout, "JA ") {
		s = d.Format("2006 ") + strings.ToUpper(strings.Fields("ja fe mr al ma jn jl au se oc no de")[d.Month()-1]) + d.Format(" 02")
	}
	if strings.Contains(f.layout, "Januar") {
		s = d.Format("2. ") + strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")[d.Month()-1] + d.Format(" 2006")
	}
	if f.layout == "SOLAR" {
		for y := d.Year() - 622; ; y++ {
			for m := 1; m <= 12; m++ {
				for day := 1; day <= 31; day++ {
					if found := solar(y, m, day); found[0].last().Equal(d) {
						return f.before + fmt.Sprintf("%04d/%02d/%02d", y, m, day) + f.behind
					}
				}
			}
		}
	}
	s = strings.NewReplacer("ROMAN", roman, "{BE}", fmt.Sprint(d.Year()+543), "{be}", fmt.Sprint((d.Year()+543)%100), "ROC", fmt.Sprint(d.Year()-1911), "REIWA", fmt.Sprint(d.Year()-2018)).Replace(s)
	return f.before + s + f.behind
}

// truth returns d as f prints it, in ISO 8601.
func (f form) truth(d time.Time) string {
	if f.month {
		return d.Format("2006-01")
	}
	return d.Format(time.DateOnly)
}

var packDays = []time.Time{
	time.Date(2027, 1, 3, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2027, 11, 12, 0, 0, 0, 0, time.UTC), time.Date(2028, 2, 20, 0, 0, 0, 0, time.UTC),
	time.Date(2027, 5, 25, 0, 0, 0, 0, time.UTC), time.Date(2027, 3, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 8, 11, 0, 0, 0, 0, time.UTC), time.Date(2029, 9, 27, 0, 0, 0, 0, time.UTC),
}

// gapCounts says how prints with a space, without their words or a digit are read.
type gapCounts struct{ spaces, seen, silent, lost, wrong int }

// countGaps reads dates in every known form, each with one space where none is, without the
// words before or behind it, or without one digit.
func countGaps(t *testing.T) (c gapCounts) {
	t.Helper()
	for _, f := range printedForms {
		hint := Hint{Country: f.country, Now: now.Now}
		for _, d := range packDays {
			text, want := f.print(d), f.truth(d)
			if got := choice([]Printed{{Text: text}}, hint); !strings.Contains(strings.Fields(got)[0], want) {
				t.Errorf("Choose(%q) in %s = %s, want %s", text, f.country, got, want)
			}
			variants := []string{strings.TrimPrefix(text, f.before), strings.TrimSuffix(text, f.behind)}
			for i, r := range text {
				if i > 0 && r != ' ' && text[i-1] != ' ' {
					variants = append(variants, text[:i]+" "+text[i:])
				}
				if next := text[i+utf8.RuneLen(r):]; unicode.IsDigit(r) && i >= len(f.before) && len(next) >= len(f.behind) {
					c.lost++
					if silent(choice([]Printed{{Text: text[:i] + next}}, hint), want) {
						c.wrong++
					}
				}
			}
			for _, v := range variants {
				c.spaces++
				got := choice([]Printed{{Text: v}}, hint)
				if silent(got, want) {
					c.silent++
					t.Errorf("Choose(%q) in %s = %s without a warning, want %s", v, f.country, got, want)
				}
				if strings.HasPrefix(got, want) {
					c.seen++
				}
			}
		}
	}
	return c
}

// Dates in every known form, each with one space where none is or without its words: none is
// another date without a warning. A digit that is lost cannot always be seen.
func TestGaps(t *testing.T) {
	c := countGaps(t)
	t.Logf("%d prints with a space or without a word: %d read as they are, %d wrong without a warning; of %d with a digit lost %d are another date without a warning", c.spaces, c.seen, c.silent, c.lost, c.wrong)
}

// A pair with one label dropped, or with one space: no date is wrong without a warning.
func TestPairsWithoutALabel(t *testing.T) {
	labels := [][2]string{{"MFG ", "EXP "}, {"제조 ", "소비기한 "}, {"製造 ", "賞味期限 "}, {"NSX: ", "HSD: "}, {"ÜT: ", "SKT: "}, {"Изготовлено ", "Годен до "}, {"ผลิต ", "หมดอายุ "}, {"FAB ", "VAL "}, {"Verpackt am ", "MHD "}}
	for _, l := range labels {
		for _, layout := range []string{"2006.01.02", "02.01.2006", "02/01/06", "02 JAN 2006", "20060102"} {
			made, end := form{"", l[0], layout, "", false}, form{"", l[1], layout, "", false}
			m, d := time.Date(2026, 9, 25, 0, 0, 0, 0, time.UTC), time.Date(2027, 10, 27, 0, 0, 0, 0, time.UTC)
			whole := made.print(m) + " " + end.print(d)
			texts := []string{whole, strings.TrimPrefix(made.print(m), l[0]) + " " + end.print(d), made.print(m) + " " + strings.TrimPrefix(end.print(d), l[1])}
			for i, r := range whole {
				if i > 0 && r != ' ' && whole[i-1] != ' ' {
					texts = append(texts, whole[:i]+" "+whole[i:])
				}
			}
			for _, text := range texts {
				if got := choice([]Printed{{Text: text}}, now); silent(got, "2027-10-27") {
					t.Errorf("Choose(%q) = %s without a warning, want 2027-10-27", text, got)
				}
			}
		}
	}
}

// A day of one digit is no lost digit: it is not doubted.
func TestOneDigitDays(t *testing.T) {
	for _, text := range []string{"MHD 2.04.2027", "MHD 2.4.27 ", "EXP 5 JUN 2027", "소비기한 2027.4.2", "賞味期限 2027年4月2日", "BEST BY JUN 5 2027"} {
		if got := choice([]Printed{{Text: strings.TrimSpace(text)}}, now); strings.Contains(got, DateDoubtful) || strings.HasPrefix(got, "-") {
			t.Errorf("Choose(%q) = %s, want the date without a doubt", text, got)
		}
	}
	if i := slices.IndexFunc(printedForms, func(f form) bool { return f.country == "" }); i >= 0 {
		t.Errorf("form %d has no country", i)
	}
}
