package app

import (
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/search"
)

// AgentQuestions are an agent's questions to models with a structured answer.
type AgentQuestions struct {
	Agent     string
	Questions []agent.Question
}

// Questions returns the questions of all agents as configured, enabled or not, and that of A2A.
func (c Config) Questions() ([]AgentQuestions, error) {
	var all []AgentQuestions
	for _, agent := range []struct {
		name string
		of   func() ([]agent.Question, error)
	}{
		{"analyze", func() ([]agent.Question, error) { return analyze.Questions(c.Analyze.models()) }},
		{"search", func() ([]agent.Question, error) {
			return search.Questions(c.queryModel())
		}},
		{"forecast", func() ([]agent.Question, error) { return forecast.Questions(c.forecastModels()) }},
		{"discover", func() ([]agent.Question, error) { return discover.Questions(c.Discover.models()) }},
		{"a2a", func() ([]agent.Question, error) {
			return a2a.Questions(c.queryModel(), []agent.Card{intake.Skill(nil).Card, search.Skill(nil).Card})
		}},
	} {
		questions, err := agent.of()
		if err != nil {
			return nil, err
		}
		all = append(all, AgentQuestions{agent.name, questions})
	}
	return all, nil
}
