package analyze

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
)

// A Result is the answer for one photo, or for several photos of one product. Its
// fields are in the order of its JSON. It has one of three shapes: an
// identification; a photo of no product, with Error NotAProduct and a Description;
// a failure, with Error AnalysisFailed, a Message and Retryable. A field that only some
// shapes have names their outcomes in a tag; failures and photos of no product always have
// theirs.
type Result struct {
	Error       string `json:"error,omitempty" outcome:"no_product,failed"`
	Description string `json:"description,omitempty" outcome:"no_product"`
	Message     string `json:"message,omitempty" outcome:"failed"`
	Retryable   *bool  `json:"retryable,omitempty" outcome:"failed"`

	*Identification `outcome:"product"`

	InferenceTime string     `json:"inference_time"`
	TokenUsage    TokenUsage `json:"token_usage"`

	GTIN              string            `json:"gtin,omitempty"`
	GTINs             []string          `json:"gtins,omitempty"` // all GTINs, when there are several
	Expiry            *expiry.Date      `json:"expiry,omitempty"`
	Side              Side              `json:"side,omitempty"` // what of the product the photo shows
	VisibleText       []Line            `json:"visible_text,omitempty"`
	Evidence          *Evidence         `json:"evidence,omitempty"`
	Warnings          []string          `json:"warnings,omitempty"`
	Decision          *Decision         `json:"decision,omitempty" outcome:"product,no_product"`
	Record            *Record           `json:"record,omitempty" outcome:"product"`         // set when the product comes from the catalogue
	NearDuplicate     *NearDuplicate    `json:"near_duplicate,omitempty" outcome:"product"` // set when the product is that of a near duplicate
	Citations         []gemini.Citation `json:"citations,omitempty"`
	SearchSuggestions string            `json:"search_suggestions,omitempty"` // Google's HTML, to be shown as it is
	CostUSD           float64           `json:"cost_usd,omitempty"`
	ModelCalls        ModelCalls        `json:"model_calls,omitzero"`
	Models            map[string]string `json:"models,omitempty"` // model asked → version that answered
	Calls             []gemini.Paid     `json:"calls,omitempty"`  // what each cost when it was made, also of a cached result
	Country           string            `json:"country,omitempty"`
	Lang              string            `json:"lang,omitempty"`
	Image             *Image            `json:"image,omitempty"`
	MoreImages        []Image           `json:"more_images,omitempty"` // of the further photos, in order; those that were left out come last
	ID                string            `json:"id,omitempty"`
	Cached            bool              `json:"cached,omitempty"`      // the same bytes were analysed before
	AgeSeconds        int64             `json:"age_seconds,omitempty"` // of a cached result

	Reviewed *Reviewed `json:"reviewed,omitempty"` // what people say of the photo, if anybody has said anything

	passing, nearDuplicates bool
}

// Passing reports whether a model's passing fault had a part in r: the same photo may
// get a better answer at once, so r is not kept in the cache.
func (r Result) Passing() bool { return r.passing }

// OfNearDuplicates reports whether products of near duplicates were candidates for r: the photo
// alone may get another answer.
func (r Result) OfNearDuplicates() bool { return r.nearDuplicates }

// AnalysisFailed is Result.Error for a photo that could not be analysed.
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

// A Source says what identified the product.
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

// ModelCalls counts the calls of models.
type ModelCalls struct {
	Generate        int `json:"generate"`
	Embed           int `json:"embed"`
	GroundedQueries int `json:"grounded_queries"`
	Flex            int `json:"flex,omitempty"` // of Generate: charged at the flex tier, half of the standard price
}

// A Decision gives the row of the decision table that decided, 1 to 6, what made
// the photo suspicious, and the steps after it was read. On row 3 the second look
// has cleared all suspicions.
type Decision struct {
	Row        int         `json:"row"`
	Suspicions []Suspicion `json:"suspicions"`
	Steps      []Step      `json:"steps,omitempty"` // in order
}

// A Step is an action that was taken to find out more, successful or not.
type Step string

// The steps, as in Decision.Steps.
const (
	StepSearchLocalDB Step = "search_local_db" // the catalogue was searched
	StepSecondLook    Step = "second_look"     // the stronger model was shown the photo
	StepGoogleSearch  Step = "google_search"   // the model was asked to search the web
)

// A Record is the product of the catalogue that a result names.
type Record struct {
	ID          string `json:"id"`
	Status      string `json:"status"`                 // confirmed, imported or unconfirmed
	LearnedFrom string `json:"learned_from,omitempty"` // the photo from which an unconfirmed product was learnt
}

// Evidence is the read text that supports each field, nil for a field without
// support. The product's name is supported by the name as printed: a translated
// one is never on the pack. Without an expiration date, a date is quoted that was left out as its
// label is not known.
type Evidence struct {
	ProductName    *Quote `json:"product_name,omitempty"`
	Brand          *Quote `json:"brand,omitempty"`
	ExpirationDate *Quote `json:"expiration_date,omitempty"`
	GTIN           *Quote `json:"gtin,omitempty"`
}

