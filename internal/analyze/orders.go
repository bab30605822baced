package analyze

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A rule finds one way to give orders to a reader or a machine. The match is
// looked for only where the text holds one of cues: most packs hold none.
type rule struct {
	cues  []string
	match func() *regexp.Regexp // made when a cue stands in a photo: most never are
}

// orders tells which of lines read like orders to whoever reads the photo: what
// they say never supports anything. An order may run over several lines. What a
// pack asks of its buyer (Shake well, 흔들어 드세요) is none, nor is a web address.
func orders(lines []Line) []bool {
	text, starts := running(lines)
	found := make([]bool, len(lines))
	for _, r := range rules {
		if !slices.ContainsFunc(r.cues, func(cue string) bool { return strings.Contains(text, cue) }) {
			continue
		}
		for _, m := range r.match().FindAllStringIndex(text, -1) {
			if negated(text[:m[0]]) {
				continue
			}
			for i := range lines {
				if starts[i] < m[1] && m[0] < starts[i+1]-1 {
					found[i] = true
				}
			}
		}
	}
	for i := 1; i < len(lines); i++ {
		found[i] = found[i] || found[i-1] && unended(text[starts[i-1]:starts[i]-1])
	}
	return blocked(lines, found)
}

// blocked adds to found the lines that belong to the same block of text as an
// order: the next or the one before it in the list, of about its height, and less
// than a line's height away.
func blocked(lines []Line, found []bool) []bool {
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(lines); i++ {
			if found[i] != found[i-1] && lines[i-1].beside(lines[i]) {
				found[i-1], found[i], changed = true, true, true
			}
		}
	}
	return found
}

// beside reports that m is the line below or above l, in print of the same size.
func (l Line) beside(m Line) bool {
	a, b := l.Box, m.Box
	if a == nil || b == nil || l.Photo != m.Photo {
		return false
	}
	high, low := max(a[2]-a[0], b[2]-b[0]), min(a[2]-a[0], b[2]-b[0])
	gap := max(a[0], b[0]) - min(a[2], b[2])
	return low >= 0.7*high && gap < high && a[1] < b[3] && b[1] < a[3]
}

// isOrder reports that s reads like an order.
func isOrder(s string) bool { return orders([]Line{{Text: s}})[0] }

// running is the text of lines, one below the other, as the rules are written:
// lower case, no marks, NFKC. Line i runs from starts[i] to the line feed before
// starts[i+1].
func running(lines []Line) (text string, starts []int) {
	var b strings.Builder
	for _, l := range lines {
		starts = append(starts, b.Len())
		b.WriteString(unmarked(l.Text))
		b.WriteByte('\n')
	}
	return b.String(), append(starts, b.Len())
}

// unmarked is s as the rules are written. Most print needs no more than lower
// case: ASCII, Hangul, kana and Han have no marks of their own in NFC.
func unmarked(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x80 && !('\uac00' <= r && r <= '\ud7a3') && !('\u3040' <= r && r <= '\u30ff') && !('\u4e00' <= r && r <= '\u9fff')
	}) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x3000 { // not the voicing of kana
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFKC.String(s)
}

// negated reports that what follows before is forbidden, not asked for: never
// ignore the safety instructions.
func negated(before string) bool {
	words := strings.Fields(before[max(0, len(before)-20):]) // the longest is shorter
	if len(words) == 0 {
		return false
	}
	return slices.Contains([]string{"not", "never", "don't", "dont", "nicht", "pas", "no", "non", "nunca", "nao"}, words[len(words)-1])
}

// unended reports that the line of an order goes on in the next one: "the brand
// of this product is:".
func unended(line string) bool { return openEnd().MatchString(line) }

var openEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:[:=,{\[(>-]|\b(?:is|to|as|the|and|with|brand|name|ist|zu|und|est|es|y|de))\s*$`)
})

// field is a name of the answer's fields, as people and machines write it.
const field = `(?:product[ _-]?name|brand(?:[ _]name)?|category|confidence|source|gtin|error|probability|expir\w*(?:[ _]date)?|known_product|` +
	`marke|produktname|marque|nom du produit|marca|nombre del producto|nome do produto|` +
	`브랜드(?:명)?|상표(?:명)?|제품명|상품명|신뢰도|소비기한|유통기한|ブランド(?:名)?|商品名|製品名|信頼度|品牌|产品名称|商品名称)`

func compiled(pattern string, cues ...string) rule {
	return rule{cues: cues, match: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?ms)` + pattern) })}
}

