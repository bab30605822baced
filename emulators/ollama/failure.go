package ollama

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"example.com/whatis/emulators/gemini"
)

// errBroken is the error of a stream that ends before its last piece.
var errBroken = errors.New("the connection ended in the middle of the answer")

// failure returns err as Google would answer, so that clients do what they do with Google:
//
//	the model is not there       404, for which they may have another one
//	a schema that is not served  400 that names the schema: they ask in words
//	another bad request          400
//	too many requests wait       429
//	Ollama fails                 500
//	no connection, a broken one  503
func failure(err error, name string) error {
	var status api.StatusError
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "invalid JSON schema in format"):
		return gemini.Failure(http.StatusBadRequest, "ollama: "+name+" does not serve the response schema")
	case !errors.As(err, &status):
		return gemini.Failure(codeOf(err), fmt.Sprintf("ollama: %s: %v", name, err))
	case status.StatusCode == http.StatusServiceUnavailable: // "server busy, … maximum pending requests exceeded"
		status.StatusCode = http.StatusTooManyRequests
	}
	return gemini.Failure(status.StatusCode, fmt.Sprintf("ollama: %s: %s", name, status.ErrorMessage))
}

// codeOf returns the code of an error without a status: one of the network, or one that
// Ollama reports in the middle of an answer.
func codeOf(err error) int {
	var transport interface{ Timeout() bool }
	if errors.Is(err, errBroken) || errors.As(err, &transport) {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
