package web

import (
	"bytes"
	"fmt"
)

// Bounds of a JSON body. A decoder takes up to 400 bytes of memory for a value of two bytes,
// and some stack for each level, so that a body of one MB could take a hundred.
const (
	maxJSONValues = 10_000
	maxJSONDepth  = 64
)

// CheckJSON returns an error if data, a JSON text that need not be valid, has more values or
// levels than any request here needs. It takes no memory.
func CheckJSON(data []byte) error {
	values, depth := 1, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = closingQuote(data, i)
		case '{', '[':
			values++
			depth++
		case '}', ']':
			depth--
		case ',', ':':
			values++
		}
		if depth > maxJSONDepth {
			return fmt.Errorf("%w is JSON of more than %d levels: send it flatter", ErrBody, maxJSONDepth)
		}
		if values > maxJSONValues {
			return fmt.Errorf("%w is JSON of more than %d names and values: send fewer", ErrBody, maxJSONValues)
		}
	}
	return nil
}

// closingQuote returns the index of the quote that ends the string which begins at data[i],
// or len(data) if there is none.
func closingQuote(data []byte, i int) int {
	begin := i + 1
	for {
		n := bytes.IndexByte(data[i+1:], '"')
		if n < 0 {
			return len(data)
		}
		i += 1 + n
		text := bytes.TrimRight(data[begin:i], `\`)
		if (i-begin-len(text))%2 == 0 { // an odd number of backslashes escapes the quote
			return i
		}
	}
}
