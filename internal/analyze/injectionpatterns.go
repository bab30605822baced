package analyze

import "regexp"

// An injectionPattern matches text that steers a model and is not found on packs.
// It is tried only if the text contains one of cues: most packs have none.
type injectionPattern struct {
	cues  []string
	match func() *regexp.Regexp
	order bool // counts only at the start of a sentence, and without a condition
}

func injected(pattern string, cues ...string) injectionPattern {
	return injectionPattern{cues: cues, match: lazily(`(?m)` + pattern)}
}

// ordered is a pattern for an order, which is an attack only if it stands alone. After
// "If you received a previous manual," or "Draw a card and", or before "if" or "of the old
// leaflet", it speaks to people.
func ordered(pattern string, cues ...string) injectionPattern {
	p := injected(pattern, cues...)
	p.order = true
	return p
}

// Words that several patterns share. The text is lower case and has no marks.
const (
	clauseEnd     = `[ ]*(?:$|[.,;:!?…"'“”‘’»)\]}>*。，、；：！？])`
	addressed     = `[ ]*(?:$|[.,;:!，。：！])` // ends an address
	languageModel = `(?:llms?|vlms?|multimodal models?|language models?)(?:` + addressed + `|\s+reading\b)`
	everyOne      = `(?:(?:all|any|every|each|the|of|your|my|these|those)\s+)*`
	answers       = `(?:say|answer|respond|reply|output|sag[et]?|sagen|antworte[nt]?|nenn[et]?|nennen|reponds|repondez|dis|dites|di|diga|responde|responda|rispondi|rispondete|tra loi)\b`
	orderEnd      = `(?:` + clauseEnd + `|\s+(?:and|then|und|et|y|e|va)\s+(?:then\s+|only\s+)*` + answers + `|\s+you\s+(?:were|have been)\s+(?:given|told)\b)`
	only          = `(?:only|exclusively|ausschlie(?:ß|ss)lich|nur|uniquement|solo|solamente|soltanto|apenas|somente)`
	koreanOrders  = `(?:지시|명령|프롬프트|지침)(?:사항|문|어|들)*(?:을|를|은|는)?\s?(?:모두|전부|다|모조리|완전히)?\s?`
)

