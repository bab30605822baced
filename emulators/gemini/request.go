package gemini

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
)

// query is a request as read from the wire.
type query struct {
	Request
	responder Responder // that knows it; nil if none does
	word      bool      // of an enum, without JSON's quotes
	wav       bool      // a sound is answered as a whole WAV
	signs     bool      // calls of functions are answered with a thought signature
	embed     []embedInput
	bytes     int
}

// embedInput is what one vector stands for.
type embedInput struct {
	text       string
	photos     []Inline
	dimensions int
}

// readQuery reads the body of a call, as the service judges it: first as its
// own message, then by the model and by what is documented of it. Its errors are
// the client's fault, and come with what was understood before.
func readQuery(r *http.Request, to route) (*query, error) {
	q := &query{Request: Request{Method: to.method, Model: to.model, Vertex: to.vertex, Kind: KindOther}}
	message := messageOf(to)
	if message == nil {
		return q, existing(to)
	}
	raw, err := readBody(r)
	if err != nil {
		return q, err
	}
	q.bytes = len(raw)
	body, extracted, err := readRequest(message, raw)
	if err != nil {
		return q, err
	}
	m, ok := modelOf(to)
	if !ok || !m.suits(to.method) {
		return q, gone(to)
	}
	if generates(to.method) {
		if q.Tier, err = tierOf(r.Header, to, m, body, len(raw)); err != nil {
			return q, err
		}
	}
	return q, q.fill(m, body, extracted)
}

// existing refuses models.get for a model that is not there.
func existing(to route) error {
	if _, ok := modelOf(to); !ok && to.method == "models.get" {
		return gone(to)
	}
	return nil
}

// readRequest reads a body without what was extracted out of it: base64 of
// megabytes that is decoded once, later.
func readRequest(message proto.Message, raw []byte) (*generateBody, [][]byte, error) {
	slim, extracted := extractInlineData(raw)
	if len(bytes.TrimSpace(slim)) == 0 {
		slim = []byte("{}")
	}
	read, err := readMessage(message, slim)
	if err != nil {
		return nil, nil, err
	}
	var body generateBody
	if err := json.Unmarshal(read, &body); err != nil {
		return nil, nil, fmt.Errorf("invalid JSON payload received: %w", err)
	}
	if body.Nested != nil {
		body = *body.Nested
	}
	return &body, extracted, nil
}

func (q *query) fill(m model, body *generateBody, extracted [][]byte) error {
	asked := asked{model: m, vertex: q.Vertex, method: q.Method, generateBody: body}
	if embeds(q.Method) {
		q.Kind = KindEmbed
		return q.fillEmbedding(asked, extracted)
	}
	if generates(q.Method) {
		if err := asked.judge(generateRules); err != nil {
			return err
		}
	}
	q.wav, q.signs = m.wav, m.signs()
	if m.speaks && generates(q.Method) {
		q.Kind = KindSpeak
	}
	return q.fillGenerate(body, extracted)
}

func (q *query) fillGenerate(body *generateBody, extracted [][]byte) error {
	for _, p := range body.SystemInstruction.Parts {
		if p.Text != nil {
			q.System += *p.Text
		}
	}
	if s := body.Config.Speech; s != nil {
		q.Language = s.Language
		if s.Voice != nil {
			q.Voice = s.Voice.Prebuilt.Name
		}
	}
	q.Turns = len(body.Contents)
	q.Search = body.searches()
	wanted := cmp.Or(body.Config.JSONSchema, body.Config.Schema)
	q.Schema = wanted != nil
	q.ResponseSchema, _ = wanted.(map[string]any)
	q.JSON = q.Schema || body.Config.MIMEType == "application/json"
	q.word = body.Config.MIMEType == "text/x.enum"
	q.Functions, q.Dialog = body.functions(), body.dialog()
	q.functionSchemas, q.Declared = body.functionSchemas(), body.declared()
	q.MaxTokens = body.Config.maxTokens()
	for i, c := range body.Contents {
		if c.Role == "model" {
			continue
		}
		texts, photos, err := c.split(extracted)
		if err != nil {
			return err
		}
		for j := range photos {
			photos[j].Content = i
		}
		q.Texts = append(q.Texts, texts...)
		q.Inline = append(q.Inline, photos...)
	}
	if len(body.Contents) == 0 {
		return fmt.Errorf("%s: contents is not specified", q.Method)
	}
	return nil
}

// split returns the texts and the inline data of c.
func (c content) split(extracted [][]byte) (texts []string, inline []Inline, err error) {
	for _, p := range c.Parts {
		switch {
		case p.InlineData != nil:
			one, err := p.InlineData.inline(extracted)
			if err != nil {
				return nil, nil, err
			}
			inline = append(inline, one)
		case p.Text != nil:
			texts = append(texts, *p.Text)
		}
	}
	return texts, inline, nil
}

// photoTypes are the image types the models take.
var photoTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/webp": true, "image/heic": true, "image/heif": true}

func (b *blob) inline(extracted [][]byte) (Inline, error) {
	mime := strings.ToLower(b.MIMEType)
	isImage := strings.HasPrefix(mime, "image/")
	if !knownMedia(mime) || isImage && !photoTypes[mime] {
		return Inline{}, fmt.Errorf("unsupported MIME type in 'inline_data.mime_type': %q", mime)
	}
	data, err := decode(b.Data, extracted)
	if err != nil {
		return Inline{}, err
	}
	sniffed := http.DetectContentType(data)
	if isImage && strings.HasPrefix(sniffed, "image/") && !photoTypes[sniffed] {
		return Inline{}, fmt.Errorf("unable to process input image: it is %s", sniffed)
	}
	sum := sha256.Sum256(data)
	return Inline{MIMEType: mime, Bytes: len(data), SHA256: hex.EncodeToString(sum[:]), Data: data}, nil
}

// knownMedia reports whether mime is of a sort that some model takes: the
// documentation lists images, sound, films, texts and documents.
func knownMedia(mime string) bool {
	sort, _, ok := strings.Cut(mime, "/")
	return ok && slices.Contains([]string{"image", "audio", "video", "text", "application"}, sort) && mime != "application/octet-stream"
}

// fillEmbedding takes the contents to embed apart.
func (q *query) fillEmbedding(a asked, extracted [][]byte) error {
	if err := a.judge(embedRules); err != nil {
		return err
	}
	for _, r := range a.toEmbed() {
		if err := q.addEmbedding(a.model, r, extracted); err != nil {
			return err
		}
	}
	return nil
}

// toEmbed returns the contents of any of the embedding methods.
func (a asked) toEmbed() []embedBody {
	switch a.method {
	case "embedContent":
		return []embedBody{a.embedBody}
	case "predict":
		var list []embedBody
		for _, i := range a.Instances {
			text := content{Parts: []part{{Text: &i.Content}}}
			list = append(list, embedBody{Content: text, Dimensions: a.Parameters.Dimensions})
		}
		return list
	}
	return a.Requests
}

func (q *query) addEmbedding(m model, r embedBody, extracted [][]byte) error {
	texts, photos, err := r.Content.split(extracted)
	if err != nil {
		return err
	}
	in := embedInput{
		text:       strings.Join(texts, "\n"),
		photos:     photos,
		dimensions: cmp.Or(r.Dimensions, r.Config.Dimensions, defaultDimensions),
	}
	if err := checkInput(m, in); err != nil {
		return fmt.Errorf("%s: %w", q.Method, err)
	}
	q.embed = append(q.embed, in)
	q.Texts = append(q.Texts, in.text)
	q.Inline = append(q.Inline, photos...)
	return nil
}
