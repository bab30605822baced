package expiry

import (
	"iter"
	"strings"
	"sync"
)

// Kinds of words that no Date has.
const (
	noKind       Kind = ""
	otherDate    Kind = "other"   // a date other than expiry and production
	unknownLabel Kind = "unknown" // a date beside words that are not known
	lotNumber    Kind = "lot"
)

// A label is a word that says which date is beside it, and in which order the print's
// language writes dates.
type label struct {
	kind  Kind
	order order
}

// labelWords are the labels in alphabetic languages. A star stands for any ending; a
// complete word takes precedence over a prefix. English labels are used worldwide, so they
// do not indicate an order.
var labelWords = []struct {
	label
	words string
}{
	{label{BestBefore, anyOrder}, "best meilleur bb bbe bbd bbf geriausia* minőségmegőrz*"},
	{label{BestBefore, dayFirst}, `mhd pref mindest* mind haltbar* haltbark* preferen* préféren* preferib* ddm dluo durab* optimal* tmc tht houdbaar tenminste
		najlepiej mindst minst bedst holdbar bäst parasta preferinta minőségét
		tett tavsiye προτιμησ* ควรบริโภคก่อน baik najbolje најбоље најдобро добър ieteicams parim trvanlivost עדיף सर्वोत्तम`},
	{label{UseBy, anyOrder}, "use used consume consumed tinka vartoti suvartoti felhasználható"},
	{label{UseBy, dayFirst}, `verbrauch* dlc cons consom* consum* caduc* cad tgt gebruiken spożyć należy förbrukningsdag anvendelsesdato holdbarhed
		sidste viimeinen käyttöajankohta употребить fogyasztható spotřebujte
		stt tüketim* αναλωσ* บริโภคก่อน digunakan upotrijebiti upotrebiti употребити употреби porabiti izlietot spotřebovat spotrebujte उपयोग`},
	{label{Expiry, anyOrder}, "exp expir* expy expdate xp sell before until valid display szavatos*"},
	{label{Expiry, dayFirst}, `bis avant antes venc* vence vto validade val scad* entro péremp* périm* verwendbar ablauf* limite jusqu* tot hasta hsd hạn trước
		przed før fore före ennen inden ważności ważne trvanlivosti до годен годна срок вжити придатний lejárat skt
		kullanma ληξη* หมดอายุ วันหมดอายุ วันที่หมดอายุ الانتهاء الصلاحية luput kedaluwarsa kedaluarsa kadaluwarsa kadaluarsa trajanja трајања תפוגה समाप्ति`},
	{label{Production, anyOrder}, `mfg mfd mfr mfgd manufactur* produced production prod prd made packed packaged packing pkd frozen roasted baked bottled brewed dom
		pagamin* supakuota gyártás gyártási gyártva gyártotta készült csomagol*`},
	{label{Production, dayFirst}, `hergestell* herstell* fabriqu* fabricad* fabricac* fabricat* fabrication fab elab* producid* produção prodotto produzion*
		confezion* abgefüllt* abfüll* verpackt abgepackt eingefroren gefroren emballé conditionné congelé surgelé envasad* legedatum gelegt ponte
		pondu geröstet röst* gemaakt geproduceerd wyprodukowan* produkcji nsx sx xuất изготов* произвед* производств* упаков* выработ* виготовлен*
		üretim imal imalat παραγωγ* συσκευασι* ผลิต วันผลิต วันที่ผลิต ผลิตเมื่อ الإنتاج إنتاج الصنع التصنيع التعبئة pengeluaran dikilang* diproduksi produksi dibuat
		proizveden* proizvodnj* производњ* pakiran* pakovan* ražots ražošanas iepakots toodetud tootmis* valmistatud pakendatud vyrobeno vyrobené vyrobena výroby zabaleno baleno balené
		producerii ambalat ambalării ייצור יוצר יצור נארז निर्माण निर्मित उत्पादन पैकिंग`},
	{label{otherDate, anyOrder}, `since est establish* founded copyright patent event promo* campaign vintage harvest* founding kw wk week woche calendar
		tel phone fax hotline`},
	{label{otherDate, dayFirst}, "depuis seit gegr* gegründet fondé* fondée semaine semana settimana millésime jahrgang récolte ernte* desde neděle uke talimat* kılavuz* προσφορ* διαγωνισμ* nagradn* наградн*"},
	{label{lotNumber, anyOrder}, "no nr num number numero numéro nummer lot lote lotto lots charge chb ch batch batchno bn losnr los partia partie šarže серия партия"},
}

