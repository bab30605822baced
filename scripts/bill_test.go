package scripts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
	"example.com/whatis/internal/gemini"
)

// List prices in USD, without free allowances: of us-central1 and the multi-region nam5, as
// Google's pages had them in copies that were read on 2026-11-25. The pages themselves could
// not be reached.
const (
	firestoreRead   = usdARead       // cloud.google.com/firestore/pricing
	firestoreWrite  = 0.18 / 100_000 // a document
	firestoreDelete = 0.02 / 100_000 // a document, by TTL too
	firestoreGiB    = 0.18           // a month; the copies did not show it
	cpuSecond       = 0.000024       // cloud.google.com/run/pricing, billed by requests
	memoryGiBSecond = 0.0000025
	runRequest      = 0.40 / 1e6
	pubsubByte      = 40.0 / (1 << 40) // cloud.google.com/pubsub/pricing; a request has 1,000 at least
	storageGB       = 0.020            // a month, Standard: cloud.google.com/storage/pricing
	storageWrite    = 0.005 / 1000     // of class A
	storageRead     = 0.0004 / 1000    // of class B
	logGiB          = 0.50             // cloud.google.com/stackdriver/pricing
	egressGB        = 0.12             // to the internet: cloud.google.com/vpc/network-pricing
)

// What a photo needs, besides its models.
const (
	photoGB         = 0.0003   // 0.3 MB
	resultGB        = 0.000003 // 3 kB
	recordGiB       = 8.0 / (1 << 20)
	recordsAPhoto   = 2    // documents that expire: its work and its turn
	messageBytes    = 2000 // a notification or a result
	messagesAPhoto  = 3    // notification published and pushed, result published
	logBytes        = 2500 // lines of ours and of the request
	waitingLogBytes = 1800 // the same of a delivery that is refused
	cpuOfWaiting    = 0.05 // seconds of such a delivery
	daysAMonth      = 30.4
	waitingHours    = 6 // on average, of what comes from noon to midnight
	viewsAPhoto     = 1 // of its result over HTTP

)

// Documents that a photo writes and reads in Firestore, as its calls in
// internal/analyze/intake/budget_test.go are, and those of a delivery that is refused. Whether
// there is a review, and whether the photo was forgotten, counts as the read of it: at first and in the end.
const (
	writesAPhoto  = (sure+doubted)*3 + known*6 + web*8
	readsAPhoto   = (sure+doubted)*5 + known*7 + web*7
	scansAPhoto   = known + 2*web // of vectors: the web is asked after all languages were
	writesWaiting = 6.0
	readsWaiting  = 3.0
)

// reading of a query by words: 3,000 tokens of facets and 200 of an answer, and its vector.
var (
	wordsRead     = gemini.Planned{Model: "gemini-3.5-flash-lite", Input: 3000, Output: 200}
	wordsEmbedded = gemini.Planned{Model: "gemini-embedding-2", Embeds: true, Input: 20}
)

// flex returns calls at the flex tier, where their model has one.
func flex(calls ...gemini.Planned) []gemini.Planned {
	for i := range calls {
		calls[i].Tier = gemini.Flex
	}
	return calls
}

// modelsOf returns what the models of a day's photos cost.
func modelsOf(photos float64, tier func(...gemini.Planned) []gemini.Planned) float64 {
	cost := func(share float64, calls ...gemini.Planned) float64 {
		return share * gemini.EstimateAt(thisYear, tier(calls...)...)
	}
	return photos * (cost(sure, reading) + cost(doubted, reading, judgement) + cost(known, reading, judgement, embedding) +
		cost(web, reading, search, structure, embedding))
}

func standard(calls ...gemini.Planned) []gemini.Planned { return calls }

// billed has the numbers of Terraform's configuration that a bill depends on.
type billed struct {
	concurrency, memoryMB, recordDays float64
	uploadDays                        float64 // 0 keeps photos
	minBackoff, maxBackoff            float64 // seconds
	deliveries                        float64
}