var rules = []rule{
	// For machines: the names of our fields and tools, assignments, JSON, roles.
	compiled(`\b(?:product_name|name_as_printed|brand_as_printed|brand_confidence|product_name_confidence|visible_text|key_features|image_features|`+
		`known_product|products_seen|sub_brands|expiration_date|image_analysis|rag_confidence|local_db|image_analyzer|rag_agent|`+
		`search_local_db|save_to_local_db|google_search|tool_calls?|tool_code|function_calls?|system_prompt|system_instruction)\b`, "_"),
	compiled(field+`["'”’]?\s*(?:=|:=|=>|->|←|→)`, "=", "->", "→", "←"),
	compiled(`["'“‘]`+field+`["'”’]\s*:`, `"`, `'`, `“`, `‘`),
	compiled(`\{[^{}]{0,200}["'“]\w+["'”]\s*:`, "{"),
	compiled(`^\W*(?:system|assistant|developer|시스템|어시스턴트|システム|アシスタント|系统|系統|systeme|sistema)\s*(?:prompt|message|note|메시지|프롬프트)?\s*[:>]`, ":", ">"),
	compiled(`<\|?/?(?:im_start|im_end|system|assistant|instructions?|prompt|endoftext)\|?>|\[/?inst\]|^#+ *(?:system|instructions?)\b`, "<", "[", "#"),
	compiled(`unable to identify product image`, "unable to identify"),

	// English.
	compiled(`\b(?:ignor(?:e|ing)|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|previous|prior|above|commands?|guidelines|what you (?:were|see|read))\b`,
		"ignor", "disregard", "forget", "override", "bypass"),
	compiled(`\byou are (?:now|no longer|an? (?:\w+ )?(?:ai|assistant|language model|model|bot|chatbot|agent))\b|\b(?:act as|pretend (?:to be|that|you)|from now on,? (?:you|answer|say))\b`,
		"you are", "act as", "pretend", "from now on"),
	compiled(`\b(?:answer|respond|reply)\b (?:only |exactly |just |always )*(?:with|that|as|in json)\b`, "answer", "respond", "reply"),
	compiled(`\b(?:set|change|make|write|put|report|return|output|use)\b (?:only )?(?:the |its |this )?`+field+`\b.{0,12}(?:\bto\b|\bas\b|=|:)`,
		"set ", "change ", "make ", "write ", "put ", "report ", "return ", "output ", "use "),
	compiled(`\bthe (?:correct|real|true|actual|right) `+field+`\b.{0,30}\b(?:is|are)\b|`+field+` (?:must|shall|has to) be\b`, "correct", "real", "true", "actual", "right", "must be", "shall be", "has to be"),
	compiled(`\b(?:do not|don't|never|stop) (?:identify|analy[sz]e|recogni[sz]e|classify|describe|read)\b.{0,30}\b(?:product|photo|image|picture|brand|label|text)\b`,
		"identify", "analy", "recogni", "classify", "describe", "read"),
	compiled(`\b(?:dear|attention|note to|hey|hello|message (?:to|for)|instructions? (?:to|for))\b.{0,20}\b(?:ai|llms?|language models?|chatgpt|gpt|gemini|chatbots?|ai (?:models?|assistants?|agents?))\b`,
		" ai", "llm", "model", "gpt", "gemini", "bot"),

	// Korean.
	compiled(`(?:지시|지침|명령|프롬프트).{0,12}(?:무시|잊|따르지)|무시하고.{0,30}(?:답|출력|응답|보고)`, "지시", "지침", "명령", "프롬프트", "무시"),
	compiled(field+`.{0,30}(?:답하|답변|대답|출력|설정|응답|보고하|바꾸|바꿔|변경하)`, "답", "출력", "설정", "보고하", "바꾸", "바꿔", "변경하"),
	compiled(`(?:당신은|너는|넌|귀하는).{0,20}(?:모델|인공지능|ai|비서|도우미|어시스턴트|챗봇)`, "당신은", "너는", "넌", "귀하는"),

	// Japanese and Chinese.
	compiled(`(?:指示|命令|プロンプト|指令|提示).{0,12}(?:無視|忘れ|忽略|无视)|(?:無視|忽略|无视).{0,16}(?:指示|命令|プロンプト|指令|提示)`, "無視", "忘れ", "忽略", "无视"),
	compiled(field+`.{0,30}(?:と答え|と回答|と出力|に設定|に変更|と報告|と記入)`, "答え", "回答", "出力", "設定", "変更", "報告", "記入"),
	compiled(`(?:あなたは|你是|您是|你现在是).{0,20}(?:ai|モデル|人工知能|アシスタント|模型|助手)`, "あなたは", "你是", "您是", "你现在是"),

	// German, French, Spanish, Italian, Portuguese.
	compiled(`\b(?:ignorier\w*|missacht\w*|vergiss|vergessen sie)\b.{0,40}(?:anweisung|instruktion|befehl|vorgabe|prompt|vorherig|obig|bisherig)`, "ignorier", "missacht", "vergiss", "vergessen"),
	compiled(`\b(?:du bist|sie sind) (?:jetzt|nun|eine?)\b.{0,20}\b(?:ki|modell|assistent|bot)|\bantworte\w*\b (?:nur |ausschliesslich )*(?:mit|dass)|\bsetze\b.{0,20}`+field,
		"du bist", "sie sind", "antworte", "setze"),
	compiled(`\b(?:ignore[zr]?|oublie[zr]?|ne ten\w+ pas compte)\b.{0,40}(?:instruction|consigne|ordre|directive|precedent|prompt)`, "ignore", "oubli", "pas compte"),
	compiled(`\b(?:tu es|vous etes) (?:maintenant|desormais|une?)\b.{0,20}\b(?:modele|assistante?|ia|robot)|\b(?:reponds|repondez)\b (?:uniquement |seulement )*(?:avec|par|que)`,
		"tu es", "vous etes", "repond"),
	compiled(`\b(?:ignor[ae]\w*|olvid[ae]\w*|hag?[az] caso omiso|desconsider[ae]\w*|dimentica\w*)\b.{0,40}(?:instruccion|instruc|indicacion|orden|anterior|istruzion|precedent|comand|prompt)`,
		"ignor", "olvid", "omiso", "desconsider", "dimentica"),
	compiled(`\b(?:eres|ahora eres|voce e|tu sei|sei ora)\b.{0,24}\b(?:modelo|modello|asistente|assistente|ia|bot)\b|\bresponda?\b (?:solo |solamente |apenas )*(?:con|que|com)\b`,
		"eres", "voce e", "tu sei", "sei ora", "respond"),
}
