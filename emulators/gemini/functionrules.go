package gemini

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// functionNames by the reference of FunctionDeclaration.name on both services:
// "Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain
// underscores, colons, dots, and dashes, with a maximum length of 64."
var functionNames = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`)

// functionsNamed lists all names that are none, a line each, as the Gemini API
// does (github.com/google-gemini/gemini-cli issue 9535). The other form is that
// of Google's services beside it (github.com/google-gemini/gemini-cli issue 7878).
func functionsNamed(a asked) error {
	var lines []string
	for i, t := range a.Tools {
		for j, f := range t.Functions {
			if functionNames.MatchString(f.Name) {
				continue
			}
			path := fmt.Sprintf("tools[%d].function_declarations[%d].name", i, j)
			if a.vertex {
				lines = append(lines, "  * "+path+": [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.")
				continue
			}
			lines = append(lines, "* GenerateContentRequest."+path+": Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n")
		}
	}
	switch {
	case lines == nil:
		return nil
	case a.vertex:
		return badRequest("The GenerateContentRequest proto is invalid:\n" + strings.Join(lines, "\n"))
	}
	return badRequest(strings.Join(lines, ""))
}

// functionsDeclaredOnce: github.com/googleapis/dotnet-genai issue 189,
// github.com/owndev/Open-WebUI-Functions issue 135.
func functionsDeclaredOnce(a asked) error {
	names := a.functions()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return badRequest("Duplicate function declaration found: " + name)
		}
	}
	return nil
}

// callingConfigured: how functions are called is only said where there are
// some. The Gemini API wants so of every mode but NONE, whatever the other tools
// are (github.com/musistudio/claude-code-router pull request 1207,
// github.com/AstrBotDevs/AstrBot pull request 7407); Vertex AI takes a mode
// that applies to nothing, but "ANY" is "constrained to always predicting a
// function call" (reference of FunctionCallingConfig).
func callingConfigured(a asked) error {
	mode := a.ToolConfig.Calling.mode()
	if a.declares() || mode == "" || mode == "NONE" || a.vertex && mode != "ANY" {
		return nil
	}
	return badRequest("Function calling config is set without function_declarations.")
}

// allowedFunctions: "This should only be set when the Mode is ANY or VALIDATED.
// Function names should match FunctionDeclaration.name" (the reference of the
// Gemini API; that of Vertex AI names ANY alone). The messages are reported for
// both: github.com/tensorzero/tensorzero pull request 4875.
func allowedFunctions(a asked) error {
	c := a.ToolConfig.Calling
	if c == nil || len(c.Allowed) == 0 {
		return nil
	}
	if mode := c.mode(); mode == "AUTO" || mode == "NONE" {
		return badRequest("Please set allowed_function_names only when function calling mode is ANY.")
	}
	declared := a.functions()
	for _, name := range c.Allowed {
		if !slices.Contains(declared, name) {
			return badRequest("allowed_function_names should be a subset of the provided function_declarations.")
		}
	}
	return nil
}

// mode returns how functions are called, AUTO where that is left open and "" where
// nothing is configured. A number, which JSON of protocol buffers allows for an
// enum, is not judged.
func (c *callingConfig) mode() string {
	if c == nil {
		return ""
	}
	switch mode := c.Mode.(type) {
	case nil:
		return "AUTO"
	case string:
		if mode == "MODE_UNSPECIFIED" {
			return "AUTO"
		}
		return mode
	}
	return ""
}

// searchOfToday: Gemini 3 has google_search alone. The Gemini API's message is
// in github.com/vercel/ai issue 10348, Vertex AI's in github.com/genkit-ai/genkit
// issue 1901.
func searchOfToday(a asked) error {
	old := slices.ContainsFunc(a.Tools, func(t tool) bool { return t.SearchRetrieval != nil })
	switch {
	case !old || a.model.isGemini2():
		return nil
	case a.vertex:
		return badRequest("Unable to submit request because Please use google_search field instead of google_search_retrieval field.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini")
	}
	return badRequest("google_search_retrieval is not supported. Please use google_search tool instead.")
}

// parametersValid judges the parameters of functions as a responseSchema: the
// Gemini API's messages about the one and the other are the same but for the path
// (github.com/iBUHub/AIStudioToAPI issue 154, github.com/cline/cline issue 7339).
func parametersValid(a asked) error {
	for i, t := range a.Tools {
		for j, f := range t.Functions {
			if f.Parameters == nil {
				continue
			}
			s := schema{path: fmt.Sprintf("tools[%d].function_declarations[%d].parameters", i, j), typed: !a.vertex}
			if err := s.of(f.Parameters); err != nil {
				return err
			}
		}
	}
	return nil
}
