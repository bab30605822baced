package expiry

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// A period is a duration in ISO 8601: P12M, P2Y, P30D, P2W.
type period string

// durations maps words for units of time to letters of ISO 8601.
var durations = unitTable(map[string]string{
	"D": "day days jour jours tag tage tagen día días giorno giorni dagen dag dia dias dni dzień день дня дней суток 일간 日間 天",
	"W": "week weeks wks semaine semaines woche wochen semana semanas settimane settimana weken tygodni недели недель 주 주간 週間 周",
	"M": `month months mth mths mo mos mois monat monate monaten mes meses mese mesi maand maanden miesiąc miesiące miesięcy месяц месяца
		месяцев мес mês mdr måneder månader kk kuukautta hónap ay 개월 개월간 か月 ヶ月 ヵ月 カ月 ケ月 箇月 個月 个月`,
	"Y": "year years yr yrs an ans année années jahr jahre jahren año años anno anni ano anos jaar rok lata lat год года лет år vuotta év 년 년간 年 年間",
})

// The units of East Asia that follow a number directly, longest first.
var eastAsianUnits = sync.OnceValue(func() []string {
	return strings.Fields(plain("개월간 개월 か月 ヶ月 ヵ月 カ月 ケ月 箇月 個月 个月 년간 年間 일간 日間 주간 週間 년 年 월 月 일 日 天 号 號 주 周"))
})

func unitTable(by map[string]string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for letter, words := range by {
			for w := range set(words) {
				m[w] = letter
			}
		}
		return m
	})
}

// opened are words for opening a pack, counted are words that say when a period begins.
var (
	opened = list(`open opened opening pao ouverture ouvert öffnen öffnung geöffnet anbruch abrir abierto apertura aberto abertura aprire openen opening
		otwarciu otwarcia вскрытия öppnad öppning åbning åpning otevření 개봉 개봉후 개봉일로부터 개봉시 개봉한 開封 開封後 开封 开封后 開瓶後`)
	counted = list(`after from within once following production product period shelf-life après après partir ab nach innerhalb binnen tras después desde dopo na
		po após depois months 후 이내 부터 로부터 から より 以内 后 後 起 内`)
)

// longestOpen is the largest number of months in the symbol of an open jar.
const longestOpen = 60

// longest is the longest shelf life by unit.
var longest = map[string]int{"D": 999, "W": 250, "M": 120, "Y": 10}

// spell matches a period: 12 months, 30 mois, 12개월, or the 12M in an open jar.
func (t *tokens) spell(i int) (match, bool) {
	if !t.num(i, 1, 2, 3) || !t.free(i+1) || t.items[i+1].number || !joined(t.items[i+1].gap) {
		return match{}, false
	}
	n, word := number(t.items[i].text), t.items[i+1].text
	unit, f := durations()[word], match{to: i + 2}
	jar := word == "m" && n <= longestOpen && t.ends(i+2)
	if jar {
		unit = "M"
	}
	if n < 1 || n > longest[unit] {
		return match{}, false
	}
	if jar || t.nearOpening(i) {
		f.kind = PeriodAfterOpening
	}
	f.period = period(fmt.Sprintf("P%d%s", n, unit))
	return f, true
}

// nearOpening reports whether words near item i, up to the next numbers on both sides,
// mention opening the pack.
func (t *tokens) nearOpening(i int) bool {
	for j := i - 1; j >= 0 && !t.items[j].number; j-- {
		if opened()[t.items[j].text] {
			return true
		}
	}
	for j := i + 1; j < len(t.items) && !t.items[j].number; j++ {
		if opened()[t.items[j].text] {
			return true
		}
	}
	return false
}

// ends reports whether no letter directly follows the item before j.
func (t *tokens) ends(j int) bool {
	return j >= len(t.items) || t.items[j].gap != ""
}

// after returns the day p after d. A day that the month lacks becomes its last.
func (p period) after(d day) day {
	var n int
	var unit byte
	if _, err := fmt.Sscanf(string(p), "P%d%c", &n, &unit); err != nil {
		return d
	}
	switch unit {
	case 'D':
		return dayOf(d.last().AddDate(0, 0, n))
	case 'W':
		return dayOf(d.last().AddDate(0, 0, 7*n))
	case 'Y':
		n *= 12
	}
	first := time.Date(d.year, time.Month(d.month+n), 1, 0, 0, 0, 0, time.UTC)
	return day{first.Year(), int(first.Month()), min(d.day, daysIn(first.Year(), int(first.Month())))}
}
