package expiry

import (
	"maps"
	"strings"
	"sync"
	"unicode/utf8"
)

// monthNames are the months in European languages. A prefix of three letters or more stands
// for the name, unless two months share it.
var monthNames = [12]string{
	"january januar jänner janvier enero gennaio janeiro januari ianuarie gener styczeń stycznia ocak январь января январ януари ιανουάριος ιανουαρίου ene jän",
	"february februar feber février febrero febbraio fevereiro februari februarie febrer luty şubat февраль февраля февруари φεβρουάριος φεβρουαρίου",
	"march märz marz mrz mars marzo março maart mrt marts martie març marzec marca mart március март марта μάρτιος μαρτίου",
	"april avril abril aprile aprilie aprilis kwiecień kwietnia nisan április апрель апреля април απρίλιος απριλίου",
	"may mai mayo maggio maio mei maj maig mayıs május май мая μάιος μαΐου",
	"june juni juin junio giugno junho iunie juny czerwiec czerwca haziran június июнь июня юни ιούνιος ιουνίου",
	"july juli juillet julio luglio julho iulie juliol lipiec lipca temmuz július июль июля юли ιούλιος ιουλίου",
	"august août agosto augustus augusti agost sierpień sierpnia ağustos augusztus август августа αύγουστος αυγούστου",
	"september septembre septiembre setiembre settembre setembro septembrie setembre wrzesień września eylül szeptember сентябрь сентября септември σεπτέμβριος σεπτεμβρίου",
	"october oktober octobre octubre ottobre outubro octombrie październik października ekim október октябрь октября октомври οκτώβριος οκτωβρίου okt",
	"november novembre noviembre novembro noiembrie listopad listopada kasım ноябрь ноября ноември νοέμβριος νοεμβρίου",
	"december dezember décembre diciembre dicembre dezembro decembrie desember desembre grudzień grudnia aralık декабрь декабря декември δεκέμβριος δεκεμβρίου dic",
}

// monthWholes are names of which prefixes are other words.
var monthWholes = [12]string{
	"leden ledna tammikuu січень січня jaanuar",
	"únor února lutego helmikuu лютий лютого veebruar",
	"březen března maaliskuu березень березня märts",
	"duben dubna huhtikuu квітень квітня aprill",
	"květen května toukokuu травень травня",
	"červen června kesäkuu червень червня juuni",
	"červenec července heinäkuu липень липня juuli",
	"srpen srpna elokuu серпень серпня",
	"září syyskuu вересень вересня",
	"říjen října lokakuu жовтень жовтня oktoober",
	"listopadu marraskuu",
	"prosinec prosince joulukuu грудень грудня detsember",
}

// monthTwo are the months in Canada's bilingual dates (2026 JN 05), monthRoman those in
// 31.XII.2026.
var (
	monthTwo   = numbered("ja fe mr al ma jn jl au se oc no de")
	monthRoman = numbered("i ii iii iv v vi vii viii ix x xi xii")
)

// months maps names and their prefixes to months.
var months = sync.OnceValue(func() map[string]int {
	found, whole := map[string]int{}, map[string]int{}
	for i := range monthNames {
		for _, name := range strings.Fields(plain(monthNames[i])) {
			whole[name] = i + 1
			for end := range name {
				begin(found, name[:end], i+1)
			}
		}
		for _, name := range strings.Fields(plain(monthWholes[i])) {
			whole[name] = i + 1
		}
	}
	maps.Copy(found, whole)
	return found
})

// begin records s as a prefix of a month's name; a prefix of two months stands for neither.
func begin(found map[string]int, s string, month int) {
	if utf8.RuneCountInString(s) < 3 {
		return
	}
	if was, ok := found[s]; ok && was != month {
		month = 0
	}
	found[s] = month
}

func numbered(names string) func() map[string]int {
	return sync.OnceValue(func() map[string]int {
		m := map[string]int{}
		for i, name := range strings.Fields(names) {
			m[name] = i + 1
		}
		return m
	})
}
