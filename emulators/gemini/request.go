package gemini

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// query is a request as read from the wire.
type query struct {
	Request
	jsonAnswer bool
	embed      []embedInput
	bytes      int
}

// embedInput is what one vector stands for.
type embedInput struct {
	text       string
	photos     []Inline
	dimensions int
}

// readQuery reads the body of a call. Its errors are the client's fault, and
// come with what was understood before.
func readQuery(r *http.Request, to route) (*query, error) {
	q := &query{Request: Request{Method: to.method, Model: to.model, Vertex: to.vertex, Kind: KindOther}}
	raw, err := readBody(r)
	if err != nil || len(raw) == 0 {
		return q, err
	}
	q.bytes = len(raw)
	slim, carved := carve(raw)
	var body generateBody
	if err := json.Unmarshal(slim, &body); err != nil {
		return q, fmt.Errorf("invalid JSON payload received: %w", err)
	}
	if body.Nested != nil {
		body = *body.Nested
	}
	if embeds(q.Method) {
		q.Kind = KindEmbed
		return q, q.fillEmbedding(&body, carved)
	}
	return q, q.fillGenerate(&body, carved)
}

func (q *query) fillGenerate(body *generateBody, carved [][]byte) error {
	system := append(body.SystemInstruction.Parts, body.SystemSnake.Parts...)
	for _, p := range system {
		q.System += p.Text
	}
	for _, t := range body.Tools {
		q.Search = q.Search || t.GoogleSearch != nil || t.GoogleSearchSnake != nil
	}
	wanted := cmp.Or(body.Config.JSONSchema, body.Config.Schema, body.ConfigSnake.JSONSchema, body.ConfigSnake.Schema)
	q.Schema = wanted != nil
	q.jsonAnswer = q.Schema || body.Config.MIMEType == "application/json"
	if generates(q.Method) {
		q.Kind = kindOf(wanted, q.Search)
	}
	for _, c := range body.Contents {
		if c.Role == "model" {
			continue
		}
		texts, photos, err := c.split(carved)
		if err != nil {
			return err
		}
		q.Texts = append(q.Texts, texts...)
		q.Inline = append(q.Inline, photos...)
	}
	if len(body.Contents) == 0 {
		return fmt.Errorf("%s: contents is not specified", q.Method)
	}
	return nil
}

func kindOf(wanted *schema, search bool) Kind {
	if wanted == nil && search {
		return KindSearch
	}
	if wanted == nil {
		return KindOther
	}
	for _, known := range []struct {
		property string
		kind     Kind
	}{{"visible_text", KindImage}, {"pick", KindJudge}, {"probability", KindStructure}} {
		if _, ok := wanted.Properties[known.property]; ok {
			return known.kind
		}
	}
	return KindOther
}

// split returns the texts and the inline data of c.
func (c content) split(carved [][]byte) (texts []string, inline []Inline, err error) {
	for _, p := range c.Parts {
		data := cmp.Or(p.InlineData, p.InlineSnake)
		if data == nil {
			texts = append(texts, p.Text)
			continue
		}
		one, err := data.inline(carved)
		if err != nil {
			return nil, nil, err
		}
		inline = append(inline, one)
	}
	return texts, inline, nil
}

// photoTypes are the image types the models take.
var photoTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/webp": true, "image/heic": true, "image/heif": true}

func (b *blob) inline(carved [][]byte) (Inline, error) {
	mime := strings.ToLower(cmp.Or(b.MIMEType, b.MIMESnake))
	isImage := strings.HasPrefix(mime, "image/")
	if mime == "" || isImage && !photoTypes[mime] {
		return Inline{}, fmt.Errorf("unsupported MIME type: %s", mime)
	}
	data, err := decode(b.Data, carved)
	if err != nil {
		return Inline{}, err
	}
	sniffed := http.DetectContentType(data)
	if isImage && strings.HasPrefix(sniffed, "image/") && !photoTypes[sniffed] {
		return Inline{}, fmt.Errorf("unable to process input image: it is %s", sniffed)
	}
	sum := sha256.Sum256(data)
	return Inline{MIMEType: mime, Bytes: len(data), SHA256: hex.EncodeToString(sum[:]), data: data}, nil
}

// maxBatch is the most requests of one batchEmbedContents, maxInstances the
// most instances of one predict.
const (
	maxBatch     = 100
	maxInstances = 250
)

func (q *query) fillEmbedding(body *generateBody, carved [][]byte) error {
	requests, most := body.Requests, maxBatch
	switch q.Method {
	case "embedContent":
		requests = []embedBody{body.embedBody}
	case "predict":
		most = maxInstances
		for _, i := range body.Instances {
			text := content{Parts: []part{{Text: i.Content}}}
			requests = append(requests, embedBody{Content: text, Dimensions: body.Parameters.Dimensions})
		}
	}
	if len(requests) == 0 || len(requests) > most {
		return fmt.Errorf("%s: %d requests: between 1 and %d can be in one batch", q.Method, len(requests), most)
	}
	for _, r := range requests {
		if err := q.addEmbedding(r, carved); err != nil {
			return err
		}
	}
	return nil
}

func (q *query) addEmbedding(r embedBody, carved [][]byte) error {
	texts, photos, err := r.Content.split(carved)
	if err != nil {
		return err
	}
	in := embedInput{
		text:       strings.Join(texts, "\n"),
		photos:     photos,
		dimensions: cmp.Or(r.Dimensions, r.Config.Dimensions, defaultDimensions),
	}
	if strings.TrimSpace(in.text) == "" && len(photos) == 0 {
		return fmt.Errorf("%s: content contains an empty Part", q.Method)
	}
	if in.dimensions < 1 || in.dimensions > maxDimensions {
		return fmt.Errorf("%s: outputDimensionality %d is not between 1 and %d", q.Method, in.dimensions, maxDimensions)
	}
	q.embed = append(q.embed, in)
	q.Texts = append(q.Texts, in.text)
	q.Inline = append(q.Inline, photos...)
	return nil
}
