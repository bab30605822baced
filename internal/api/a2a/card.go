package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"example.com/whatis/internal/web"
)

// CardPaths are the paths of the agent card: that of 1.0 and 0.3, and the earlier one.
var CardPaths = []string{"/.well-known/agent-card.json", "/.well-known/agent.json"}

// Path is the path of the protocol's endpoint.
const Path = "/a2a"

// Card sends the agent card, in the form of 1.0 and 0.3 at once.
func (d *Server) Card(w http.ResponseWriter, r *http.Request) {
	producer := a2av0.NewStaticAgentCardProducer(d.card(web.BaseURL(r)))
	asked := r.Clone(r.Context())
	asked.Method = http.MethodGet // clients may ask by POST, too
	a2asrv.NewAgentCardHandler(producerOfBoth{producer}).ServeHTTP(&constant{w, r}, asked)
}

// A producerOfBoth adds to the card of a2av0 the names that 1.0 gives to security schemes:
// clients of 1.0 cannot read it without.
type producerOfBoth struct{ a2asrv.AgentCardProducer }

// schemeNames map the names that a2av0 writes to those of 1.0.
var schemeNames = map[string]string{"http": "httpAuthSecurityScheme", "openIdConnect": "openIdConnectSecurityScheme"}

// CardJSON returns the card as JSON.
func (p producerOfBoth) CardJSON(ctx context.Context) ([]byte, error) {
	whole, ok := p.AgentCardProducer.(interface {
		CardJSON(context.Context) ([]byte, error)
	})
	if !ok {
		return nil, errors.New("a2a: the agent card has no JSON")
	}
	data, err := whole.CardJSON(ctx)
	if err != nil {
		return nil, fmt.Errorf("a2a: the agent card: %w", err)
	}
	var card map[string]any
	if err := json.Unmarshal(data, &card); err != nil {
		return nil, fmt.Errorf("a2a: the agent card: %w", err)
	}
	schemes, _ := card["securitySchemes"].(map[string]any)
	for _, scheme := range schemes {
		if fields, ok := scheme.(map[string]any); ok {
			nameSchemes(fields)
		}
	}
	return json.MarshalIndent(card, "", "  ")
}

func nameSchemes(fields map[string]any) {
	for former, current := range schemeNames {
		if fields[former] != nil {
			fields[current] = fields[former]
		}
	}
}

// constant sends what is written to it at once with an ETag, or 304.
type constant struct {
	http.ResponseWriter
	r *http.Request
}

func (c *constant) Write(data []byte) (int, error) {
	web.WriteConstant(c.ResponseWriter, c.r, c.Header().Get("Content-Type"), data)
	return len(data), nil
}

// card returns the agent card of a service at that address.
func (d *Server) card(address string) *a2a.AgentCard {
	c := &a2a.AgentCard{
		Name: d.Name, Description: d.About, Version: d.Version,
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"application/json", "text/plain"},
		DefaultOutputModes: []string{"application/json"},
	}
	for _, version := range []a2a.ProtocolVersion{a2a.Version, a2av0.Version} {
		c.SupportedInterfaces = append(c.SupportedInterfaces, &a2a.AgentInterface{
			URL: address + Path, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: version,
		})
	}
	secure(c, d.Access)
	for _, s := range d.Skills {
		of := a2a.AgentSkill{ID: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, Examples: s.Examples}
		of.InputModes = append(of.InputModes, c.DefaultInputModes...)
		if fieldsOf(s.Input).bytes != "" {
			of.InputModes = append(of.InputModes, "image/*")
		}
		if of.Tags == nil {
			of.Tags = []string{}
		}
		c.Skills = append(c.Skills, of)
	}
	return c
}
