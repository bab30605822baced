package scripts

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// However few or many photos wait, and for whatever a person must end, exactly one alert says
// so within half an hour of the first, and its incident stays open for as long as they wait,
// as dead letters too. What reads as resolved would be looked at by nobody.
//
// The queries and their duration are those of terraform/. They are evaluated each minute by
// Prometheus, with which Cloud Monitoring is at parity but for the borders of rate and
// increase (docs.cloud.google.com/stackdriver/docs/managed-prometheus/promql-differences). An
// incident opens when a query has returned a series for the whole duration, and closes when it
// does not return it any more (docs.cloud.google.com/monitoring/alerts/concepts-indepth).
func TestWaitingPhotosPageOnce(t *testing.T) {
	t.Parallel()
	files := readTerraform(t)
	conditions := files.conditions(t)
	for _, cause := range []struct{ queue, kind, alert string }{
		{"uploads", "quota", "model errors"}, {"uploads", "unavailable", "model errors"}, {"uploads", "budget", "model errors"},
		{"uploads", "unpaid", "model errors"}, {"tasks", "quota", "model errors"}, {"tasks", "not_in_plan", "model errors"},
		{"uploads", "", "error rate"}, // Firestore refuses, and no model is asked
	} {
		for _, photos := range []int{1, 4, 8, 20, 40, 100} {
			w := waiting{queue: cause.queue, kind: cause.kind, photos: photos}
			for minute, titles := range incidents(t, conditions, w.series(t, files)) {
				if len(titles) > 1 || minute >= 30 && !slices.Equal(titles, []string{cause.alert}) {
					t.Errorf("%+v: after %d minutes %q are open, want %s alone", w, minute, titles, cause.alert)
					break
				}
			}
		}
	}
	// Among photos that do not wait; what nothing explains is told of as a dead letter, in the end.
	for _, w := range []waiting{{queue: "uploads", kind: "quota", photos: 4, others: 2}, {queue: "uploads", photos: 1, others: 2}} {
		for minute, titles := range incidents(t, conditions, w.series(t, files)) {
			want := "model errors"
			if w.kind == "" && minute < 950 {
				want = "oldest message"
			} else if w.kind == "" {
				want = "dead letters"
			}
			if minute >= 30 && (minute < 950 || minute > 960) && !slices.Equal(titles, []string{want}) {
				t.Errorf("%+v: after %d minutes %q are open, want %s alone", w, minute, titles, want)
				break
			}
		}
	}
	// Nothing waits, or for minutes, or a batch goes on while some of it is throttled.
	for _, w := range []waiting{{queue: "uploads", others: 30}, {queue: "uploads", kind: "unavailable", photos: 40, others: 2, until: 10}, {queue: "tasks", kind: "quota", photos: 8, others: 30, until: 200}} {
		for minute, titles := range incidents(t, conditions, w.series(t, files)) {
			if len(titles) > 0 {
				t.Errorf("%+v: after %d minutes %q are open, want none", w, minute, titles)
				break
			}
		}
	}
}

// A refusal is remembered for longer than the pause until the next, or what tells of a
// photo's cause would open and close. A line of the log is counted some minutes late.
func TestRefusalsAreRemembered(t *testing.T) {
	t.Parallel()
	files := readTerraform(t)
	m := regexp.MustCompile(`\[(\d+)m\]`).FindStringSubmatch(files.local(t, "refusing").AsString())
	if m == nil {
		t.Fatal("terraform/alerts.tf: refusing has no window")
	}
	window, _ := strconv.Atoi(m[1])
	if pause := files.seconds(t, "max_backoff") + files.seconds(t, "service_timeout") + 5*60; 60*window < pause {
		t.Errorf("a refusal is remembered for %d minutes, want the longest pause, %d s, and more", window, pause)
	}
}

// hours is how long photos are walked through: a hundred deliveries take sixteen.
const hours = 20

// A waiting is photos that come at once to a queue, each delivery of which ends with a 503,
// beside others, a minute, that are analysed. A kind is that of the model's error; "" is none.
type waiting struct {
	queue, kind    string
	photos, others int
	until          int // minutes after which the photos wait no more; 0 is never
}