// A Quote is read text and its place, if known. Photo is the number of the photo,
// from 1, when there are several.
type Quote struct {
	Text  string `json:"text"`
	Box   Box    `json:"box,omitempty"`
	Photo int    `json:"photo,omitempty"`
}

// An Image describes the photo as it was received.
type Image struct {
	URI        string `json:"uri,omitempty"`
	Generation int64  `json:"generation,omitempty,string"`
	SHA256     string `json:"sha256,omitempty"`
	Width      int    `json:"width,omitempty"` // upright
	Height     int    `json:"height,omitempty"`
	MIMEType   string `json:"mime_type,omitempty"`
	PHash      string `json:"phash,omitempty"`     // perceptual hash, 16 hexadecimal digits, if it was computed
	File       string `json:"file,omitempty"`      // the name that it was sent with
	Thumbnail  bool   `json:"thumbnail,omitempty"` // the small picture that it was sent with is kept with the result
	Preview    bool   `json:"preview,omitempty"`   // a small picture of it was made for whoever reviews the result, and is kept
	Error      string `json:"error,omitempty"`     // why it was left out, of several photos as one
}

// An Origin says where one of several photos comes from.
type Origin struct {
	File       string // the name that it was sent with
	URI        string // of an object in a bucket
	Generation int64  // of the object
	Thumbnail  bool   // it was sent with a small picture, which is kept
}

// HasPicture reports whether whoever reviews r can be shown its photo: it was in a bucket, or a
// small picture of it was made.
func (r Result) HasPicture() bool { return r.Image != nil && (r.Image.URI != "" || r.Image.Preview) }

// Doubtful reports whether a person should look at r, and none has accepted or corrected it: it failed, the product was
// not identified, there was a suspicion, its date may be wrong, or the confidence of its name
// is not above what the photo alone would need.
func (r Result) Doubtful() bool {
	switch {
	case r.Error == NotAProduct, r.Verdict() == review.Accept, r.Verdict() == review.Correct:
		return false
	case r.Identification == nil, r.Decision == nil:
		return true
	}
	return row(r.Decision.Row) == rowNothing || len(r.Decision.Suspicions) > 0 || r.ProductNameConfidence <= confident ||
		slices.Contains(r.Warnings, WarnDateDoubtful)
}

// Expires returns the expiration date of r as ISO 8601 writes a day, 2027-03-14; "" without one.
func (r Result) Expires() string {
	if r.Identification == nil {
		return ""
	}
	return strings.ReplaceAll(r.ExpirationDate, ".", "-")
}

// Unclear returns the share of the printed lines that the reader could not read clearly; 0 without lines.
func (r Result) Unclear() float64 {
	unclear := 0
	for _, l := range r.VisibleText {
		if !bool(l.Clear) {
			unclear++
		}
	}
	return float64(unclear) / float64(max(1, len(r.VisibleText)))
}

// Public returns r without Google's citations and search suggestions, which only
// the requester may see.
func (r Result) Public() Result {
	r.Citations, r.SearchSuggestions = nil, ""
	return r
}

// FromCache returns r as the cached, public result for req: its cost and tokens are
// 0, and its images are req's.
func (r Result) FromCache(req Request, age time.Duration) Result {
	r = r.Public()
	r.Cached, r.AgeSeconds = true, int64(age.Seconds())
	r.TokenUsage, r.CostUSD, r.ModelCalls = TokenUsage{}, 0, ModelCalls{}
	r.InferenceTime = "0.00s"
	r.noteRequest(req)
	return r
}

// withoutNames returns r without the names and places of its photos.
func (r Result) withoutNames() Result {
	if r.Image == nil {
		return r
	}
	images := append([]Image{*r.Image}, r.MoreImages...)
	for i := range images {
		images[i].File, images[i].URI, images[i].Generation = "", "", 0
	}
	r.Image, r.MoreImages = &images[0], images[1:]
	return r
}

// Failed returns r, with its cost if any, as the result of a photo that could not
// be analysed. Retryable says that the same photo may succeed later.
func (r Result) Failed(message string, retryable bool) Result {
	r.Error, r.Message, r.Retryable = AnalysisFailed, message, &retryable
	r.Description, r.Identification, r.Decision = "", nil, nil
	return r
}

// The outcomes of a photo, one for each of the three shapes of a Result.
const (
	OutcomeProduct   = "product"
	OutcomeNoProduct = "no_product"
	OutcomeFailed    = "failed"
)

// Outcome returns the outcome of r.
func (r Result) Outcome() string {
	switch r.Error {
	case "":
		return OutcomeProduct
	case NotAProduct:
		return OutcomeNoProduct
	}
	return OutcomeFailed
}

// MarshalJSON writes r with whether it is doubtful, and its outcome as the last field. It does
// not escape HTML: the calling encoder does, if set to.
func (r Result) MarshalJSON() ([]byte, error) {
	type fields Result
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		fields
		Doubt   bool   `json:"doubt,omitempty"`
		Outcome string `json:"outcome"`
	}{fields(r), r.Doubtful(), r.Outcome()})
	return b.Bytes(), err
}
