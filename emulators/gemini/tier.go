package gemini

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The service tiers that a call can ask for. "" is the standard one.
//
// The Gemini API has them in the body (ai.google.dev/gemini-api/docs/flex-inference),
// in lower case alone (github.com/prism-php/prism pull request 1002), and names the
// tier of an answer in a header (github.com/vercel/ai pull request 15488), and in
// usageMetadata.serviceTier, which its message does not have yet. Vertex AI has them in a header
// (docs.cloud.google.com/gemini-enterprise-agent-platform/models/flex-paygo): flex of
// its global endpoint alone, for payloads of up to 20 MB and for some models, and names
// the tier in usageMetadata.trafficType (genai v1.77.0, type TrafficType). The words of
// its refusals are not documented.
const (
	tierFlex     = "flex"
	tierPriority = "priority"

	vertexTierHeader = "X-Vertex-AI-LLM-Shared-Request-Type"
	apiTierHeader    = "X-Gemini-Service-Tier" // of answers

	maxFlexBody = 20_000_000 // bytes
)

// trafficTypes are the tiers as Vertex AI names them in an answer.
var trafficTypes = map[string]string{"": "ON_DEMAND", tierFlex: "ON_DEMAND_FLEX", tierPriority: "ON_DEMAND_PRIORITY"}

// tierOf returns the tier that a call of m asks for, "" for the standard one, or why the
// service refuses it.
func tierOf(header http.Header, to route, m model, body *generateBody, size int) (string, error) {
	tier := body.ServiceTier
	if to.vertex {
		tier = strings.ToLower(header.Get(vertexTierHeader))
		if !slices.Contains([]string{"", tierFlex, tierPriority}, tier) {
			return "", badRequest(fmt.Sprintf("Invalid value %q of the header %s: use flex or priority.", tier, vertexTierHeader))
		}
	}
	switch {
	case tier == "unspecified" || tier == "standard":
		return "", nil
	case tier != tierFlex:
		return tier, nil
	case !m.flex:
		return "", badRequest(fmt.Sprintf("The model %s does not support the flex tier.", to.model))
	case to.vertex && to.location != "" && to.location != "global":
		return "", badRequest(fmt.Sprintf("The flex tier is supported by the global endpoint only, not by %s.", to.location))
	case size > maxFlexBody:
		return "", badRequest(fmt.Sprintf("The request payload of %d bytes exceeds the limit of the flex tier: 20 MB.", size))
	}
	return tierFlex, nil
}

// nameTier has an answer say which tier was charged, unless its script does.
func (x *exchange) nameTier(p *reply) {
	if !x.q.Vertex {
		x.w.Header().Set(apiTierHeader, cmp.Or(x.q.Tier, "standard"))
		return
	}
	u := *p.usage // a script's may be sent again
	u.TrafficType = cmp.Or(u.TrafficType, trafficTypes[x.q.Tier])
	p.usage = &u
}
