// Package agent is what every agent is made of: it adds to the agents of ADK for Go
// (google.golang.org/adk/v2) what they lack.
//
//	Step, a tree of named functions over a state → Run  → Event, Event, … → a stream, a page
//	                                             → Agent → ADK's runner, its page
//	an llmagent of ADK → Guard → session.Event → Translate → Event
//	instruction + values + parts → Prompt: checkpoint, or gemini → T
//	JSON → Skill: checked against Input → In → Run, which emits Events → Out → JSON
//
// An agent that is code is a Step. A step's panic becomes an error, nothing runs after
// an error, and a caller that stops cancels what is under way; Guard gives an agent that
// a model leads the same manners. A Prompt asks a model for a Go type. A Skill is what
// an agent offers to HTTP, OpenAPI, tasks, the command line and other agents'
// protocols. The package knows no agent.
package agent
