package analyze

import "example.com/whatis/internal/analyze/expiry"

// Codes in Result.Warnings, besides those of packages gemini and intake.
const (
	// image_analyzer's answer breaks a rule of its prompt but is usable.
	warnCategoryNotEnglish = "category_not_english" // the category has letters outside ASCII
	warnFewFeatures        = "few_features"         // fewer than eight key features
	warnFeaturesRepeated   = "features_repeated"    // two key features say the same; one was left out

	// The evidence gate and the dates.
	WarnDateDoubtful     = expiry.DateDoubtful     // the expiry date may be wrong: expiry.doubt says why
	warnDateUnsupported  = "date_unsupported"      // the expiry date is in no read text and was dropped
	warnDateConflict     = "date_conflict"         // a code and the print name different expiry dates: neither is certain
	warnOtherProductDate = "date_of_other_product" // the photos show several products, and a date stands only on photos of others: it was left out
	warnPromptInjection  = "prompt_injection"      // lines address a machine and are not used as evidence; visible_text has them, with machine_directed set

	// rag_agent.
	warnGTINRestricted       = "gtin_restricted"          // a code identifies no product: a shop's own number, a coupon, a periodical
	warnGTINShared           = "gtin_shared"              // another trusted record has the GTIN too, with another name
	WarnGTINConflict         = "gtin_conflict"            // the catalogue's record of the GTIN has another brand than was read
	WarnUnidentified         = "unidentified"             // no source identifies the product
	WarnRejectedBefore       = "rejected_before"          // a person has rejected the name that was found again, and there is no other
	warnSendFront            = "send_the_front"           // the photo shows another side of the package, which does not tell what it is
	warnPriceTag             = "price_tag"                // the name stands on a price tag: the goods were not seen
	warnMultipleProducts     = "multiple_products"        // the photo shows more than one product
	WarnSecondLookFailed     = "second_look_failed"       // the stronger model gave no usable answer about the photo
	warnBrandMayHoldSubBrand = "brand_may_hold_sub_brand" // the brand may hold a sub-brand, and the stronger model has not said
	warnSearchRefused        = "search_refused"           // the model refused to search for it, or the plan has no web search
	warnSearchFailed         = "search_failed"            // the model gave no usable answer about what it found
	warnNoWebSearch          = "no_web_search"            // the web was not searched: it is switched off, or the model cannot
	warnNoBrandPrinted       = "no_brand_printed"         // the goods have no brand in sight, as fruit and books
	warnContradictsPrint     = "contradicts_print"        // the web search found another brand or product than is printed
	warnNotSaved             = "not_saved"                // saving the search result to the catalogue failed
	warnUnconfirmedRecord    = "unconfirmed_record"       // the record was learnt from a search and is not confirmed by a person
)

// Warnings lists the codes of this package and of package expiry.
var Warnings = []string{
	warnCategoryNotEnglish, warnFewFeatures, warnFeaturesRepeated,
	warnDateUnsupported, warnDateConflict, warnOtherProductDate, warnPromptInjection,
	expiry.DateUnlabelled, expiry.DateLabelUnknown, expiry.DateAmbiguous, expiry.DateComputed, expiry.DateRefused, WarnDateDoubtful,
	WarnGTINConflict, warnGTINShared, warnGTINRestricted, WarnUnidentified, WarnRejectedBefore, warnSendFront, warnPriceTag, warnMultipleProducts, WarnSecondLookFailed, warnBrandMayHoldSubBrand, warnNoBrandPrinted, warnContradictsPrint, warnSearchRefused, warnSearchFailed, warnNoWebSearch, warnNotSaved, warnUnconfirmedRecord,
}