func readBilled(t *testing.T) billed {
	t.Helper()
	variables, service, pubsub := read(t, "../terraform/variables.tf"), read(t, "../terraform/variables_service.tf"), read(t, "../terraform/pubsub.tf")
	return billed{
		concurrency: numberIn(t, service, `(?s)upload = optional\(object.*?concurrency += optional\(number, (\d+)\)`),
		memoryMB:    numberIn(t, service, `(?s)upload = optional\(object.*?memory_mb += optional\(number, (\d+)\)`),
		recordDays:  numberIn(t, variables, `(?s)variable "record_days" \{.*?default += (\d+)`),
		uploadDays:  numberIn(t, variables, `(?s)variable "upload_days" \{.*?default += (\d+)`),
		minBackoff:  numberIn(t, pubsub, `min_backoff += "(\d+)s"`),
		maxBackoff:  numberIn(t, pubsub, `max_backoff += "(\d+)s"`),
		deliveries:  numberIn(t, pubsub, `deliveries += (\d+)`),
	}
}

func numberIn(t *testing.T, text, pattern string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// refusals returns how often a photo that waits so long is delivered in vain. A dead letter
// begins with the shortest pause again.
func (d billed) refusals(wait time.Duration) (n float64) {
	pause := d.minBackoff
	for left := wait.Seconds(); left > 0; left -= pause {
		if n++; n == 1 || n == d.deliveries+1 {
			pause = d.minBackoff
			continue
		}
		pause = min(2*pause, d.maxBackoff)
	}
	return n
}

// cpu returns what an instance costs while photos are under way in it, which share it as soon
// as there are several at a time.
func (d billed) cpu(photos, seconds float64) float64 {
	together := max(1, min(d.concurrency, photos*seconds/86_400))
	return photos * seconds / together * (cpuSecond + d.memoryMB/1024*memoryGiBSecond)
}

// A bill has what a day's photos cost, row by row.
type billRow struct {
	what string
	of   func(photos float64) float64
}

func (d billed) rows() []billRow {
	month := func(gb float64) func(days float64) func(p float64) float64 {
		return func(days float64) func(float64) float64 {
			return func(p float64) float64 { return p * days * gb * storageGB / daysAMonth }
		}
	}
	return []billRow{
		{"models", func(p float64) float64 { return modelsOf(p, standard) }},
		{"Firestore: documents of the work, written, read and deleted", func(p float64) float64 {
			return p * (writesAPhoto*firestoreWrite + readsAPhoto*firestoreRead + recordsAPhoto*firestoreDelete)
		}},
		{fmt.Sprintf("Firestore: records, once it has those of `RECORD_DAYS` = %.0f", d.recordDays), func(p float64) float64 {
			return p * d.recordDays * recordGiB * firestoreGiB / daysAMonth
		}},
		{"Firestore: vectors of 10,000 products", func(p float64) float64 { return p * scansAPhoto * scan(1e4) / 1000 }},
		{"Cloud Run", func(p float64) float64 { return d.cpu(p, callsAPhoto*60/callsASlot) + p*runRequest }},
		{"Pub/Sub", func(p float64) float64 { return p * messagesAPhoto * messageBytes * pubsubByte }},
		{"Cloud Storage: photos and results, written and read", func(p float64) float64 { return p * (2*storageWrite + 2*storageRead) }},
		{"Cloud Storage: photos of the last 30 days (`upload_days` = 30)", month(photoGB)(30)},
		{"Cloud Storage: results of a year", month(resultGB)(365)},
		{"logs", func(p float64) float64 { return p * logBytes / (1 << 30) * logGiB }},
		{"egress: each result is read once over HTTP; photos go to the models without a charge", func(p float64) float64 { return p * viewsAPhoto * resultGB * egressGB }},
	}
}

// besides returns what may come on top, or off.
func (d billed) besides() []billRow {
	const year = 365.0
	n := d.refusals(waitingHours * time.Hour)
	vectors := func(products float64) func(float64) float64 {
		return func(p float64) float64 { return p * scansAPhoto * (scan(products) - scan(1e4)) / 1000 }
	}
	return []billRow{
		{"every model at flex", func(p float64) float64 { return modelsOf(p, flex) - modelsOf(p, standard) }},
		{"100,000 products", vectors(1e5)},
		{"1,000,000 products", vectors(1e6)},
		{fmt.Sprintf("photos of a year (the default, `upload_days` = %.0f, keeps them)", d.uploadDays), func(p float64) float64 { return p * (year - 30) * photoGB * storageGB / daysAMonth }},
		{fmt.Sprintf("a day that is spent at noon: what comes later waits for %d hours on average, and is delivered %.0f times in vain", waitingHours, n), func(p float64) float64 {
			return p / 2 * n * (writesWaiting*firestoreWrite + readsWaiting*firestoreRead + runRequest + messageBytes*pubsubByte +
				cpuOfWaiting*(cpuSecond+d.memoryMB/1024*memoryGiBSecond) + waitingLogBytes*logGiB/(1<<30))
		}},
	}
}

func TestDocsBill(t *testing.T) {
	d, c := readBilled(t), defaults(t)
	if d.uploadDays != 0 {
		t.Errorf("upload_days is %.0f by default: the table reckons with 30 days, and says what keeping photos costs on top", d.uploadDays)
	}
	if float64(c.Platform.RecordDays) != d.recordDays || d.concurrency != photosAnUpload {
		t.Errorf("the code keeps records for %d days and the tables reckon with %d photos at once, Terraform has %.0f and %.0f", c.Platform.RecordDays, photosAnUpload, d.recordDays, d.concurrency)
	}
	var table strings.Builder
	table.WriteString("| photos a day | 1,000 | 100,000 | 1,000,000 |\n| --- | --- | --- | --- |\n")
	line := func(what string, of func(float64) float64) {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", what, money(of(1000)), money(of(100_000)), money(of(1e6)))
	}
	total := func(p float64) (sum float64) {
		for _, row := range d.rows() {
			sum += row.of(p)
		}
		return sum
	}
	for _, row := range d.rows() {
		line(row.what, row.of)
	}
	line("**all of it**", total)
	line("for 1,000 photos", func(p float64) float64 { return total(p) / p * 1000 })
	for _, row := range d.besides() {
		line("on top: "+row.what, row.of)
	}
	global := modelsOf(1, standard)
	all := total(1000)
	atEU(t)
	line("on top: models at `eu`, `us` or a region of Vertex AI", func(p float64) float64 { return modelsOf(p, standard) - p*global })
	docs.Section(t, "costs.md", "bill", table.String())
	docs.Section(t, "upload.md", "cost", fmt.Sprintf("1,000 photos cost some $%.1f ([the whole bill](costs.md)), $%.1f of it for models, and $%.1f more anywhere but at `global`. `max_usd_per_day` bounds the models alone, and photos are kept until you delete them.",
		all, 1000*global, modelsOf(1000, standard)-1000*global))
}

// compared is how many products a search compares in the index of the shop.
const compared = 100_000

// What searches by words cost, which read vectors of Firestore where these are more.
func TestDocsSearchBill(t *testing.T) {
	var table strings.Builder
	table.WriteString("| searches a day | 10,000 products | 100,000 | 1,000,000 |\n| --- | --- | --- | --- |\n")
	for _, searches := range []float64{1000, 10_000, 100_000} {
		of := func(products float64) string {
			usd := searches * gemini.EstimateAt(thisYear, wordsRead, wordsEmbedded)
			if products > compared {
				usd += searches * scan(products) / 1000
			}
			return money(usd)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", grouped(searches), of(1e4), of(1e5), of(1e6))
	}
	docs.Section(t, "costs.md", "searches", table.String())
}

// money is an amount with cents, or from 100 on without.
func money(usd float64) string {
	switch {
	case usd < 0:
		return "−" + money(-usd)
	case usd >= 100:
		return grouped(usd)
	}
	return strconv.FormatFloat(usd, 'f', 2, 64)
}

// The pauses between deliveries are doubled up to the longest; a dead letter begins anew.
func TestRefusals(t *testing.T) {
	d := billed{minBackoff: 10, maxBackoff: 40, deliveries: 5}
	for wait, want := range map[time.Duration]float64{0: 0, 10 * time.Second: 1, 30 * time.Second: 2, 31 * time.Second: 3, 150 * time.Second: 5, 151 * time.Second: 6, 161 * time.Second: 7} {
		if got := d.refusals(wait); got != want {
			t.Errorf("refusals within %v = %v, want %v", wait, got, want)
		}
	}
}
