package api_test

import (
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
)

// A document that this version cannot read, as another has written it, keeps nobody from the lists,
// which have it and all others.
func TestListsOfAnotherVersion(t *testing.T) {
	t.Parallel()
	s := agents(t)
	unreadable := map[string]string{} // document → field
	for i := range 2 {
		s.upload("a.jpg", picture(t, i))
		s.ok(s.ask("POST", "/analyze", string(picture(t, 10*i+7)), "Content-Type", "image/jpeg"))
		_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
		unreadable["batches/"+read[batch.Status](t, body).ID] = "usd_low"
		s.work()
		m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewRawPart(picture(t, 71)))
		if _, err := s.clients()["1.0"].SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	db := s.FirestoreClient(t)
	for collection, field := range map[string]string{"work": "result", "a2a_tasks": "context_id"} {
		docs, err := db.Collection(collection).Limit(1).Documents(t.Context()).GetAll()
		if err != nil || len(docs) != 1 {
			t.Fatal(len(docs), err)
		}
		unreadable[collection+"/"+docs[0].Ref.ID] = field
	}
	counts := func() (all []int) {
		for _, list := range [][4]string{
			{"GET", "/results", "", `"finished_at"`}, {"GET", "/batches", "", `"created_at"`},
			{"POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, `"contextId"`},
		} {
			resp, body := s.ask(list[0], list[1], list[2], "Content-Type", "application/json")
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s = %s %.300s", list[1], resp.Status, body)
			}
			all = append(all, strings.Count(body, list[3]))
		}
		return all
	}
	before := counts()
	for doc, field := range unreadable {
		value := any([]string{"of another version"})
		if field == "result" {
			value = `{"cost_usd":"0.1"}`
		}
		if _, err := db.Doc(doc).Update(t.Context(), []firestore.Update{{Path: field, Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	after := counts()
	for i := range before {
		if before[i] < 2 || after[i] < before[i]-1 { // a task may have lost the field that is counted
			t.Errorf("%d entries before and %d after, want all shown", before, after)
		}
	}
	if _, body := s.ask("GET", "/results", ""); !strings.Contains(body, intake.Unreadable) {
		t.Errorf("no result is said to be unreadable: %.300s", body)
	}
}