// series returns what Cloud Monitoring has of it, a point a minute. Monitoring keeps a count
// with the time that it is of, so that a new one counts from zero.
func (w waiting) series(t *testing.T, files terraformFiles) []promql.Series {
	t.Helper()
	const step = time.Minute
	service := "whatis-" + map[string]string{"uploads": "upload", "tasks": "task"}[w.queue]
	least, most := files.seconds(t, "min_backoff"), files.seconds(t, "max_backoff")
	deliveries, _ := files.local(t, "deliveries").AsBigFloat().Int64()
	end := w.until
	if w.until == 0 {
		end = hours * 60
	}
	refused := make([]float64, hours*60)
	dead := end // the minute from which the photos are dead letters
	at, pause := 0, least
	for n := range math.MaxInt32 {
		if int64(n) == deliveries {
			dead = at / 60
		}
		if at/60 >= end {
			break
		}
		refused[at/60] += float64(w.photos)
		at, pause = at+pause, min(2*pause, most)
	}
	var all []promql.Series
	count := func(name string, each []float64, first int, of ...string) {
		s := promql.Series{Metric: labels.FromStrings(append(of, "__name__", name, "monitored_resource", "cloud_run_revision")...)}
		sum := 0.0
		for minute, n := range each {
			if sum += n; minute >= first {
				s.Floats = append(s.Floats, promql.FPoint{T: (time.Duration(minute+1) * step).Milliseconds(), F: sum})
			}
		}
		s.Floats = slices.Insert(s.Floats, 0, promql.FPoint{T: (time.Duration(first) * step).Milliseconds()})
		all = append(all, s)
	}
	if w.photos > 0 {
		count("run_googleapis_com:request_count", refused, 0, "service_name", service, "response_code_class", "5xx")
		if w.kind != "" {
			count("logging_googleapis_com:user_whatis_model_errors", refused, 0, "service_name", service, "kind", w.kind)
		}
	}
	if w.others > 0 {
		each := slices.Repeat([]float64{float64(w.others)}, hours*60)
		count("run_googleapis_com:request_count", each, 0, "service_name", service, "response_code_class", "2xx")
		count("logging_googleapis_com:user_whatis_results", each, 0, "service_name", service, "source", "image", "cached", "false")
	}
	for name, from := range map[string][2]int{w.queue: {0, dead}, w.queue + "-dead-letter": {dead, end}} {
		s := promql.Series{Metric: labels.FromStrings("__name__", "pubsub_googleapis_com:subscription_oldest_unacked_message_age", "monitored_resource", "pubsub_subscription", "subscription_id", "whatis-"+name)}
		for minute := range hours * 60 {
			age := 0
			if minute >= from[0] && minute < from[1] && w.photos > 0 {
				age = 60 * (minute - from[0])
			}
			s.Floats = append(s.Floats, promql.FPoint{T: (time.Duration(minute) * step).Milliseconds(), F: float64(age)})
		}
		all = append(all, s)
	}
	return all
}

// A condition is one of an alert.
type condition struct {
	title, query string
	duration     time.Duration
}

// incidents returns for each minute the titles of the alerts that have an open incident.
func incidents(t *testing.T, conditions []condition, all []promql.Series) [][]string {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e8, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	known := &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		var found []storage.Series
		for _, s := range all {
			if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Metric.Get(m.Name)) }) {
				found = append(found, promql.NewStorageSeries(s))
			}
		}
		return &seriesSet{series: found}
	}}}
	open := make([][]string, hours*60)
	for _, c := range conditions {
		q, err := engine.NewRangeQuery(t.Context(), known, nil, c.query, time.Unix(0, 0), time.Unix(0, 0).Add((hours*60-1)*time.Minute), time.Minute)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.title, err, c.query)
		}
		matrix, err := q.Exec(t.Context()).Matrix()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.title, err, c.query)
		}
		for _, s := range matrix {
			var since, last int64 = -1, -1
			for _, p := range s.Floats {
				minute := p.T / time.Minute.Milliseconds()
				if last < 0 || minute != last+1 {
					since = minute
				}
				if last = minute; time.Duration(minute-since)*time.Minute >= c.duration && !slices.Contains(open[minute], c.title) {
					open[minute] = append(open[minute], c.title)
				}
			}
		}
		q.Close()
	}
	return open
}

// A seriesSet is a list of series as Prometheus reads it.
type seriesSet struct {
	storage.SeriesSet
	series []storage.Series
	next   int
}

func (s *seriesSet) Next() bool         { s.next++; return s.next <= len(s.series) }
func (s *seriesSet) At() storage.Series { return s.series[s.next-1] }
func (s *seriesSet) Err() error         { return nil }

func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// terraformFiles are what Terraform's files say: each local value, and the attributes of each
// resource by address.
type terraformFiles struct {
	locals    map[string]hclsyntax.Expression
	resources map[string]*hclsyntax.Body
	values    map[string]cty.Value
}

