package analyze

import "example.com/whatis/internal/analyze/expiry"

// Codes in Result.Warnings, besides those of packages gemini and intake.
const (
	// image_analyzer's answer breaks a rule of its prompt and is still of use.
	warnCategoryNotEnglish = "category_not_english" // the category has letters outside ASCII
	warnFewFeatures        = "few_features"         // fewer than eight key features
	warnFeaturesRepeated   = "features_repeated"    // two key features say the same; one was left out

	// The evidence gate and the dates.
	warnNameUnsupported  = "name_unsupported"  // no read text holds the product's name
	warnBrandUnsupported = "brand_unsupported" // no read text holds the brand
	warnDateUnsupported  = "date_unsupported"  // the expiry date stands in no read text and was dropped
	warnDateConflict     = "date_conflict"     // a code and the print name different expiry dates: neither is certain
	warnPromptInjection  = "prompt_injection"  // lines speak to a machine and count as no evidence; visible_text has them, with machine_directed set

	// rag_agent.
	WarnGTINConflict      = "gtin_conflict"      // the catalogue's record of the GTIN has another brand than was read
	WarnUnidentified      = "unidentified"       // nobody knows the product
	warnMultipleProducts  = "multiple_products"  // the photo shows more than one
	warnJudgementRefused  = "judgement_refused"  // the model would not judge the photo
	warnSearchRefused     = "search_refused"     // the model would not search for it
	warnNotSaved          = "not_saved"          // the catalogue could not be reached to learn from the search
	warnUnconfirmedRecord = "unconfirmed_record" // the catalogue learnt it from a search, and nobody has confirmed it
)

// Warnings lists these codes.
var Warnings = []string{
	warnCategoryNotEnglish, warnFewFeatures, warnFeaturesRepeated,
	warnNameUnsupported, warnBrandUnsupported, warnDateUnsupported, warnDateConflict, warnPromptInjection,
	expiry.DateUnlabelled, expiry.DateAmbiguous, expiry.DateComputed, expiry.DateRefused,
	WarnGTINConflict, WarnUnidentified, warnMultipleProducts, warnJudgementRefused, warnSearchRefused, warnNotSaved, warnUnconfirmedRecord,
}
