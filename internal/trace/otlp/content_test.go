package otlp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/model/gemini"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"
	"google.golang.org/protobuf/encoding/prototext"

	spans "example.com/whatis/internal/trace"
)

// The provider for ADK's spans: ADK uses the first one set in a process.
var (
	adkProvider  *trace.TracerProvider
	adkCollector = &collector{}
)

func TestMain(m *testing.M) {
	adkCollector.listen(func(err error) { panic(err) })
	os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", adkCollector.URL)
	os.Setenv("OTEL_TRACES_SAMPLER_ARG", "1")
	var err error
	if adkProvider, err = newProvider(Config{}); err != nil {
		panic(err)
	}
	os.Unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	os.Unsetenv("OTEL_TRACES_SAMPLER_ARG")
	spans.Use(adkProvider)
	os.Exit(m.Run())
}

type lookUp struct {
	Words string `json:"words"`
}

// ADK records arguments, results and errors of tools in its spans: they are exported
// without these.
func TestSpansHaveNoContent(t *testing.T) {
	const secretArgument, secretResult, secretStack = "a-word-of-the-prompt", "a-word-of-the-result", "a-word-of-the-stack"
	tools := []tool.Tool{
		functionTool(t, "search_local_db", func(agent.Context, lookUp) (lookUp, error) { return lookUp{secretResult}, nil }),
		functionTool(t, "fails", func(agent.Context, lookUp) (lookUp, error) {
			return lookUp{}, errors.New("no such product\n" + secretStack)
		}),
	}
	calls := []*genai.Part{
		genai.NewPartFromFunctionCall("search_local_db", map[string]any{"words": secretArgument}),
		genai.NewPartFromFunctionCall("fails", map[string]any{"words": secretArgument}),
		genai.NewPartFromText("done"),
	}
	runAgent(t, tools, func(agent.Context, *model.LLMRequest) (*model.LLMResponse, error) {
		next := calls[0]
		calls = calls[1:]
		return &model.LLMResponse{Content: genai.NewContentFromParts([]*genai.Part{next}, genai.RoleModel)}, nil
	})
	if err := adkProvider.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"execute_tool search_local_db", "execute_tool fails"} {
		s := adkCollector.spans()[name]
		if s == nil || !strings.Contains(notes(s.Attributes), "gen_ai.tool.name="+strings.TrimPrefix(name, "execute_tool ")) {
			t.Errorf("the span %s is %v, want one with the name of its tool", name, s)
		}
	}
	for _, request := range adkCollector.requests {
		for _, secret := range []string{secretArgument, secretResult, secretStack} {
			if text := prototext.Format(request); strings.Contains(text, secret) {
				t.Errorf("%s leaves with:\n%s", secret, text)
			}
		}
	}
}

func functionTool(t *testing.T, name string, do functiontool.Func[lookUp, lookUp]) tool.Tool {
	t.Helper()
	made, err := functiontool.New(functiontool.Config{Name: name, Description: "looks up"}, do)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// runAgent runs an ADK agent whose answers come from answer; no model is called.
func runAgent(t *testing.T, tools []tool.Tool, answer llmagent.BeforeModelCallback) {
	t.Helper()
	nobody := http.Client{Transport: refusing{}}
	llm, err := gemini.NewModel(t.Context(), "gemini-3.6-flash", &genai.ClientConfig{APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPClient: &nobody})
	if err != nil {
		t.Fatal(err)
	}
	a, err := llmagent.New(llmagent.Config{Name: "rag_agent", Model: llm, Tools: tools, BeforeModelCallbacks: []llmagent.BeforeModelCallback{answer}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.New(runner.Config{AppName: "whatis", Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Run(context.Background(), "u", "s", genai.NewContentFromText("what is it?", genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no model is asked here")
}

func TestMayLeave(t *testing.T) {
	for key, want := range map[string]bool{
		"gen_ai.tool.name": true, "gen_ai.usage.input_tokens": true, "gen_ai.usage.reasoning.output_tokens": true,
		"gen_ai.tool.call.arguments": false, "gcp.vertex.agent.tool_response": false, "gen_ai.tool.name.x": false, "": false,
	} {
		if got := mayLeave(key); got != want {
			t.Errorf("mayLeave(%q) = %v, want %v", key, got, want)
		}
	}
	if !slices.IsSorted(fromADK) {
		t.Error("fromADK is not in order")
	}
}
