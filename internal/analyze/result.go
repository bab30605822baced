package analyze

import (
	"time"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/gemini"
)

// A Result is what whatis says of one photo, or of several photos of one product,
// in the order of its JSON. It is one of three shapes: an identification; a photo
// of no product, with Error NotAProduct and a Description; a failure, with Error
// AnalysisFailed, a Message and Retryable.
type Result struct {
	Error       string `json:"error,omitempty"`
	Description string `json:"description,omitempty"`
	Message     string `json:"message,omitempty"`
	Retryable   *bool  `json:"retryable,omitempty"`

	*Identification

	InferenceTime string     `json:"inference_time"`
	TokenUsage    TokenUsage `json:"token_usage"`

	GTIN              string            `json:"gtin,omitempty"`
	GTINs             []string          `json:"gtins,omitempty"` // all of them, when there are several
	Expiry            *expiry.Date      `json:"expiry,omitempty"`
	VisibleText       []Line            `json:"visible_text,omitempty"`
	Evidence          *Evidence         `json:"evidence,omitempty"`
	Warnings          []string          `json:"warnings,omitempty"`
	Decision          *Decision         `json:"decision,omitempty"`
	Record            *Record           `json:"record,omitempty"` // of the catalogue, when the product comes from there
	Citations         []gemini.Citation `json:"citations,omitempty"`
	SearchSuggestions string            `json:"search_suggestions,omitempty"` // Google's HTML, to be shown as it is
	CostUSD           float64           `json:"cost_usd,omitempty"`
	ModelCalls        ModelCalls        `json:"model_calls,omitzero"`
	Models            map[string]string `json:"models,omitempty"` // model asked → version that answered
	Country           string            `json:"country,omitempty"`
	Lang              string            `json:"lang,omitempty"`
	Image             *Image            `json:"image,omitempty"`
	MoreImages        []Image           `json:"more_images,omitempty"` // of the further photos, in order
	ID                string            `json:"id,omitempty"`
	Cached            bool              `json:"cached,omitempty"`      // the same bytes were analysed before
	AgeSeconds        int64             `json:"age_seconds,omitempty"` // of a cached result
}

// AnalysisFailed is the error of a photo that could not be analysed.
const AnalysisFailed = "analysis_failed"

// An Identification is the product of a photo.
type Identification struct {
	ProductName           string         `json:"product_name"`
	ProductNameConfidence float64        `json:"product_name_confidence"`
	Category              string         `json:"category"` // in English
	Brand                 string         `json:"brand"`
	BrandConfidence       float64        `json:"brand_confidence"`
	ImageFeatures         string         `json:"image_features"`
	KeyFeatures           []string       `json:"key_features"`
	ExpirationDate        string         `json:"expiration_date"` // YYYY.MM.DD or ""
	Source                Source         `json:"source"`
	RAGConfidence         *RAGConfidence `json:"rag_confidence,omitempty"` // absent when the photo decided
}

// A Source is what decided.
type Source string

// The sources.
const (
	FromImage        Source = "image"
	FromLocalDB      Source = "local_db"
	FromGoogleSearch Source = "google_search"
)

// RAGConfidence says how sure the catalogue or the web is, and why.
type RAGConfidence struct {
	Probability float64 `json:"probability"` // 0 to 1
	Method      string  `json:"method"`      // local_db_score or google_search_estimate
	Evidence    string  `json:"evidence"`
}

// TokenUsage sums the tokens of all calls, failed ones included.
type TokenUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}

// ModelCalls counts what was asked of models.
type ModelCalls struct {
	Generate        int `json:"generate"`
	Embed           int `json:"embed"`
	GroundedQueries int `json:"grounded_queries"`
	Flex            int `json:"flex,omitempty"` // of generate: charged at the flex tier, half of the standard one's price
}

// A Decision names the row of the decision table that decided, 1 to 6, what made
// the photo suspicious, and what was done after it had been read. A suspicion on
// row 3 is one that the second look has dispelled.
type Decision struct {
	Row        int         `json:"row"`
	Suspicions []Suspicion `json:"suspicions"`
	Steps      []Step      `json:"steps,omitempty"` // in order
}

// A Step is something that was done to find out more, whatever came of it.
type Step string

// The steps, as they stand in a result's decision.
const (
	StepSearchLocalDB Step = "search_local_db" // the catalogue was searched
	StepSecondLook    Step = "second_look"     // the stronger model was shown the photo
	StepGoogleSearch  Step = "google_search"   // the model was asked to search the web
)

// A Record is the product of the catalogue that a result names.
type Record struct {
	ID          string `json:"id"`
	Status      string `json:"status"`                 // confirmed, imported or unconfirmed
	LearnedFrom string `json:"learned_from,omitempty"` // of an unconfirmed one: the photo that it was learnt from
}

// An Image describes the photo, as it was before anything was done to it.
type Image struct {
	URI        string `json:"uri,omitempty"`
	Generation int64  `json:"generation,omitempty,string"`
	SHA256     string `json:"sha256,omitempty"`
	Width      int    `json:"width,omitempty"` // upright
	Height     int    `json:"height,omitempty"`
	MIMEType   string `json:"mime_type,omitempty"`
	PHash      string `json:"phash,omitempty"` // of its looks, 16 hexadecimal digits, where something asked for it
}

// Doubtful reports that a person should look at r: it failed, nobody knew the
// product, something was suspicious, or its probability is no better than what
// the photo alone would need.
func (r Result) Doubtful() bool {
	switch {
	case r.Error == NotAProduct:
		return false
	case r.Identification == nil, r.Decision == nil:
		return true
	}
	return row(r.Decision.Row) == rowNothing || len(r.Decision.Suspicions) > 0 || r.ProductNameConfidence <= confident
}

// Public is r as everybody may see it. What Google found stays with whoever asked
// for it.
func (r Result) Public() Result {
	r.Citations, r.SearchSuggestions = nil, ""
	return r
}

// FromCache is r as it is handed out again, for a photo at another place: nothing
// was spent, and what Google found stays with whoever asked for it.
func (r Result) FromCache(req Request, age time.Duration) Result {
	r = r.Public()
	r.Cached, r.AgeSeconds = true, int64(age.Seconds())
	r.TokenUsage, r.CostUSD, r.ModelCalls = TokenUsage{}, 0, ModelCalls{}
	r.InferenceTime = "0.00s"
	r.noteRequest(req)
	return r
}

// Failed turns r, which may hold what was spent, into the result of a photo that
// could not be analysed. Retryable says that the same photo may do better later.
func (r Result) Failed(message string, retryable bool) Result {
	r.Error, r.Message, r.Retryable = AnalysisFailed, message, &retryable
	r.Description, r.Identification, r.Decision = "", nil, nil
	return r
}
