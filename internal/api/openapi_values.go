package api

import (
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/web"
)

// modelWarnings are the codes that any agent may warn with.
var modelWarnings = []string{gemini.WarnFallback, gemini.WarnSchemaRefused, gemini.WarnEmulated, gemini.WarnEmulatedSpeech, gemini.WarnNoPrice, gemini.WarnNotSummed, gemini.WarnQueries}

// warnings are the codes that results warn with, by the name of their schema. A test
// holds them to the constants of each agent.
var warnings = map[string][]string{
	"PhotoWarning": slices.Concat(modelWarnings, []string{
		"brand_unsupported", "category_not_english", "date_conflict", "date_unsupported", "features_repeated", "few_features", "gtin_conflict", "judgement_refused",
		"multiple_products", "name_unsupported", "not_saved", "prompt_injection", "search_refused", "unconfirmed_record", "unknown_country", "unknown_lang",
		analyze.WarnUnidentified, intake.WarnGivenUp,
	}),
	"SearchWarning": slices.Concat(modelWarnings, []string{
		search.WarnNoModel, search.WarnNoText, search.WarnNoImage, search.WarnNoImageSpace, search.WarnIrrelevantImage, search.WarnNotExact,
	}),
	"ForecastWarning": slices.Concat(modelWarnings, []string{
		forecast.WarnEmulated, forecast.WarnTemplate, forecast.WarnUnchecked, forecast.WarnStale, forecast.WarnSpeech,
	}),
	"DiscoveryWarning": slices.Concat(modelWarnings, []string{
		discover.WarnNoSearch, discover.WarnQuota, discover.WarnNoRelevance, discover.WarnEmulatedWeb, discover.WarnNoLocode, discover.WarnNoPlan, discover.WarnSince,
	}),
}

// warned are the schemas that have warnings, and the name of theirs.
var warned = map[string]string{
	"Result": "PhotoWarning", "SearchResult": "SearchWarning", "Forecast": "ForecastWarning", "DiscoveryResult": "DiscoveryWarning",
}

// values are the values that fields may have, by schema and field.
var values = map[string]web.Schema{
	"Event.kind":           web.Enum(string(agent.Started), string(agent.ToolCall), string(agent.ToolResult), string(agent.ModelUsage), string(agent.Finished)),
	"Item.outcome":         web.Enum(batch.FromImage, batch.FromLocalDB, batch.FromGoogleSearch, batch.Unidentified, batch.NoProduct, batch.ItemFailed, batch.ItemCancelled),
	"Photo.policy":         web.Enum("seed", "strict"),
	"RAGConfidence.method": web.Enum("local_db_score", "google_search_estimate"),
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
