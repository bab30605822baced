package forecast

import (
	"context"
	_ "embed"
	"fmt"
	"iter"
	"strings"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

//go:embed weather_agent.md
var rootText string

//go:embed weather_studio_team.md
var teamText string

// The names of the agents.
const (
	agentName   = "weather_agent"
	teamName    = "weather_studio_team"
	writerName  = "forecast_writer_agent"
	speakerName = "forecast_speaker_agent"
)

// Agent returns weather_agent. Its team is a tool: a transfer would not come back.
func (p *Pipeline) Agent() (adk.Agent, error) {
	team, err := p.team()
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	tools, err := rootTools()
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	root, err := p.llmAgent(agentName, "says the weather of any place, now or in the next five days", rootText, append(tools, team),
		func(ctx adk.Context, r *model.LLMRequest) (*model.LLMResponse, error) {
			return turnOf(ctx).beforeModel(ctx, r)
		},
		func(ctx adk.Context, r *model.LLMResponse, err error) (*model.LLMResponse, error) {
			return turnOf(ctx).afterModel(ctx, r, err)
		})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return taking{agent.Guard(root), p}, nil
}

// taking gives every message its turn.
type taking struct {
	adk.Agent
	p *Pipeline
}

func (a taking) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	if turnOf(ctx) == nil { // of programs that speak to agents by messages
		var said strings.Builder
		if c := ctx.UserContent(); c != nil {
			for _, part := range c.Parts {
				said.WriteString(part.Text)
			}
		}
		ctx = ctx.WithContext(context.WithValue(ctx, turnKey{}, a.p.newTurn(said.String())))
	}
	return a.Agent.Run(ctx)
}

func (p *Pipeline) llmAgent(name, about, instruction string, tools []tool.Tool, before llmagent.BeforeModelCallback, after ...llmagent.AfterModelCallback) (adk.Agent, error) {
	return llmagent.New(llmagent.Config{
		Name: name, Description: about, Model: p.Gemini.LLM(p.Model, gemini.Options{Thinking: p.Thinking, Key: name}), Tools: tools,
		InstructionProvider:      func(ctx adk.ReadonlyContext) (string, error) { return instructed(ctx, instruction), nil },
		DisallowTransferToParent: true, DisallowTransferToPeers: true, Mode: llmagent.ModeChat,
		BeforeModelCallbacks: []llmagent.BeforeModelCallback{before}, AfterModelCallbacks: after,
	})
}

// instructed is the instruction in the language of the turn.
func instructed(ctx context.Context, instruction string) string {
	lang := "en"
	if j := jobOf(ctx); j != nil {
		lang = j.variant.lang
	} else if t := turnOf(ctx); t != nil {
		lang = t.lang
	}
	return instruction + "\nSpeak " + languageName(lang) + " (" + lang + ")."
}

// team is writer → speaker, as a tool that is shared.
func (p *Pipeline) team() (tool.Tool, error) {
	var members []adk.Agent
	for _, m := range []struct {
		name, about, instruction string
		tools                    func() ([]tool.Tool, error)
		idle                     func(*job) bool
	}{
		{writerName, "writes the forecast", teamWriterText(), writerTools, func(j *job) bool { return j.outlook == nil }},
		{speakerName, "speaks the forecast", teamText, speakerTools, func(j *job) bool { return j.file == "" }},
	} {
		tools, err := m.tools()
		if err != nil {
			return nil, err
		}
		a, err := p.llmAgent(m.name, m.about, m.instruction, tools, func(ctx adk.Context, _ *model.LLMRequest) (*model.LLMResponse, error) {
			return jobOf(ctx).end(m.idle(jobOf(ctx))), nil
		})
		if err != nil {
			return nil, err
		}
		members = append(members, agent.Guard(a))
	}
	both, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{
		Name: teamName, Description: "writes the forecast for CITY and WEATHER_TYPE, and speaks it if the user wants to hear it", SubAgents: members,
	}})
	if err != nil {
		return nil, err
	}
	inner, ok := agenttool.New(both, nil).(runnable)
	if !ok {
		return nil, fmt.Errorf("ADK's agenttool cannot be run")
	}
	return &studio{inner, p}, nil
}

// teamWriterText is what the writer of the team is told: what the straight way's is, less
// the form of its answer.
func teamWriterText() string {
	text := strings.NewReplacer("{language} ({lang})", "the user's language").Replace(writerText)
	rules, _, _ := strings.Cut(text, "\nChoose the tone")
	return rules + "\nCall get_current_weather for the facts. Then call set_session_value with the key FORECAST and your text. Then call write_text_file. If it refuses the text, set a better one and write again.\n"
}