// eastAsianLabels are searched for anywhere in a run of ideographs, Hangul or Kana.
var eastAsianLabels = []struct {
	label
	words string
}{
	{label{lotNumber, yearFirst}, "제조번호 생산번호 製造番号 로트 ロット 批号 批次 批號 번호 番号"},
	{label{BestBefore, yearFirst}, "품질유지 상미 賞味 赏味 保质期 保質期 最佳"},
	{label{UseBy, yearFirst}, "소비기한 소비 消費 食用"},
	{label{Expiry, yearFirst}, "유통 사용기한 유효 기한 까지 使用期 有効 有效 期限 限用 到期 失效 まで 以前 此日期前"},
	{label{Production, yearFirst}, "제조 생산 포장 가공 산란 도축 냉동일 製造 制造 生产 生產 加工 包装 包裝 採卵 産卵 冷凍日"},
	{label{otherDate, yearFirst}, "행사 이벤트 등록 인증 특허 설립 창립 전화 상담 創業 創立 設立 登録 登録 電話 电话 수확 収穫"},
}

// closing are labels that follow their date.
var closing = list("까지 일까지 まで 日まで 以前 前")

// neutral words appear beside dates without a meaning of their own.
var neutral = list(`date dates datum data fecha day dia jour month mois year end ende fin fine finale fim final of the le la les el los del den de der des du d am
	on at to in an and und et y e o a al au aux nach see siehe voir auf sur by if after mm yy yyyy dd jj aa aaaa jjjj tt
	mmm uhr h hrs pm z utc kst t none null na unlabelled unlabeled unlabeled lid deckel bottom top cap side back box code print printed stamp stamped shelf life min minimum max
	debut courant mid early late beginning start anfang mitte inizio principios konec koniec roku г года год st nd rd th er re ème
	날짜 일자 년월일 표시 하단 상단 뒷면 측면 별도 별도표시 표기 표기일 순 年月日 日期 日付 日 年 月 일 월 년 は 末 頃 上旬`)

// filler words appear between the parts of a date: 31 de diciembre de 2026.
var filler = list("o a de of del d st nd rd th er re the г года")

// units, other than of time, make a number before them a quantity.
var units = list("g gr kg mg mcg l cl ml dl oz lb lbs fl pcs pc stk x eur euro usd won krw chf kcal kj cal cm mm2 km ct count findings stück uds units 원 円 元 개 個 个 정 병 봉 입")

// list returns the set of words, which is made at its first use, as all tables here.
func list(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return set(words) })
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(plain(words)) {
		m[w] = true
	}
	return m
}

// A labelTable has labels by complete words, and by prefixes.
type labelTable struct{ whole, begin map[string]label }

var labels = sync.OnceValue(func() labelTable {
	t := labelTable{map[string]label{}, map[string]label{}}
	for _, l := range labelWords {
		for _, w := range strings.Fields(plain(l.words)) {
			if stem, ok := strings.CutSuffix(w, "*"); ok {
				t.begin[stem] = l.label
			} else {
				t.whole[w] = l.label
			}
		}
	}
	return t
})

// labelOf returns the label that word is.
func labelOf(word string) (label, bool) {
	table := labels()
	if l, ok := table.whole[word]; ok {
		return l, true
	}
	for end := len(word); end >= 3; end-- {
		if l, ok := table.begin[word[:end]]; ok {
			return l, true
		}
	}
	return label{}, false
}

// labelsIn returns the labels in an item, in order. An alphabetic word is at most one; a
// run without spaces may contain several.
func labelsIn(word string) []label {
	if !isEastAsian(firstOf(word)) {
		if l, ok := labelOf(word); ok {
			return []label{l}
		}
		return nil
	}
	var found []label
	for rest := range suffixes(word) {
		for _, l := range eastAsianTable() {
			if strings.HasPrefix(rest, l.word) {
				found = append(found, l.label)
				break
			}
		}
	}
	return found
}

func firstOf(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// suffixes yields the suffixes of word, the longest first.
func suffixes(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range word {
			if !yield(word[i:]) {
				return
			}
		}
	}
}

// An eastAsianLabel is one word of eastAsianLabels.
type eastAsianLabel struct {
	label
	word string
}

var eastAsianTable = sync.OnceValue(func() (table []eastAsianLabel) {
	for _, l := range eastAsianLabels {
		for _, w := range strings.Fields(plain(l.words)) {
			table = append(table, eastAsianLabel{l.label, w})
		}
	}
	return table
})

// weight ranks the kinds within one phrase: "best before" outranks its "before", "à
// consommer de préférence avant" outranks "consommer".
var weight = map[Kind]int{Expiry: 1, UseBy: 2, BestBefore: 3}

// phrase adds the kind of one more word: a word of the same family makes the phrase more
// specific, another begins a new phrase.
func phrase(said []Kind, k Kind) []Kind {
	if n := len(said); n > 0 {
		last := said[n-1]
		switch {
		case last == k, weight[last] > 0 && weight[k] > 0 && weight[k] <= weight[last]:
			return said
		case weight[last] > 0 && weight[k] > 0:
			said[n-1] = k
			return said
		}
	}
	return append(said, k)
}
