// Command cmd serves the function that FUNCTION_TARGET names, at PORT of HOST, or
// of every address if that is not set.
package main

import "example.com/whatis/function"

func main() { function.Main() }
