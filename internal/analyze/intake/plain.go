package intake

import "regexp"

// names are the packages and agents that errors name before what they say.
var names = regexp.MustCompile(`(^|: )(?:(?:agent|analyze|product_analyzer|image_analyzer|rag_agent|gemini|intake|photo|blob|api|load|batch|work): )+`)

// Plain is the text of err for people, without the names of packages before it.
func Plain(err error) string { return names.ReplaceAllString(err.Error(), "$1") }
