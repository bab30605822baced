package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/analyze"
)

// files returns a message with photos of these widths, called 40.jpg and so on.
func files(t *testing.T, widths ...int) *protocol.Message {
	t.Helper()
	m := protocol.NewMessage(protocol.MessageRoleUser)
	for _, width := range widths {
		part := protocol.NewRawPart(picture(t, width))
		part.Filename, part.MediaType = fmt.Sprintf("%d.jpg", width), "image/jpeg"
		m.Parts = append(m.Parts, part)
	}
	return m
}

// With as=one the files of a message are photos of one product: one question, whose result
// has them in their order, with their names. The queue does the same.
func TestA2AAsOne(t *testing.T) {
	t.Parallel()
	s := agents(t)
	for version, client := range s.clients() {
		for name, set := range map[string]func(m *protocol.Message){
			"data": func(m *protocol.Message) {
				m.Parts = append(m.Parts, protocol.NewDataPart(map[string]any{"as": "one"}))
			},
			"metadata": func(m *protocol.Message) { m.Metadata = map[string]any{"as": "one"} },
		} {
			m := files(t, 61, 60, 62)
			set(m)
			before := len(s.Gemini.Calls())
			result, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m})
			if err != nil {
				t.Fatalf("%s, %s: %v", version, name, err)
			}
			results := resultsOf(t, result)
			if len(results) != 1 {
				t.Fatalf("%s, %s: %d results, want one", version, name, len(results))
			}
			for _, c := range s.Gemini.Calls()[before:] {
				if n := len(c.Inline); n != 0 && n != 3 {
					t.Errorf("%s, %s: a call has %d photos, want all three", version, name, n)
				}
			}
			r := results[0]
			if got := fmt.Sprint(r.Image.File, r.MoreImages[0].File, r.MoreImages[1].File, r.Image.Width, r.MoreImages[1].Width); got != "61.jpg60.jpg62.jpg61 62" {
				t.Errorf("%s, %s: the photos are %s, want them in the order that they were sent in", version, name, got)
			}
		}
		m := files(t, 60)
		m.Metadata = map[string]any{"as": "two"}
		if _, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m}); err == nil || !strings.Contains(err.Error(), `want one`) {
			t.Errorf("%s: as=two = %v, want it refused", version, err)
		}
	}
}

// resultsOf returns the results of a task, in the order of its artifacts.
func resultsOf(t *testing.T, from protocol.SendMessageResult) (results []analyze.Result) {
	t.Helper()
	task, ok := from.(*protocol.Task)
	if !ok {
		t.Fatalf("SendMessage = %T, want a task", from)
	}
	for _, a := range task.Artifacts {
		if a.Name != "result" {
			continue
		}
		data, err := json.Marshal(a.Parts[0].Content.(protocol.Data).Value)
		if err != nil {
			t.Fatal(err)
		}
		var r analyze.Result
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

// Each file by itself: the artifacts are in the order of the files and name them.
func TestA2AKeepsOrderAndNames(t *testing.T) {
	t.Parallel()
	s := agents(t)
	widths := []int{77, 71, 76, 72, 75, 73}
	for version, client := range s.clients() {
		result, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: files(t, widths...)})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		var names []string
		var seen []int
		for _, a := range result.(*protocol.Task).Artifacts {
			if a.Name == "result" {
				names = append(names, fmt.Sprint(a.Metadata["file"]))
			}
		}
		for _, r := range resultsOf(t, result) {
			seen = append(seen, r.Image.Width)
		}
		if want := "[77.jpg 71.jpg 76.jpg 72.jpg 75.jpg 73.jpg]"; fmt.Sprint(names) != want || !slices.Equal(seen, widths) {
			t.Errorf("%s: the results are of %v, %v wide; want %s", version, names, seen, want)
		}
	}
}
