package api

import (
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// warnings are the warning codes of results, by schema name.
var warnings = map[string][]string{
	"PhotoWarning":     slices.Concat(gemini.Warnings, analyze.Warnings, intake.Warnings),
	"SearchWarning":    slices.Concat(gemini.Warnings, search.Warnings),
	"ForecastWarning":  slices.Concat(gemini.Warnings, forecast.Warnings),
	"DiscoveryWarning": slices.Concat(gemini.Warnings, discover.Warnings),
}

// warned maps each schema that has warnings to the schema of its warning codes.
var warned = map[string]string{
	"Result": "PhotoWarning", "SearchResult": "SearchWarning", "Forecast": "ForecastWarning", "DiscoveryResult": "DiscoveryWarning",
}

// values are the allowed values of fields, by schema and field.
var values = map[string]web.Schema{
	"Event.kind":   web.Enum(string(agent.Started), string(agent.ToolCall), string(agent.ToolResult), string(agent.Partial), string(agent.ModelUsage), string(agent.Finished)),
	"Item.outcome": web.Enum(batch.FromImage, batch.FromLocalDB, batch.FromGoogleSearch, batch.Unidentified, batch.NoProduct, batch.ItemFailed, batch.ItemCancelled),
	"Result.side": web.Enum(string(analyze.SideFront), string(analyze.SideBack), string(analyze.SideNutrition), string(analyze.SideIngredients),
		string(analyze.SideCode), string(analyze.SideTag), string(analyze.SideDocument), string(analyze.SideShelf), string(analyze.SideLoose)),
	"Photo.policy":         web.Enum("seed", "strict"),
	"RAGConfidence.method": web.Enum("local_db_score", "google_search_estimate"),
	"Caller.proof":         web.Enum(string(caller.Anonymous), string(caller.IdentityToken), string(caller.VerifiedToken), string(caller.IAP)),
	"Caller.role":          web.Enum(caller.Asker.String(), caller.Reader.String(), caller.Reviewer.String(), caller.Owner.String()),
	"Acts.act":             web.Enum(review.Accept, review.Correct, review.Reject, review.Undo, review.Confirm, review.Edit, review.Delete, review.Forget),
	"CatalogRecord.status": web.Enum("confirmed", "imported", "unconfirmed"),
	"Product.status":       web.Enum("confirmed", "imported", "unconfirmed"),

	"SearchResult.search_type": web.Enum(string(search.ByText), string(search.ByImage), string(search.ByBoth), string(search.ByNothing)),
	"Listed.kind":              web.Enum("upload", "http", "batch"),
	"Photo.second_look":        web.Enum("doubt", "always", "never"),
	"BatchRequest.policy":      web.Enum("seed", "strict"),
	"BatchRequest.second_look": web.Enum("doubt", "always", "never"),
	"BatchRequest.tier":        web.Enum(string(gemini.Standard), string(gemini.Flex)),
	"DiscoveryRequest.tier":    web.Enum(string(gemini.Standard), string(gemini.Flex)),
}
