package ollama

import (
	"context"
	"fmt"
	"net/http"

	"github.com/ollama/ollama/api"

	"example.com/whatis/emulators/gemini"
)

// toWords makes a picture's words, of which its vector is made.
const toWords = "List the words that are printed in this picture, in their own script. Then say in one sentence what kind of thing it shows, with its colour, shape and material."

// mostWords limits the words of a picture, in tokens.
const mostWords = 300

// vector returns the vector of a text and of the words that the vision model reads off
// photos: the embedding model takes texts only.
func (m *Model) vector(ctx context.Context, text string, photos []gemini.Inline, dimensions int) ([]float32, error) {
	if dimensions != Dimensions {
		return nil, fmt.Errorf("output_dimensionality is %d: a local model embeds in %d", dimensions, Dimensions)
	}
	for _, photo := range photos {
		words, err := m.words(ctx, photo)
		if err != nil {
			return nil, err
		}
		text += "\n" + words
	}
	answer, err := m.client.Embed(ctx, &api.EmbedRequest{Model: m.embed.name, Input: text})
	if err != nil {
		return nil, failure(err, m.embed.name)
	}
	if len(answer.Embeddings) != 1 || len(answer.Embeddings[0]) != Dimensions {
		return nil, gemini.Failure(http.StatusInternalServerError, fmt.Sprintf("ollama: %s made no vector of %d numbers", m.embed.name, Dimensions))
	}
	return answer.Embeddings[0], nil
}

// words returns what the vision model reads off a photo.
func (m *Model) words(ctx context.Context, photo gemini.Inline) (string, error) {
	photo.Content = 0
	chat, err := request(&gemini.Request{
		Turns: 1, Dialog: []gemini.Said{{Role: "user", Text: toWords}}, Inline: []gemini.Inline{photo}, MaxTokens: mostWords,
	}, m.vision)
	if err != nil {
		return "", err
	}
	answer, err := m.chat(ctx, chat, m.vision)
	return answer.Text, err
}
