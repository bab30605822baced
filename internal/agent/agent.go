// Package agent adds steps, prompts and skills to the agents of ADK for Go
// (google.golang.org/adk/v2); every agent of the repository is built with it.
//
//	Step, a tree of named functions over a state → Run  → Event, Event, … → a stream, a page
//	                                             → Agent → ADK's runner, its page
//	an llmagent of ADK → Guard → session.Event → Translate → Event
//	instruction + values + parts → Prompt: checkpoint, or gemini → T
//	JSON → Skill: checked against Input → In → Run, which emits Events → Out → JSON
//
// An agent that is code is a Step. A step's panic becomes an error, nothing runs after
// an error, and a caller that stops iterating cancels the run; Guard gives an agent that
// a model leads the same behaviour. A Prompt asks a model for a Go type. A Skill is what
// an agent offers to HTTP, OpenAPI, tasks, the command line and agent protocols. The
// package depends on no agent.
package agent
