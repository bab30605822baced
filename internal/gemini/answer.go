package gemini

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/genai"
)

// emulatedVersion is the model version in an emulator's answers, whatever model was
// requested; names of emulated models begin with emulatedPrefix, those of models that an
// emulator asks on this machine with localPrefix.
const (
	emulatedVersion = "emulated"
	emulatedPrefix  = "emulated-"
	localPrefix     = "local-"
)

func isEmulated(model string) bool { return strings.HasPrefix(baseName(model), emulatedPrefix) }

func isLocal(model string) bool { return strings.HasPrefix(baseName(model), localPrefix) }

// isFree reports whether no service is asked and nothing paid.
func isFree(model string) bool { return isEmulated(model) || isLocal(model) }

func notAllowed(model string) *Error {
	return &Error{Kind: Emulated, Model: model, Err: errors.New("an emulated model where a real one is expected")}
}

// allowed refuses an emulator's answer where a real one is required.
func (c *Client) allowed(model, version string) error {
	if version == emulatedVersion && !c.config.AllowEmulated {
		return notAllowed(model)
	}
	return nil
}

// responseOf converts an answer of the service to a Response. It returns the Response with
// an error too, for its usage and queries, which are charged. An answer in which answered
// finds nothing is Malformed.
func responseOf(model string, raw *genai.GenerateContentResponse, answered func(*genai.Content) bool) (*Response, error) {
	r := &Response{Model: model, ModelVersion: raw.ModelVersion, Usage: usageOf(raw.UsageMetadata)}
	var candidate *genai.Candidate
	if len(raw.Candidates) > 0 {
		candidate = raw.Candidates[0]
	}
	if candidate != nil { // also for an unusable answer: its searches are charged
		r.FinishReason = string(candidate.FinishReason)
		r.Text = textOf(candidate.Content)
		r.ground(candidate.GroundingMetadata)
	}
	var err *Error
	if feedback := raw.PromptFeedback; feedback != nil && feedback.BlockReason != "" {
		err = blockError(feedback.BlockReason)
	}
	switch {
	case err != nil:
	case candidate == nil:
		err = &Error{Kind: Malformed, Err: errors.New("an answer without candidates")}
	default:
		err = finishError(candidate.FinishReason, answered(candidate.Content))
	}
	if err == nil {
		return r, nil
	}
	err.Model = model
	return r, err
}

// blockError returns the error for the reason why a prompt was refused, nil for one that is
// not known here: the list is open.
func blockError(reason genai.BlockedReason) *Error {
	e := &Error{Kind: Blocked, Reason: string(reason), Err: errors.New("the service refuses the prompt")}
	switch reason {
	case genai.BlockedReasonSafety, genai.BlockedReasonBlocklist, genai.BlockedReasonProhibitedContent,
		genai.BlockedReasonImageSafety, genai.BlockedReasonModelArmor, genai.BlockedReasonJailbreak:
		return e
	case genai.BlockedReasonOther:
		e.onceMore = true
		return e
	}
	return nil
}

// malformedEnds are the reasons of an answer that is broken, besides those that begin with
// MALFORMED_.
var malformedEnds = []genai.FinishReason{genai.FinishReasonUnexpectedToolCall, genai.FinishReasonTooManyToolCalls, "MISSING_THOUGHT_SIGNATURE"}

