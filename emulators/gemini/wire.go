package gemini

import "encoding/json"

// The service's JSON, as far as the emulator reads or writes it. Names follow
// https://ai.google.dev/api/generate-content; readMessage has brought a request
// into this spelling.

type generateBody struct {
	Contents          []content         `json:"contents"`
	SystemInstruction content           `json:"systemInstruction"`
	Tools             []tool            `json:"tools"`
	ToolConfig        toolConfig        `json:"toolConfig"`
	Config            generationConfig  `json:"generationConfig"`
	CachedContent     string            `json:"cachedContent"`
	ServiceTier       string            `json:"serviceTier"`
	Nested            *generateBody     `json:"generateContentRequest"` // countTokens
	Requests          []embedBody       `json:"requests"`               // batchEmbedContents
	Instances         []predictInstance `json:"instances"`              // predict
	Parameters        dimensions        `json:"parameters"`             // predict
	embedBody                           // embedContent
}

type embedBody struct {
	Model      string     `json:"model"`
	Content    content    `json:"content"`
	Dimensions int        `json:"outputDimensionality"`
	Config     dimensions `json:"embedContentConfig"` // Vertex
}

// A predictInstance is a plain value to the service's message.
type predictInstance struct {
	Content  string `json:"content"`
	TaskType string `json:"task_type"`
	TaskSDK  string `json:"taskType"`
}

type dimensions struct {
	Dimensions int `json:"outputDimensionality"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// A part holds one of these, or nothing.
type part struct {
	Text             *string         `json:"text"`
	InlineData       *blob           `json:"inlineData"`
	FileData         *fileData       `json:"fileData"`
	FunctionCall     *FunctionCall   `json:"functionCall"`
	FunctionResponse *FunctionResult `json:"functionResponse"`
	ExecutableCode   *struct{}       `json:"executableCode"`
	CodeResult       *struct{}       `json:"codeExecutionResult"`
	ThoughtSignature *string         `json:"thoughtSignature"`
	Speech           *struct{}       `json:"speechMetadata"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
}

type fileData struct {
	URI string `json:"fileUri"`
}

type tool struct {
	GoogleSearch    *struct{}  `json:"googleSearch"`
	SearchRetrieval *struct{}  `json:"googleSearchRetrieval"`
	Functions       []function `json:"functionDeclarations"`
}

type toolConfig struct {
	Calling               *callingConfig `json:"functionCallingConfig"`
	ServerSideInvocations bool           `json:"includeServerSideToolInvocations"`
}

// A callingConfig says how functions are called. Mode is a name or a number.
type callingConfig struct {
	Mode    any      `json:"mode"`
	Allowed []string `json:"allowedFunctionNames"`
}

type generationConfig struct {
	MIMEType         string          `json:"responseMimeType"`
	JSONSchema       any             `json:"responseJsonSchema"`
	Schema           any             `json:"responseSchema"`
	Thinking         *thinkingConfig `json:"thinkingConfig"`
	Modalities       []string        `json:"responseModalities"`
	Speech           *speechConfig   `json:"speechConfig"`
	Temperature      *json.Number    `json:"temperature"`
	TopP             *json.Number    `json:"topP"`
	Candidates       *json.Number    `json:"candidateCount"`
	MaxTokens        *json.Number    `json:"maxOutputTokens"`
	Stops            []string        `json:"stopSequences"`
	Logprobs         *json.Number    `json:"logprobs"`
	ResponseLogprobs bool            `json:"responseLogprobs"`
}

// maxTokens returns the limit of the answer, 0 for none.
func (c generationConfig) maxTokens() int {
	if c.MaxTokens == nil {
		return 0
	}
	n, err := c.MaxTokens.Int64()
	if err != nil {
		return 0 // a limit that no int64 holds is none
	}
	return int(n)
}

type thinkingConfig struct {
	Budget *json.Number `json:"thinkingBudget"`
	Level  string       `json:"thinkingLevel"`
}

type speechConfig struct {
	Voice    *voiceConfig `json:"voiceConfig"`
	Several  *struct{}    `json:"multiSpeakerVoiceConfig"`
	Language string       `json:"languageCode"`
}

type voiceConfig struct {
	Prebuilt struct {
		Name string `json:"voiceName"`
	} `json:"prebuiltVoiceConfig"`
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
	Text         *string       `json:"text,omitempty"`
	InlineData   *answerBlob   `json:"inlineData,omitempty"`
	FunctionCall *FunctionCall `json:"functionCall,omitempty"`
	Signature    []byte        `json:"thoughtSignature,omitempty"`
}

type answerBlob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
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
	// TrafficType is which tier was charged, on Vertex AI.
	TrafficType string `json:"trafficType,omitempty"`
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
