// The client that oapi-codegen makes of the document, in client.go, calls every
// operation of the service at an address.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os"
	"path"
	"reflect"
	"slices"
	"time"
)

// An api is the client, for a while.
type api struct {
	*ClientWithResponses
	context.Context
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		fail("%v", err)
	}
	a := api{client, ctx}
	a.service()
	a.photos(os.Args[2])
	a.batches()
	a.reviews()
	a.catalog()
	a.search()
	a.forecast()
	a.discover()
	a.skills()
	fmt.Println("every operation was called")
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// ok is an answer that is as it should be.
func ok[T interface{ StatusCode() int }](answer T, err error) T {
	if err != nil {
		fail("%T: %v", answer, err)
	}
	if answer.StatusCode()/100 != 2 {
		fail("%T: %d %s", answer, answer.StatusCode(), reflect.ValueOf(answer).Elem().FieldByName("Body").Bytes())
	}
	return answer
}

func want(what string, good bool, got any) {
	if !good {
		fail("%s: %+v", what, got)
	}
}

func ptr[T any](v T) *T { return &v }

// until asks until an answer says that something has ended.
func (a api) until(ended func() bool) {
	for !ended() {
		select {
		case <-a.Done():
			fail("%v", a.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (a api) service() {
	ok(a.GetHealthWithResponse(a))
	s := ok(a.GetServiceWithResponse(a)).JSON200
	want("the service", s.Status == "online", s)
	ok(a.GetOpenAPIWithResponse(a))
	want("who asks", !ok(a.GetCallerWithResponse(a)).JSON200.Identified, "")
	want("what today costs", len(ok(a.GetSpendWithResponse(a)).JSON200.Day) == 10, "")
	skills := ok(a.ListSkillsWithResponse(a)).JSON200
	want("skills", len(skills.Skills) > 3, skills)
}

// photos asks for one photo in three forms and for several, and tells the outcomes apart.
func (a api) photos(file string) {
	photo, err := os.ReadFile(file)
	if err != nil {
		fail("%v", err)
	}
	r := ok(a.AnalyzePhotoWithResponse(a, nil, Photo{Image: &photo})).JSON200
	outcome, err := r.ValueByDiscriminator()
	product, identified := outcome.(ProductResult)
	want("the result of a photo", err == nil && identified && product.ProductName != "" && product.Warnings != nil, outcome)
	raw := ok(a.AnalyzePhotoWithBodyWithResponse(a, &AnalyzePhotoParams{Fresh: ptr(true)}, "image/png", bytes.NewReader(photo))).JSON200
	again, err := raw.AsProductResult()
	want("the result of the bytes", err == nil && again.ProductName == product.ProductName, again)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", "photo.png") // into memory
	_, _ = io.Copy(part, bytes.NewReader(photo))
	_ = w.Close()
	ok(a.AnalyzePhotoWithBodyWithResponse(a, nil, w.FormDataContentType(), &form))

	several := *ok(a.AnalyzePhotosWithResponse(a, nil, []Photo{{Uri: ptr("gs://uploads/photos/a.png")}, {Uri: ptr("gs://uploads/text.txt")}})).JSON200
	want("the results of two photos", len(several) == 2, several)
	failed, err := several[1].Result.ValueByDiscriminator()
	_, isFailed := failed.(FailedResult)
	want("the result of a text", err == nil && isFailed, failed)
	bad, err := a.AnalyzePhotoWithResponse(a, nil, Photo{Uri: ptr("gs://other/a.png")})
	want("a foreign bucket", err == nil && bad.ApplicationproblemJSON403 != nil && bad.ApplicationproblemJSON403.Code == "bucket_not_allowed", bad)
}

// batches makes a batch, and looks at the results that it leaves.
func (a api) batches() {
	dry := ok(a.CreateBatchWithResponse(a, BatchRequest{Prefix: "gs://uploads/photos/", DryRun: ptr(true)})).JSON200
	want("a dry run", dry.Number == 1, dry)
	begun := ok(a.CreateBatchWithResponse(a, BatchRequest{Prefix: "gs://uploads/photos/"})).JSON202
	id := *begun.Id
	a.until(func() bool { return *ok(a.GetBatchWithResponse(a, id)).JSON200.State == "done" })
	events := ok(a.FollowBatchWithResponse(a, id, nil)).Body
	want("the events of a batch", bytes.Contains(events, []byte("event: end")), string(events))
	want("the result of a batch", len(*ok(a.GetBatchResultWithResponse(a, id, nil)).JSON200) == 1, id)
	csv := ok(a.GetBatchResultWithResponse(a, id, &GetBatchResultParams{Format: ptr(GetBatchResultParamsFormat("csv"))})).Body
	want("the result of a batch as CSV", bytes.HasPrefix(csv, []byte("file,outcome")), string(csv))
	want("the batches", len(ok(a.ListBatchesWithResponse(a, nil)).JSON200.Batches) > 0, id)
	ok(a.CancelBatchWithResponse(a, id))

	results := ok(a.ListResultsWithResponse(a, &ListResultsParams{Limit: ptr(50)})).JSON200.Results
	i := slices.IndexFunc(results, func(l Listed) bool { return l.HasPhoto })
	want("a result with a photo", i >= 0, results)
	ok(a.GetResultWithResponse(a, results[i].Id))
	small := ok(a.GetResultPhotoWithResponse(a, results[i].Id, &GetResultPhotoParams{Width: ptr(100)})).Body
	want("the photo of a result", bytes.HasPrefix(small, []byte("\xff\xd8")), len(small))
}

// reviews says something of a result, takes it back, and has the result forgotten.
func (a api) reviews() {
	results := ok(a.ListResultsWithResponse(a, &ListResultsParams{Limit: ptr(50)})).JSON200.Results
	i := slices.IndexFunc(results, func(l Listed) bool { return l.HasPhoto })
	want("a result to review", i >= 0, results)
	id := results[i].Id
	given := ok(a.ReviewResultWithResponse(a, id, nil, ReviewRequest{Verdict: "accept", By: ptr("kim")})).JSON200
	want("a review", given.Verdict == "accept", given)
	want("the review", ok(a.GetReviewWithResponse(a, id)).JSON200.By == "kim", id)
	ok(a.UndoReviewWithResponse(a, id, &UndoReviewParams{By: ptr("kim")}))
	forgotten := ok(a.ForgetResultWithResponse(a, id, nil)).JSON200
	want("what stays of a result", len(forgotten.Stays) > 0, forgotten)
	acts := ok(a.GetResultActsWithResponse(a, id)).JSON200.Acts
	want("what was done to a result", len(acts) == 1 && acts[0].Act == "forget", acts)
}

// catalog looks at the records, vouches for one and deletes it.
func (a api) catalog() {
	records := ok(a.ListCatalogRecordsWithResponse(a, &ListCatalogRecordsParams{Limit: ptr(2)})).JSON200.Records
	want("the records", len(records) == 2, records)
	want("what there is", ok(a.GetCatalogStatsWithResponse(a, nil)).JSON200.Records >= len(records), records)
	exported := ok(a.ExportCatalogWithResponse(a, nil)).Body
	want("an export", bytes.Contains(exported, []byte(records[0].ProductName)), string(exported))
	id := records[0].Id
	want("a record", ok(a.GetCatalogRecordWithResponse(a, id)).JSON200.ProductName == records[0].ProductName, id)
	want("a confirmed record", ok(a.ConfirmCatalogRecordWithResponse(a, id, Confirmation{By: ptr("kim")})).JSON200.Status == "confirmed", id)
	want("a deleted record", ok(a.DeleteCatalogRecordWithResponse(a, id, &DeleteCatalogRecordParams{By: ptr("kim")})).JSON200.Id == id, id)
	acts := ok(a.GetCatalogRecordActsWithResponse(a, id)).JSON200.Acts
	want("what was done to a record", len(acts) == 2 && acts[1].Act == "delete", acts)
}

func (a api) search() {
	found := ok(a.SearchWithResponse(a, SearchRequest{Query: ptr("red frames"), Limit: ptr(2)})).JSON200
	want("a search", len(found.Products) == 2 && found.Products[0].Score > 0, found)
	ok(a.SearchTextWithResponse(a, SearchRequest{Query: ptr("black frames")}))
	want("filters", len(ok(a.GetSearchFiltersWithResponse(a, nil)).JSON200.Facets) > 0, found)
	id := found.Products[0].ProductId
	product := ok(a.GetProductWithResponse(a, id, nil)).JSON200
	want("a product", product.Name == found.Products[0].Name, product)
	ok(a.GetSimilarProductsWithResponse(a, id, &GetSimilarProductsParams{Limit: ptr(1)}))
	ok(a.GetProductImageWithResponse(a, id, nil))
}

func (a api) forecast() {
	f := ok(a.GetForecastWithResponse(a, "Seattle", &GetForecastParams{Audio: ptr(true), Units: ptr(GetForecastParamsUnits("metric"))})).JSON200
	want("a forecast", f.ForecastText != "" && f.AudioUrl != nil, f)
	at, err := url.Parse(*f.AudioUrl)
	want("the address of its audio", err == nil, err)
	wav := ok(a.GetForecastAudioWithResponse(a, f.Place.Id, path.Base(at.Path), &GetForecastAudioParams{Which: ptr(at.Query().Get("which"))})).Body
	want("its audio", bytes.HasPrefix(wav, []byte("RIFF")), len(wav))
	want("its history", len(ok(a.GetForecastHistoryWithResponse(a, "Seattle", nil)).JSON200.Forecasts) > 0, f)
	want("figures", ok(a.GetForecastStatsWithResponse(a)).JSON200.TotalCities > 0, f)
	reply := ok(a.SendWeatherMessageWithResponse(a, WeatherMessage{Message: "How is the weather in Oslo?"})).JSON200
	c := ok(a.GetSessionWithResponse(a, reply.Session)).JSON200
	want("a conversation", len(c.Messages) > 1, c)
	ok(a.DeleteSessionWithResponse(a, reply.Session))
}

// question is a discovery that is soon over.
var question = func() (q DiscoveryRequest) {
	const text = `{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_searches":1,"max_pages":4}}`
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		fail("%v", err)
	}
	return q
}()

func (a api) discover() {
	run := ok(a.StartDiscoveryWithResponse(a, question)).JSON202
	a.until(func() bool { return ok(a.GetDiscoveryWithResponse(a, run.Id)).JSON200.Action != nil })
	result := ok(a.GetDiscoveryResultWithResponse(a, run.Id, nil)).JSON200
	want("a discovery", result.Action != "" && result.Warnings != nil, result)
	want("the discoveries", len(ok(a.ListDiscoveriesWithResponse(a, nil)).JSON200.Discoveries) > 0, run)
	unknown, err := a.MarkDiscoveryWithResponse(a, run.Id, DiscoveryMarkRequest{DuplicateKey: "none", Verdict: "right"})
	want("a mark of no record", err == nil && unknown.ApplicationproblemJSON404 != nil, unknown)
	ok(a.CancelDiscoveryWithResponse(a, run.Id))
}

func (a api) skills() {
	analyzed := ok(a.RunAnalyzeSkillWithResponse(a, nil, RunAnalyzeSkillRequest{Uri: ptr("gs://uploads/photos/a.png")})).JSON200
	outcome, err := analyzed.Discriminator()
	want("the skill analyze", err == nil && outcome == "product", outcome)
	b := ok(a.StartAnalyzeBatchSkillWithResponse(a, StartAnalyzeBatchSkillRequest{Prefix: "gs://uploads/photos/"})).JSON202
	ok(a.GetAnalyzeBatchSkillRunWithResponse(a, b.Id))
	ok(a.CancelAnalyzeBatchSkillRunWithResponse(a, b.Id))
	ok(a.RunForecastSkillWithResponse(a, nil, RunForecastSkillRequest{City: "Lima"}))
	want("the skill search", len(ok(a.RunSearchSkillWithResponse(a, nil, RunSearchSkillRequest{Query: ptr("gold frames")})).JSON200.Products) > 0, "")
	d := ok(a.StartDiscoverSkillWithResponse(a, question)).JSON202
	ok(a.GetDiscoverSkillRunWithResponse(a, d.Id))
	ok(a.CancelDiscoverSkillRunWithResponse(a, d.Id))
}