func readTerraform(t *testing.T) terraformFiles {
	t.Helper()
	files := terraformFiles{map[string]hclsyntax.Expression{}, map[string]*hclsyntax.Body{}, map[string]cty.Value{}}
	paths, _ := filepath.Glob("../terraform/*.tf")
	for _, path := range paths {
		file, diagnostics := hclparse.NewParser().ParseHCLFile(path)
		if diagnostics.HasErrors() {
			t.Fatal(diagnostics)
		}
		for _, block := range file.Body.(*hclsyntax.Body).Blocks {
			if block.Type == "locals" {
				for name, a := range block.Body.Attributes {
					files.locals[name] = a.Expr
				}
				continue
			}
			files.resources[strings.TrimPrefix(strings.Join(append([]string{block.Type}, block.Labels...), "."), "resource.")] = block.Body
		}
	}
	return files
}

// local returns a local value.
func (f terraformFiles) local(t *testing.T, name string) cty.Value {
	t.Helper()
	if v, ok := f.values[name]; ok {
		return v
	}
	if f.locals[name] == nil {
		t.Fatalf("terraform/ has no local.%s", name)
	}
	f.values[name] = f.value(t, f.locals[name])
	return f.values[name]
}

// seconds returns a local value such as "600s" or 600.
func (f terraformFiles) seconds(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSuffix(f.local(t, name).AsString(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// value evaluates an expression. Variables have their defaults; of resources there is what
// their own text says.
func (f terraformFiles) value(t *testing.T, e hclsyntax.Expression) cty.Value {
	t.Helper()
	roots := map[string]map[string]cty.Value{}
	for _, v := range e.Variables() {
		root, step := v.RootName(), func(i int) string {
			if a, ok := v[i].(hcl.TraverseAttr); ok {
				return a.Name
			}
			return ""
		}
		if roots[root] == nil {
			roots[root] = map[string]cty.Value{}
		}
		switch {
		case root == "each":
			t.Fatalf("%s depends on each", v.SourceRange())
		case root == "local":
			roots[root][step(1)] = f.local(t, step(1))
		case root == "var":
			roots[root][step(1)] = cty.StringVal("a-" + step(1))
			if a := f.resources["variable."+step(1)].Attributes["default"]; a != nil {
				roots[root][step(1)] = f.value(t, a.Expr)
			}
		case len(v) < 3: // all of a resource that is off by default
			roots[root][step(1)] = cty.EmptyObjectVal
		default:
			a := f.resources[root+"."+step(1)].Attributes[step(2)]
			if a == nil {
				t.Fatalf("%s: terraform/ does not say what that is", v.SourceRange())
			}
			roots[root][step(1)] = cty.ObjectVal(map[string]cty.Value{step(2): f.value(t, a.Expr)})
		}
	}
	known := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: map[string]function.Function{
		"concat": stdlib.ConcatFunc, "join": stdlib.JoinFunc, "keys": stdlib.KeysFunc, "merge": stdlib.MergeFunc, "replace": stdlib.ReplaceFunc, "values": stdlib.ValuesFunc,
	}}
	for root, values := range roots {
		known.Variables[root] = cty.ObjectVal(values)
	}
	v, diagnostics := e.Value(known)
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	return v
}

// conditions returns those of local.queries, with the duration of the policies.
func (f terraformFiles) conditions(t *testing.T) []condition {
	t.Helper()
	var duration time.Duration
	hclsyntax.VisitAll(f.resources["google_monitoring_alert_policy.queries"], func(n hclsyntax.Node) hcl.Diagnostics {
		if a, ok := n.(*hclsyntax.Attribute); ok && a.Name == "duration" {
			duration, _ = time.ParseDuration(f.value(t, a.Expr).AsString())
		}
		return nil
	})
	fields := func(e hclsyntax.Expression) map[string]hclsyntax.Expression {
		all := map[string]hclsyntax.Expression{}
		for _, item := range e.(*hclsyntax.ObjectConsExpr).Items {
			all[f.value(t, item.KeyExpr).AsString()] = item.ValueExpr
		}
		return all
	}
	var all []condition
	for _, alert := range fields(f.locals["queries"]) {
		of := fields(alert)
		title := f.value(t, of["title"]).AsString()
		for _, query := range f.value(t, of["conditions"]).AsValueMap() {
			all = append(all, condition{title, query.AsString(), duration})
		}
	}
	if len(all) < 10 || duration == 0 {
		t.Fatalf("terraform/alerts.tf has %d conditions of %s, want 10 and more", len(all), duration)
	}
	return all
}
