package api_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	gcp "cloud.google.com/go/firestore"
	"cloud.google.com/go/storage"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/api/iterator"

	"example.com/whatis/internal/search"
)

// By MCP products are found by words and by a picture, and errors are returned for the
// model to read.
func TestMCPSearch(t *testing.T) {
	t.Parallel()
	s := searching(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	wanted := frame(t, "round", "gold", "frames")
	for name, arguments := range map[string]map[string]any{
		"words":   {"query": "round gold frames", "limit": 3},
		"both":    {"query": "gọng kính", "image": photographed(t, wanted), "weights": map[string]any{"text": 0.5, "image": 0.5}},
		"filters": {"filters": map[string]any{"frameShape": "round", "color": "gold", "category": "frames"}},
		"a face":  {"query": "gold frames", "analysis_result": map[string]any{"face_detected": true, "recommended_frame_shapes": []string{"round"}}},
	} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_products", Arguments: arguments})
		if err != nil || got.IsError {
			t.Errorf("%s: search_products = %+v, %v", name, got, err)
			continue
		}
		result := read[search.Result](t, jsonOf(t, got.StructuredContent))
		if len(result.Products) == 0 || result.Products[0].Name != wanted.Name {
			t.Errorf("%s: search_products = %+v, want %s first", name, result, wanted.Name)
		}
	}
	for says, arguments := range map[string]map[string]any{
		"neither query": {}, "send a photo": {"image": []byte("no picture")}, "limit": {"query": "a", "limit": 51}, "shop": {"query": "a", "shop": "nowhere"},
	} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_products", Arguments: arguments})
		if err != nil || !got.IsError || !strings.Contains(jsonOf(t, got.Content), says) {
			t.Errorf("search_products(%v) = %+v, %v; want an error with %q", arguments, got, err, says)
		}
	}
}

// face is a face analysis whose texts must never be stored.
var face = map[string]any{
	"face_detected": true, "face_shape": "heart-as-sent", "skin_tone": "olive-as-sent", "glasses_detected": true,
	"glasses_observed": "rimless-as-sent", "summary": "a person-as-sent", "recommended_frame_shapes": []any{"round"},
}

// By A2A several texts form one query, and each file is a search of its own. Only the words
// are stored: neither Firestore nor a bucket contains the pictures or the face analysis.
func TestA2ASearch(t *testing.T) {
	t.Parallel()
	s := searching(t)
	first, second := frame(t, "round", "gold", "frames"), frame(t, "round", "red", "frames")
	pictures := [][]byte{photographed(t, first), photographed(t, second)}
	for version, client := range s.clients() {
		m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart("round frames"), protocol.NewTextPart("like these"),
			protocol.NewRawPart(pictures[0]), protocol.NewRawPart(pictures[1]),
			protocol.NewDataPart(map[string]any{"analysis_result": face, "limit": 3, "weights": map[string]any{"text": 0.3, "image": 0.7}}))
		m.Metadata = map[string]any{"skill": "search"}
		kinds, last := shape(t, client.SendStreamingMessage(t.Context(), &protocol.SendMessageRequest{Message: m}))
		if kinds[0] != "TASK_STATE_SUBMITTED" || kinds[len(kinds)-1] != "TASK_STATE_COMPLETED" || !slices.Contains(kinds, "events") {
			t.Fatalf("%s: events %q, want a completed task", version, kinds)
		}
		task, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: last.TaskInfo().TaskID})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if got, want := s.firsts(task), first.Name+", "+second.Name; got != want {
			t.Errorf("%s: found %s, want %s", version, got, want)
		}
	}
	said, _ := s.clients()["1.0"].SendMessage(t.Context(), &protocol.SendMessageRequest{
		Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart("gold round frames")),
	})
	if task, ok := said.(*protocol.Task); !ok || s.firsts(task) != first.Name {
		t.Errorf("words alone = %+v, want them searched", said)
	}
	s.keepsNothingOf(pictures...)
}

// firsts returns the names of the best product of each result of a task.
func (s *service) firsts(task *protocol.Task) string {
	s.t.Helper()
	names := map[string]string{}
	var ids []string
	for _, a := range task.Artifacts {
		if a.Name != "result" {
			continue
		}
		result := read[search.Result](s.t, jsonOf(s.t, a.Parts[0].Data()))
		if len(result.Products) > 0 {
			names[string(a.ID)] = result.Products[0].Name
		}
		ids = append(ids, string(a.ID))
	}
	slices.Sort(ids)
	for i, id := range ids {
		ids[i] = names[id]
	}
	return strings.Join(ids, ", ")
}

// keepsNothingOf fails if a document or an object contains part of the pictures, or of the
// texts of face.
func (s *service) keepsNothingOf(pictures ...[]byte) {
	s.t.Helper()
	secrets := map[string][]byte{"the analysis": []byte("-as-sent")}
	for i, p := range pictures {
		at := len(p) / 2 / 3 * 3 // a base64 boundary
		middle := p[at : at+30]
		secrets[fmt.Sprintf("picture %d", i)] = middle
		secrets[fmt.Sprintf("picture %d in base64", i)] = []byte(base64.StdEncoding.EncodeToString(middle))
	}
	stored := s.stored()
	for what, secret := range secrets {
		for at, data := range stored {
			if bytes.Contains(data, secret) {
				s.t.Errorf("%s holds %s: %.300q", at, what, data)
			}
		}
	}
	tasks := 0
	for at := range stored {
		if strings.Contains(at, "a2a_tasks") {
			tasks++
		}
	}
	if tasks != 3 {
		s.t.Errorf("%d tasks are stored, want 3 to look into", tasks)
	}
}

// stored returns everything in Firestore and the buckets, except the catalogue's own
// pictures.
func (s *service) stored() map[string][]byte {
	s.t.Helper()
	all := map[string][]byte{}
	collections, err := s.FirestoreClient(s.t).Collections(s.t.Context()).GetAll()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range collections {
		docs, err := c.Documents(s.t.Context()).GetAll()
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range docs {
			all[c.ID+"/"+d.Ref.ID] = plainOf(d)
		}
	}
	for _, bucket := range []string{"uploads", "results"} {
		objects := s.objects.Bucket(bucket).Objects(s.t.Context(), nil)
		for {
			o, err := objects.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			if err != nil {
				s.t.Fatal(err)
			}
			all["gs://"+bucket+"/"+o.Name] = s.object(o)
		}
	}
	return all
}

func (s *service) object(o *storage.ObjectAttrs) []byte {
	s.t.Helper()
	r, err := s.objects.Bucket(o.Bucket).Object(o.Name).NewReader(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// plainOf returns the content of a document, with its bytes unencoded.
func plainOf(d *gcp.DocumentSnapshot) []byte {
	var b bytes.Buffer
	for name, value := range d.Data() {
		if data, ok := value.([]byte); ok {
			fmt.Fprintf(&b, "%s=%s\n", name, data)
		} else {
			fmt.Fprintf(&b, "%s=%v\n", name, value)
		}
	}
	return b.Bytes()
}
