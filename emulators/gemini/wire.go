package gemini

// The service's JSON, as far as the emulator reads or writes it. Names follow
// https://ai.google.dev/api/generate-content. Like the service it reads the
// few names people write in snake_case by hand in both spellings.

type generateBody struct {
	Contents          []content         `json:"contents"`
	SystemInstruction content           `json:"systemInstruction"`
	SystemSnake       content           `json:"system_instruction"`
	Tools             []tool            `json:"tools"`
	Config            generationConfig  `json:"generationConfig"`
	ConfigSnake       generationConfig  `json:"generation_config"`
	Nested            *generateBody     `json:"generateContentRequest"` // countTokens
	Requests          []embedBody       `json:"requests"`               // batchEmbedContents
	Instances         []predictInstance `json:"instances"`              // predict
	Parameters        dimensions        `json:"parameters"`             // predict
	embedBody                           // embedContent
}

type embedBody struct {
	Content    content    `json:"content"`
	Dimensions int        `json:"outputDimensionality"`
	Config     dimensions `json:"embedContentConfig"` // Vertex
}

type predictInstance struct {
	Content string `json:"content"`
}

type dimensions struct {
	Dimensions int `json:"outputDimensionality"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Text        string `json:"text"`
	InlineData  *blob  `json:"inlineData"`
	InlineSnake *blob  `json:"inline_data"`
}

type blob struct {
	MIMEType  string `json:"mimeType"`
	MIMESnake string `json:"mime_type"`
	Data      string `json:"data"`
}

type tool struct {
	GoogleSearch      *struct{} `json:"googleSearch"`
	GoogleSearchSnake *struct{} `json:"google_search"`
}

type generationConfig struct {
	MIMEType   string  `json:"responseMimeType"`
	JSONSchema *schema `json:"responseJsonSchema"`
	Schema     *schema `json:"responseSchema"`
}

type schema struct {
	Properties map[string]any `json:"properties"`
}

type generateAnswer struct {
	Candidates     []candidate     `json:"candidates,omitempty"`
	PromptFeedback *promptFeedback `json:"promptFeedback,omitempty"`
	Usage          *Usage          `json:"usageMetadata,omitempty"`
	ModelVersion   string          `json:"modelVersion"`
	ResponseID     string          `json:"responseId"`
}

type candidate struct {
	Content       *answerContent `json:"content,omitempty"`
	FinishReason  string         `json:"finishReason,omitempty"`
	Index         int            `json:"index"`
	SafetyRatings []safetyRating `json:"safetyRatings,omitempty"`
	Grounding     *Grounding     `json:"groundingMetadata,omitempty"`
}

type answerContent struct {
	Parts []answerPart `json:"parts"`
	Role  string       `json:"role"`
}

type answerPart struct {
	Text string `json:"text"`
}

type promptFeedback struct {
	BlockReason   string         `json:"blockReason"`
	SafetyRatings []safetyRating `json:"safetyRatings,omitempty"`
}

type safetyRating struct {
	Category    string `json:"category"`
	Probability string `json:"probability"`
	Blocked     bool   `json:"blocked,omitempty"`
}

// Usage is the service's usageMetadata.
type Usage struct {
	PromptTokens    int             `json:"promptTokenCount"`
	CandidateTokens int             `json:"candidatesTokenCount,omitempty"`
	ThoughtTokens   int             `json:"thoughtsTokenCount,omitempty"`
	CachedTokens    int             `json:"cachedContentTokenCount,omitempty"`
	TotalTokens     int             `json:"totalTokenCount"`
	PromptDetails   []ModalityUsage `json:"promptTokensDetails,omitempty"`
}

// ModalityUsage is the share of one modality, TEXT or IMAGE.
type ModalityUsage struct {
	Modality string `json:"modality"`
	Tokens   int    `json:"tokenCount"`
}

// Grounding is the service's groundingMetadata for google_search.
type Grounding struct {
	Queries  []string           `json:"webSearchQueries,omitempty"`
	Entry    *SearchEntryPoint  `json:"searchEntryPoint,omitempty"`
	Chunks   []GroundingChunk   `json:"groundingChunks,omitempty"`
	Supports []GroundingSupport `json:"groundingSupports,omitempty"`
}

// SearchEntryPoint carries the HTML of Google's search suggestions.
type SearchEntryPoint struct {
	HTML string `json:"renderedContent"`
}

// GroundingChunk is one source.
type GroundingChunk struct {
	Web WebSource `json:"web"`
}

// WebSource is a page.
type WebSource struct {
	URI   string `json:"uri"`
	Title string `json:"title"`
}

// GroundingSupport says which chunks carry a segment of the answer.
type GroundingSupport struct {
	Segment Segment `json:"segment"`
	Chunks  []int   `json:"groundingChunkIndices"`
}

// Segment is a piece of the answer's text, in bytes.
type Segment struct {
	Start int    `json:"startIndex,omitempty"`
	End   int    `json:"endIndex"`
	Text  string `json:"text"`
}
