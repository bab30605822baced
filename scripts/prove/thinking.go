package main

import (
	"fmt"
	"slices"

	"example.com/whatis/internal/app"
)

// thinking returns facts about thinking levels and budgets: those that are configured first.
func (m models) thinking(questions []app.AgentQuestions) []Fact {
	level := func(l string) object { return config(object{"thinkingConfig": object{"thinkingLevel": l}}) }
	var levels []sending
	for _, l := range []string{"MINIMAL", "LOW", "MEDIUM", "HIGH"} {
		levels = append(levels, m.both(l, level(l))...)
	}
	return []Fact{
		{"thinking_configured", "each model takes the thinking that is configured for what it is asked", "internal/gemini/settings.go", takes(m.configured(questions)...)},
		{"thinking_levels", "the models that read and judge take all four levels of thinking", modelsFile, takes(levels...)},
		{"thinking_38", "gemini-3.8-flash takes no minimal thinking, and low", modelsFile, both(
			refuses(400, m.ask("MINIMAL", "gemini-3.8-flash", level("MINIMAL"))), takes(m.ask("LOW", "gemini-3.8-flash", level("LOW"))))},
		{"thinking_one", "a level and a budget together are 400", rulesFile, refuses(400, m.ask("", m.judge, config(object{"thinkingConfig": object{"thinkingLevel": "LOW", "thinkingBudget": 512}})))},
		{"thinking_zero", "gemini-3.5-flash-lite takes no budget of 0", modelsFile, refuses(400, m.ask("", "gemini-3.5-flash-lite", config(object{"thinkingConfig": object{"thinkingBudget": 0}})))},
	}
}

// configured sends each model one request for each thinking level configured for it.
func (m models) configured(questions []app.AgentQuestions) (all []sending) {
	roles := slices.Clone(m.roles)
	for _, agent := range questions {
		for _, q := range agent.Questions {
			roles = append(roles, role{q.Step, q.Model, q.Thinking})
		}
	}
	asked := map[string]bool{}
	for _, r := range roles {
		settings := object{}
		r.think(settings)
		if key := fmt.Sprintf("%s %s", r.model, settings["thinkingConfig"]); !asked[key] {
			asked[key] = true
			all = append(all, generating(r.name, r.model, question(config(settings))))
		}
	}
	return all
}
