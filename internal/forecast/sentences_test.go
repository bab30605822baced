package forecast

import (
	"testing"

	"example.com/whatis/emulators/samples"
)

// Sentences on a day with rain from 6 to 18 o'clock, 6 to 11 °C and a wind of 7.6 m/s, which were
// written without a look at the patterns, which were then mended by some of them: code alone passes a
// quarter of the false ones at most, and
// refuses no honest one.
func TestCodeAlone(t *testing.T) {
	untrue := map[string][]string{
		"en": {
			"Showers move in overnight.",
			"Sunny spells brighten the afternoon.",
			"It will not rain tomorrow.",
			"A dry and bright morning awaits you.",
			"Rain sets in after dark.",
			"The wind howls at storm force.",
			"There will be no wind at all.",
			"Temperatures climb to summer levels, it will be hot.",
			"Snowflakes may fall in the evening.",
			"It is colder than it was yesterday.",
			"The evening is the wettest part of the day.",
			"It pours through the night.",
			"Rain is unlikely in the morning.",
			"Thick fog greets early risers.",
			"It freezes in the morning.",
			"The rain only falls in the afternoon.",
			"You can leave the umbrella at home, it stays dry.",
			"Thunder rumbles in the afternoon.",
			"The rain lasts from midnight to midnight.",
			"A calm day without any breeze.",
		},
		"ko": {
			"밤에 소나기가 지나갑니다.",
			"오후에는 햇살이 비치겠습니다.",
			"내일은 비가 오지 않겠습니다.",
			"맑은 아침이 되겠습니다.",
			"저녁부터 비가 시작됩니다.",
			"폭풍급 바람이 붑니다.",
			"바람 한 점 없는 날입니다.",
			"한여름처럼 덥겠습니다.",
			"저녁에 눈이 내리겠습니다.",
			"어제보다 춥겠습니다.",
			"저녁에 비가 가장 많이 옵니다.",
			"새벽 내내 비가 쏟아집니다.",
			"오전에는 비가 오지 않겠습니다.",
			"이른 아침 짙은 안개가 낍니다.",
			"아침에는 영하로 떨어집니다.",
			"비는 오후에만 내립니다.",
			"우산 없이 외출하셔도 됩니다, 비는 없습니다.",
			"오후에 천둥이 칩니다.",
			"하루 종일 맑겠습니다.",
			"잔잔한 하루가 되겠습니다.",
		},
		"vi": {
			"Ban đêm có mưa rào.",
			"Buổi chiều trời nắng đẹp.",
			"Ngày mai không mưa.",
			"Buổi sáng khô ráo và trong xanh.",
			"Mưa bắt đầu vào buổi tối.",
			"Gió mạnh cấp bão.",
			"Trời lặng gió cả ngày.",
			"Trời nóng như mùa hè.",
			"Buổi tối có tuyết rơi.",
			"Lạnh hơn hôm qua.",
			"Buổi tối mưa nhiều nhất.",
			"Mưa như trút suốt đêm.",
			"Buổi sáng không có mưa.",
			"Sáng sớm có sương mù dày đặc.",
			"Buổi sáng có băng giá.",
			"Mưa chỉ rơi vào buổi chiều.",
			"Trời khô ráo, bạn cứ để ô ở nhà.",
			"Buổi chiều có sấm sét.",
			"Trời quang đãng cả ngày.",
			"Một ngày không có gió.",
		},
	}
	borneOut := map[string][]string{
		"en": {
			"Wet weather dominates the daytime.",
			"Bring a raincoat for the morning.",
			"The evening dries out.",
			"Skies stay grey throughout.",
			"A moderate breeze blows at {wind}.",
			"It is a cool and rainy day.",
			"The heaviest hours come before the evening.",
			"Rain arrives around breakfast.",
			"Take care on slippery roads.",
			"No thunder is expected.",
			"The night before stays dry but cloudy.",
			"Showers are likely in the afternoon.",
			"It feels chilly, so wear a warm coat.",
			"Plan indoor activities until the evening.",
			"There is no need to fear snow.",
			"By evening the rain is over.",
			"Highs reach {high}.",
			"Expect puddles on the pavements.",
			"The air is cool in the morning at {morning_low}.",
			"After dinner you can leave the umbrella closed.",
		},
		"ko": {
			"낮 동안 비가 내립니다.",
			"아침에 우비를 챙기세요.",
			"저녁에는 비가 그칩니다.",
			"하루 종일 하늘이 흐리겠습니다.",
			"바람은 {wind}로 붑니다.",
			"선선하고 비 오는 날입니다.",
			"오전에 비가 시작됩니다.",
			"길이 미끄러우니 조심하세요.",
			"천둥은 없겠습니다.",
			"새벽에는 비가 없고 흐립니다.",
			"오후에 비가 예상됩니다.",
			"쌀쌀하니 따뜻하게 입으세요.",
			"눈 걱정은 없습니다.",
			"최고 기온은 {high}입니다.",
			"오전 최저 기온은 {morning_low}입니다.",
			"저녁 산책은 괜찮습니다.",
			"우산이 필요합니다.",
			"실내 활동을 계획하세요.",
			"비는 {rain_times} 내립니다.",
			"따뜻한 차 한 잔이 어울립니다.",
		},
		"vi": {
			"Ban ngày có mưa.",
			"Sáng nay nhớ mang áo mưa.",
			"Buổi tối tạnh mưa.",
			"Trời nhiều mây suốt ngày.",
			"Gió thổi {wind}.",
			"Một ngày mát mẻ và có mưa.",
			"Mưa bắt đầu từ buổi sáng.",
			"Đường trơn, hãy cẩn thận.",
			"Không có sấm sét.",
			"Ban đêm không mưa nhưng nhiều mây.",
			"Buổi chiều có thể mưa.",
			"Trời se lạnh, hãy mặc ấm.",
			"Không có tuyết đâu.",
			"Cao nhất {high}.",
			"Buổi sáng thấp nhất {morning_low}.",
			"Buổi tối có thể đi dạo.",
			"Bạn cần mang ô.",
			"Hãy ở trong nhà.",
			"Mưa {rain_times}.",
			"Một tách trà nóng rất hợp.",
		},
	}
	h := open(t, nil)
	told, all := 0, 0
	for lang, sentences := range untrue {
		o := h.in(t, samples.Weathers[1], lang)
		for _, s := range sentences {
			if all++; o.untrue(s) == "" {
				told++
				t.Logf("%s: %q is told", lang, s)
			}
		}
		for _, s := range borneOut[lang] {
			if why := o.untrue(s); why != "" {
				t.Errorf("%s: %q is refused: %s", lang, s, why)
			}
		}
	}
	if all != 60 || told > all/4 {
		t.Errorf("%d of %d false sentences are told, want a quarter at most", told, all)
	}
}
