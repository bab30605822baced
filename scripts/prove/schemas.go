package main

import (
	"fmt"
	"strings"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// schemas are taken as this project's client sends them, each by the model that gets it
// and with the thinking that it is asked with: one fact an agent.
func (m models) schemas(questions []app.AgentQuestions) (facts []Fact) {
	for _, agent := range questions {
		var steps []string
		var all []sending
		for _, q := range agent.Questions {
			settings := object{"responseMimeType": "application/json"}
			role{q.Step, q.Model, q.Thinking}.think(settings)
			wire, err := gemini.WireSchema(q.Schema)
			if err != nil {
				wire = fmt.Appendf(nil, "%q", err) // which the service refuses, so that it is told
			}
			settings["responseJsonSchema"] = wire
			steps = append(steps, q.Step)
			all = append(all, generating(q.Step, q.Model, question(object{
				"contents":         []any{turn("user", "There is nothing to report on: leave every text and list empty, every number 0.")},
				"generationConfig": settings,
			})))
		}
		facts = append(facts, Fact{
			"schemas_" + agent.Agent, fmt.Sprintf("the answer schemas of %s are taken: %s", agent.Agent, strings.Join(steps, ", ")), "internal/gemini/schema.go", takes(all...),
		})
	}
	return facts
}
