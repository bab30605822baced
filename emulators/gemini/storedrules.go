package gemini

import (
	"net/http"
	"regexp"
	"strings"
)

// fileURI matches the URI of a file of the Gemini API.
var fileURI = regexp.MustCompile(`^https://generativelanguage\.googleapis\.com/v1(?:beta|alpha)?/files/([^/?:]+)`)

// filesExist refuses each file of the Gemini API: the emulator keeps none. The
// message as in github.com/googleapis/python-genai issue 1218. URIs of other
// places are taken.
func filesExist(a asked) error {
	for _, c := range a.Contents {
		for _, p := range c.Parts {
			if p.FileData == nil || a.vertex {
				continue
			}
			if m := fileURI.FindStringSubmatch(p.FileData.URI); m != nil {
				return apiError{Code: http.StatusForbidden, Status: "PERMISSION_DENIED",
					Message: "You do not have permission to access the File " + m[1] + " or it may not exist."}
			}
		}
	}
	return nil
}

// cacheExists refuses each cached content: the emulator keeps none. The Gemini
// API answers 403 to a name that was deleted or never was, Vertex AI 404
// (both as users report them).
func cacheExists(a asked) error {
	switch {
	case a.CachedContent == "":
		return nil
	case a.vertex:
		id := a.CachedContent[strings.LastIndexByte(a.CachedContent, '/')+1:]
		return notFound("Not found: cached content metadata for " + id + ".")
	}
	return apiError{Code: http.StatusForbidden, Status: "PERMISSION_DENIED", Message: "CachedContent not found (or permission denied)"}
}