// finishError returns the error for the reason why an answer ended. The list of reasons is
// open: an answer that ends for another one counts if there is an answer.
func finishError(reason genai.FinishReason, answered bool) *Error {
	e := &Error{Reason: string(reason)}
	switch {
	case reason == genai.FinishReasonMaxTokens, reason == genai.FinishReasonContinuation:
		e.Kind, e.Err = Truncated, errors.New("the answer was longer than the model may write")
	case reason == genai.FinishReasonSafety, reason == genai.FinishReasonBlocklist, reason == genai.FinishReasonProhibitedContent,
		reason == genai.FinishReasonSPII, reason == genai.FinishReasonImageSafety, reason == genai.FinishReasonImageProhibitedContent:
		e.Kind, e.Err = Blocked, errors.New("the service withholds the answer")
	case reason == genai.FinishReasonRecitation, reason == genai.FinishReasonImageRecitation:
		e.Kind, e.onceMore, e.Err = Blocked, true, errors.New("the service withholds an answer that recites a text")
	case reason == genai.FinishReasonOther, reason == genai.FinishReasonImageOther:
		e.Kind, e.onceMore, e.Err = Malformed, true, errors.New("the model gave up")
	case strings.HasPrefix(string(reason), "MALFORMED_"), slices.Contains(malformedEnds, reason):
		e.Kind, e.Err = Malformed, errors.New("the model gave up")
	case !answered:
		e.Kind, e.Err = Malformed, errors.New("an answer without text")
	default:
		return nil
	}
	return e
}

// hasText reports whether an answer contains text.
func hasText(content *genai.Content) bool { return strings.TrimSpace(textOf(content)) != "" }

// hasAnswer reports whether an answer contains text or anything else besides thoughts, such
// as a function call.
func hasAnswer(content *genai.Content) bool {
	return hasText(content) || content != nil && slices.ContainsFunc(content.Parts, func(p *genai.Part) bool {
		return p != nil && !p.Thought && hasData(p) && p.Text == ""
	})
}

// hasData reports whether a part contains anything besides its signature.
func hasData(p *genai.Part) bool {
	return p.Text != "" || p.FunctionCall != nil || p.FunctionResponse != nil || p.InlineData != nil || p.FileData != nil ||
		p.ExecutableCode != nil || p.CodeExecutionResult != nil || p.ToolCall != nil || p.ToolResponse != nil
}

func textOf(content *genai.Content) string {
	if content == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range content.Parts {
		if p != nil && !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ground copies the sources of the answer. Sources that are not web pages are left out, so
// indices are renumbered.
func (r *Response) ground(g *genai.GroundingMetadata) {
	if g == nil {
		return
	}
	r.Queries = g.WebSearchQueries
	if g.SearchEntryPoint != nil {
		r.SearchSuggestions = g.SearchEntryPoint.RenderedContent
	}
	citation := map[int32]int{}
	for i, chunk := range g.GroundingChunks {
		if chunk != nil && chunk.Web != nil && chunk.Web.URI != "" {
			citation[int32(i)] = len(r.Citations)
			r.Citations = append(r.Citations, Citation{Title: chunk.Web.Title, URI: chunk.Web.URI})
		}
	}
	for _, s := range g.GroundingSupports {
		if support := supportOf(s, citation); len(support.Citations) > 0 {
			r.Supports = append(r.Supports, support)
		}
	}
}

func supportOf(s *genai.GroundingSupport, citation map[int32]int) Support {
	var support Support
	if s == nil || s.Segment == nil {
		return support
	}
	support.Text = s.Segment.Text
	for _, i := range s.GroundingChunkIndices {
		if at, ok := citation[i]; ok {
			support.Citations = append(support.Citations, at)
		}
	}
	return support
}

func usageOf(u *genai.GenerateContentResponseUsageMetadata) Usage {
	if u == nil {
		return Usage{}
	}
	usage := Usage{
		Input:  int(u.PromptTokenCount) + int(u.ToolUsePromptTokenCount),
		Output: int(u.CandidatesTokenCount) + int(u.ThoughtsTokenCount),
	}
	usage.Total = max(int(u.TotalTokenCount), usage.Input+usage.Output)
	return usage
}

// cachedTokens returns how many of the prompt's tokens came from the service's cache.
func cachedTokens(raw *genai.GenerateContentResponse) int {
	if raw.UsageMetadata == nil {
		return 0
	}
	return int(raw.UsageMetadata.CachedContentTokenCount)
}