// injectionPatterns are few and precise: testdata/honest_lines.txt and honest_texts.txt
// have harmless lines in ten languages that resemble them, of which at most one in 100 and
// one in 200 may be marked. image_analyzer is to mark what the patterns miss.
var injectionPatterns = []injectionPattern{
	// Names from this program: fields of its answers, its steps and tools.
	injected(`\b(?:product_name(?:_confidence)?|brand_confidence|name_as_printed|brand_as_printed|visible_text|machine_directed|`+
		`key_features|image_features|known_product|not_product|products_seen|sub_brands|expiration_date|image_analysis|image_analyzer|`+
		`rag_agent|rag_confidence|(?:search_|save_to_)?local_db|google_search|tool_calls?)\b|`+
		`\b(?:tool_code|function_calls?|system_prompts?|system_instructions?)\s*[:=(]`, "_"),
	// A member of a JSON object: nothing but its value follows.
	injected(`["'“”‘’](?:product[ _-]?name|brand(?:[ _-]name)?|gtin)["'“”‘’]\s*:\s*(?:[\[{]|(?:["“”][^"“”\n]*["“”]|['‘’][^'‘’\n]*['‘’]|\d+)[ ]*(?:$|[}\]]|,[ ]*(?:$|["'“”‘’{])))`,
		`":`, `" :`, `':`, `' :`, "”:", "” :", "’:", "’ :"),
	// A confidence without a unit. That of a statistical test may be 0.95, and is never 1.
	injected(`\bconfidence(?:\s+(?:score|is|to|of|at|as))*\s*[=:]?\s*1\.0+[ ]*(?:$|[.}])`, "confidence"),
	injected(`\b(?:report|`+answers+`)[^.\n]{0,30}\bconfidence(?:\s+(?:score|of|at))*\s*[=:]?\s*0\.9\d*`, "confidence"),
	injected(`\bunable\s+to\s+identify\s+product\s+image\b`, "unable"),

	// Marks of chat templates. "[INST]" alone is an instrument's socket.
	injected(`<\|[a-z_]{3,}\|>|<(?:start|end)_of_turn>|\[inst\][^\[\]]*\[/inst\]|\[/inst\]|<<\s*/?sys\s*>>|</(?:system|assistant|instructions?|prompt)>|`+
		`^#{2,} *(?:system|instruction|response) *:`, "|>", "_turn>", "inst]", "<<", "</", "##"),

	// Addressing a language model. "Powered by a large language model" does not.
	injected(`\b(?:attention|note\s+to|notice\s+to|(?:message|instructions?)\s+(?:to|for)|dear|hey|hello|if\s+you\s+are|you\s+are(?:\s+now)?)[\s,:]+`+
		`(?:(?:all|any|the|every|an?|large|ai|vision)\s+)*`+languageModel, "model", "llm", "vlm"),
	injected(`\b(?:an|note|nachricht|message|mensaje|messaggio|mensagem|attention|achtung|atencion|attenzione)\b[\s,:]+(?:\p{L}+\s+){0,2}`+
		`(?:sprachmodelle?n?|modeles? de langage|modelos? de lenguaje|modell[oi] linguistic[oi]|modelos? de linguagem)`+addressed,
		"sprachmodell", "langage", "lenguaje", "linguistic", "linguagem"),
	injected(`(?:언어\s?모델(?:들)?에게|言語モデル(?:へ|に告ぐ|宛)|致(?:所有)?大?(?:型)?(?:语言|語言)模型)`+addressed+`|언어\s?모델은\s?들`, "모델", "モデル", "模型"),
	ordered(`\b`+answers+`\s+(?:\p{L}+\s+){0,2}?`+only+`\s+(?:\p{L}+\s+){0,3}json\b`, "json"),

	// "Ignore previous instructions". Warnings about ignoring "the above" are on
	// many packs, so that "above" counts only before what is to be answered.
	ordered(`\b(?:ignore|disregard|forget|override|bypass)\s+`+everyOne+`(?:previous|prior|preceding|earlier)\s+(?:system\s+)?`+
		`(?:instructions?|prompts?|directives)`+orderEnd, "ignore", "disregard", "forget", "override", "bypass"),
	ordered(`\b(?:ignore|disregard|forget)\s+`+everyOne+`above(?:\s+(?:instructions?|text|prompts?))?[\s,.;:]+(?:and\s+|then\s+)*`+answers, "above"),
	ordered(`\b(?:(?:disregard|forget|reveal)\s+`+everyOne+`system\s+prompt\b|(?:ignore|override|bypass)\s+`+everyOne+`system\s+prompt`+orderEnd+`)`, "system"),
	ordered(`(?:이전|앞선|기존|지금까지|위|상기|앞)(?:의|에|에\s?(?:있는|적힌))?\s?(?:(?:받은|내린|주어진|모든|시스템)\s?)*`+koreanOrders+
		`(?:(?:무시(?:하세요|하십시오|하시오|하라|해라|해\s?줘|해\s?주세요)|잊(?:으세요|어(?:라|버려)?))`+clauseEnd+`|(?:무시하고|잊고)[^.\n]{0,30}(?:답하|답변|대답|출력하|응답하|보고하))`, "무시", "잊"),
	ordered(`(?:以前|これまで|今まで|前|上記)の(?:すべての|全ての|あらゆる)?(?:指示|命令|プロンプト)(?:を|は)?(?:すべて|全て|全部|一切)?`+
		`(?:(?:(?:無視し|忘れ)て(?:ください|下さい)|無視せよ|無視しろ)`+clauseEnd+`|(?:無視し|忘れ)て[、,]?[^。\n]{0,30}(?:答え|回答|出力|報告))|システムプロンプトを無視(?:して|せよ|しろ)`, "無視", "忘れ"),
	ordered(`(?:忽略|无视|無視|忘记|忘記|忘掉)(?:掉)?(?:所有|全部|一切)?(?:之前|以前|以上|上述|上面|前面|先前|此前)的?(?:所有|全部|一切|任何)?的?`+
		`(?:指令|指示|提示词|提示詞|命令)`+orderEnd, "忽略", "无视", "無視", "忘"),
	ordered(`\b(?:ignoriere(?:n\s+sie)?|ignoriert|vergiss|vergessen\s+sie)\s+(?:bitte\s+)?(?:(?:alle|samtliche|die|deine|ihre)\s+)*`+
		`(?:vorherigen|vorigen|bisherigen|vorangegangenen|fruheren)\s+(?:anweisungen|instruktionen|befehle|vorgaben|prompts)`+orderEnd, "ignorier", "verg"),
	ordered(`\b(?:ignore[zr]?|oublie[zs]?|ne\s+ten(?:ez|s)\s+(?:pas|aucun)\s+compte)\s+(?:(?:de|des|les|tes|vos|toutes|tous|ces)\s+)*`+
		`(?:instructions?|consignes?|directives?|ordres)\s+(?:precedente?s|anterieure?s)`+orderEnd, "precedent", "anterieur"),
	ordered(`\b(?:ignor[ae]n?|olvid[ae]n?|(?:haz|haga)\s+caso\s+omiso\s+de|desconsidere|esqueca|dimentica|ignorate|dimenticate)\s+`+
		`(?:(?:todas|todos|tutte|tutti|las|los|le|i|as|os|sus|tus)\s+)*`+
		`(?:instrucciones|indicaciones|ordenes|instrucoes|ordens|istruzioni|indicazioni)\s+(?:anteriores|previas|precedentes|precedenti)`+orderEnd,
		"anterior", "previas", "precedent"),
	ordered(`\b(?:bo qua|quen)\s+(?:(?:tat ca|moi|cac|nhung)\s+)*(?:chi dan|chi thi|huong dan|menh lenh|lenh)\s+truoc\s+(?:đo|đay)`+orderEnd, "truoc"),
}
