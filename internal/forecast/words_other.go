package forecast

import (
	"regexp"
	"sync"
)

// vocabularyOf returns what code knows of the words of a language; of most it knows none.
func vocabularyOf(tag string) vocabulary {
	if w, ok := wordsOf(tag); ok {
		return w.vocabulary
	}
	return others()[baseOf(tag)]
}

// others are the vocabularies of languages of which we know only how values are called, what no
// value of ours is, and that the data have no yesterday.
var others = sync.OnceValue(func() map[string]vocabulary {
	of := func(units, yesterday, between, percent, degree, speed, low, high string) vocabulary {
		return vocabulary{
			units: regexp.MustCompile(`(?:^|[^\p{L}])(?:` + units + `)(?:[^\p{L}]|$)`), yesterday: regexp.MustCompile(`(?:^|[^\p{L}])(?:` + yesterday + `)(?:[^\p{L}]|$)`),
			measured: measuredBy(between, percent, degree, speed, low, high),
		}
	}
	japanese := of(`x`, `x`, `(?:は|が|も)?(?:最大|約|現在)?`, `湿度|降水確率`, `気温|温度`, `風|風速`, `最低(?:気温)?`, `最高(?:気温)?`)
	japanese.units = regexp.MustCompile(`[二三四五六七八九十百〇零]+[一二三四五六七八九十百〇零]*(?:度|パーセント|メートル|ミリ)|パーセント|摂氏|華氏`)
	japanese.yesterday = regexp.MustCompile(`昨日|昨夜|前日`)
	arabic := of(`بالمئة|بالمائة|في المئة|كيلومتر|درجة مئوية|(?:عشر|عشرين|وعشرين|ثلاثين|وثلاثين|أربعين|خمس|خمسة|عشرة) (?:درجة|درجات)`, `أمس|البارحة`, `(?: (?:هي|تبلغ|حوالي|نحو|بسرعة))*:? *`, `الرطوبة|احتمال المطر`, `الحرارة`, `الرياح`, `أدنى درجة حرارة|الصغرى`, `أعلى درجة حرارة|العظمى`)
	return map[string]vocabulary{
		"de": of(`grad|prozent|stundenkilometer|km/h|millimeter|celsius`, `gestern|vortag`, `(?: (?:ist|liegt bei|beträgt|weht mit|erreicht|von|bei|etwa|rund|bis zu))*:? +`, `luftfeuchtigkeit|luftfeuchte|regenwahrscheinlichkeit`, `temperatur`, `wind`, `tiefsttemperatur|niedrigste temperatur|tiefstwert`, `höchsttemperatur|höchste temperatur|höchstwert`),
		"fr": of(`degrés?|pour ?cent|km/h|kilomètres?|millimètres?|celsius`, `hier|la veille`, `(?: (?:est|sont|de|d'environ|souffle|souffle à|à|atteint|environ))*:? +`, `humidité|risque de pluie`, `température`, `vent`, `température la plus basse|minimale?`, `température la plus (?:haute|élevée)|maximale?`),
		"es": of(`grados?|por ciento|km/h|kilómetros?|milímetros?|celsius`, `ayer|anoche`, `(?: (?:es|está|de|del|a|sopla|sopla a|alcanza|unos))*:? +`, `humedad|probabilidad de lluvia`, `temperatura`, `viento`, `temperatura más baja|mínima`, `temperatura más alta|máxima`),
		"hi": of(`डिग्री|प्रतिशत|किलोमीटर`, `बीते कल|कल की तुलना में|कल से ज़्यादा|कल से अधिक`, `(?: (?:है|लगभग|की))* *`, `नमी|बारिश की संभावना`, `तापमान`, `हवा`, `सबसे कम तापमान|न्यूनतम तापमान|न्यूनतम`, `अधिकतम तापमान|अधिकतम`),
		"ru": of(`градус(?:а|ов)?|процент(?:а|ов)?|километр(?:а|ов)?`, `вчера|вчерашн\p{L}+`, `(?: (?:составляет|около|дует|дует со скоростью|со скоростью|достигает|до|—))*:? +`, `влажность|вероятность дождя`, `температура`, `ветер`, `(?:самая низкая|минимальная) температура|минимум`, `(?:самая высокая|максимальная) температура|максимум`),
		"ar": arabic, "ja": japanese,
	}
})
