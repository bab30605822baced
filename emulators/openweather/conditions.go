package openweather

import (
	"net/url"
	"strconv"
	"strings"
)

// count is cnt, all steps unless it is said.
func count(q url.Values) int {
	if n, err := strconv.Atoi(q.Get("cnt")); err == nil && n > 0 {
		return min(n, steps)
	}
	return steps
}

// languages are those whose descriptions are here, in their order, by the service's
// own codes. It has more; English stands for them.
var languages = []string{"en", "kr", "vi", "ja", "de", "fr", "es", "zh_cn", "ru", "it", "cz"}

// languageOf returns the tag of a code of the service.
func languageOf(code string) string {
	switch code {
	case "kr":
		return "ko"
	case "cz":
		return "cs"
	case "zh_cn", "zh_tw":
		return "zh"
	case "sp":
		return "es"
	case "ua":
		return "uk"
	}
	return code
}

// A condition is one of openweathermap.org/weather-conditions.
type condition struct {
	main, icon   string
	descriptions []string // in the order of languages
}

func (c condition) in(lang string) string {
	if lang == "sp" {
		lang = "es"
	}
	for i, l := range languages {
		if l == lang {
			return c.descriptions[i]
		}
	}
	return c.descriptions[0]
}

func described(main, icon, descriptions string) condition {
	return condition{main, icon, strings.Split(descriptions, "|")}
}

var conditions = map[int]condition{
	200: described("Thunderstorm", "11", "thunderstorm with light rain|가벼운 비를 동반한 천둥구름|cơn dông kèm mưa nhẹ|小雨と雷雨|Gewitter mit leichtem Regen|orage et pluie fine|tormenta con lluvia ligera|雷阵雨|гроза с небольшим дождём|temporale con pioggia leggera|bouřka se slabým deštěm"),
	201: described("Thunderstorm", "11", "thunderstorm with rain|비를 동반한 천둥구름|cơn dông kèm mưa|雷雨|Gewitter mit Regen|orage et pluie|tormenta con lluvia|雷阵雨伴有降雨|гроза с дождём|temporale con pioggia|bouřka a déšť"),
	211: described("Thunderstorm", "11", "thunderstorm|뇌우|dông|雷雨|Gewitter|orage|tormenta|雷暴|гроза|temporale|bouřka"),
	300: described("Drizzle", "09", "light intensity drizzle|가벼운 이슬비|mưa phùn nhẹ|霧雨|leichtes Nieseln|bruine légère|llovizna ligera|小毛毛雨|лёгкая морось|pioviggine leggera|slabé mrholení"),
	500: described("Rain", "10", "light rain|실 비|mưa nhẹ|小雨|leichter Regen|légère pluie|lluvia ligera|小雨|небольшой дождь|pioggia leggera|slabý déšť"),
	501: described("Rain", "10", "moderate rain|보통 비|mưa vừa|適度な雨|mäßiger Regen|pluie modérée|lluvia moderada|中雨|дождь|pioggia moderata|mírný déšť"),
	502: described("Rain", "10", "heavy intensity rain|강한 비|mưa cường độ nặng|強い雨|sehr starker Regen|forte pluie|lluvia de gran intensidad|大雨|сильный дождь|forte pioggia|silný déšť"),
	600: described("Snow", "13", "light snow|가벼운 눈|tuyết nhẹ|小雪|mäßiger Schnee|légères chutes de neige|nevada ligera|小雪|небольшой снег|neve leggera|slabé sněžení"),
	601: described("Snow", "13", "snow|눈|tuyết|雪|Schnee|chutes de neige|nieve|雪|снег|neve|sněžení"),
	602: described("Snow", "13", "heavy snow|강한 눈|tuyết nặng hạt|大雪|heftiger Schneefall|fortes chutes de neige|nevada intensa|大雪|сильный снегопад|forte nevicata|husté sněžení"),
	611: described("Snow", "13", "sleet|진눈깨비|mưa tuyết|みぞれ|Graupel|neige fondue|aguanieve|雨夹雪|мокрый снег|nevischio|déšť se sněhem"),
	741: described("Fog", "50", "fog|안개|sương mù|霧|Nebel|brouillard|niebla|雾|туман|nebbia|mlha"),
	800: described("Clear", "01", "clear sky|맑음|bầu trời quang đãng|晴天|Klarer Himmel|ciel dégagé|cielo claro|晴|ясно|cielo sereno|jasno"),
	801: described("Clouds", "02", "few clouds|약간의 구름이 낀 하늘|mây thưa|薄い雲|Ein paar Wolken|peu nuageux|algo de nubes|晴，少云|небольшая облачность|poche nuvole|skoro jasno"),
	802: described("Clouds", "03", "scattered clouds|구름조금|mây rải rác|雲|Mäßig bewölkt|partiellement nuageux|nubes dispersas|多云|переменная облачность|nubi sparse|polojasno"),
	803: described("Clouds", "04", "broken clouds|튼구름|mây cụm|曇りがち|Überwiegend bewölkt|nuageux|muy nuboso|多云|облачно с прояснениями|nubi sparse|oblačno"),
	804: described("Clouds", "04", "overcast clouds|온흐림|mây đen u ám|厚い雲|Bedeckt|couvert|nubes|阴，多云|пасмурно|cielo coperto|zataženo"),
}
