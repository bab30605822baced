package app

import (
	"cmp"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/search"
)

// AgentQuestions are an agent's questions to models with a structured answer.
type AgentQuestions struct {
	Agent     string
	Questions []agent.Question
}

// Questions returns the questions of all agents as configured, enabled or not.
func (c Config) Questions() ([]AgentQuestions, error) {
	var all []AgentQuestions
	for _, agent := range []struct {
		name string
		of   func() ([]agent.Question, error)
	}{
		{"analyze", func() ([]agent.Question, error) { return analyze.Questions(c.Analyze.models()) }},
		{"search", func() ([]agent.Question, error) {
			return search.Questions(cmp.Or(c.Search.Model, c.Analyze.ImageModel))
		}},
		{"forecast", func() ([]agent.Question, error) { return forecast.Questions(c.forecastModels()) }},
		{"discover", func() ([]agent.Question, error) { return discover.Questions(c.Discover.models()) }},
	} {
		questions, err := agent.of()
		if err != nil {
			return nil, err
		}
		all = append(all, AgentQuestions{agent.name, questions})
	}
	return all, nil
}
