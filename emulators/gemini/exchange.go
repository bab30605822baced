package gemini

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// exchange is one call being served.
type exchange struct {
	s    *Server
	w    http.ResponseWriter
	r    *http.Request
	q    *query
	call *Call
}

func (x *exchange) serve(to route) {
	q, err := readQuery(x.r, to)
	x.q = q
	if err == nil && q.Schema {
		err = x.s.largeSchema(&q.Request)
	}
	switch {
	case err != nil:
		x.fail(refusal(err))
	case to.method == "models.list":
		x.send(http.StatusOK, modelList(to))
	case to.method == "models.get":
		x.send(http.StatusOK, modelInfo(to))
	case to.method == "countTokens":
		x.send(http.StatusOK, map[string]any{"totalTokens": q.promptTokens()})
	default:
		if generates(to.method) {
			x.s.know(q)
		}
		x.infer()
	}
}

// infer answers as a model: with a fault, else as scripted, else by a responder.
func (x *exchange) infer() {
	delay, fault := x.s.faults.meet(&x.q.Request)
	var answer Answer
	var scripted bool
	if fault == nil {
		answer, scripted = x.s.script.take(&x.q.Request)
		fault = answer.Fault
	}
	if fault != nil && fault.Type == Latency {
		delay, fault = delay+fault.Delay, nil
	}
	x.wait(x.s.latency + delay)
	if x.failed(fault) {
		return
	}
	if x.q.Kind == KindEmbed {
		x.embedding(answer, fault)
		return
	}
	reply, err := x.reply(answer, scripted && answer.says())
	x.leave()
	if err != nil {
		x.fail(refusal(err))
		return
	}
	reply.applyFault(fault)
	x.generate(reply, fault)
}

// wait lets d pass. It ends the call when the client leaves, or the emulator
// closes, before that.
func (x *exchange) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
		x.leave()
	}
}

// leave ends the call if the client has left, or the emulator closes.
func (x *exchange) leave() {
	if x.r.Context().Err() != nil {
		x.logCall(0)
		panic(http.ErrAbortHandler)
	}
}

// failed ends the call when the fault leaves no answer at all.
func (x *exchange) failed(f *Fault) bool {
	if f == nil {
		return false
	}
	x.call.Fault = f.Type
	switch f.Type {
	case RateLimited:
		x.fail(rateLimited(x.q.Model, f.Delay))
	case DailyQuota:
		x.fail(dailyQuota(x.q.Model, f.Delay))
	case NotInPlan:
		x.fail(notInPlan(x.q.Model))
	case Unpaid:
		x.fail(errUnpaid)
	case NoSearch:
		x.fail(errNoSearch)
	case SchemaRefused, BadRequest:
		x.fail(errInvalidArgument)
	case Internal:
		x.fail(errInternal)
	case Unavailable:
		x.fail(errUnavailable)
	case Cancelled:
		x.fail(errCancelled)
	case Forbidden:
		x.fail(errForbidden)
	case Gone:
		x.fail(gone(route{method: x.q.Method, model: x.q.Model, vertex: x.q.Vertex}))
	case TimeOut:
		x.logCall(0)
		<-x.r.Context().Done()
		panic(http.ErrAbortHandler)
	default:
		return false
	}
	return true
}

// reply is the model's answer, before it is written in the wire format.
type reply struct {
	text         string
	audio        *answerBlob
	calls        []FunctionCall
	signature    []byte
	grounding    *Grounding
	finishReason string
	blockReason  string
	usage        *Usage
	modelVersion string
}

func (x *exchange) reply(a Answer, scripted bool) (*reply, error) {
	if !scripted {
		var err error
		if a, err = x.s.honest(x.r.Context(), x.q); err != nil {
			return nil, err
		}
	}
	if len(a.Calls) > 0 && a.Signature == nil && x.q.signs {
		a.Signature = signatureOf(a.Calls)
	}
	text, err := a.body()
	finish := cmp.Or(a.FinishReason, "STOP")
	if len(a.Audio) > maxSound && a.AudioType == "" {
		a.Audio, finish = a.Audio[:maxSound], "MAX_TOKENS"
	}
	return &reply{
		text: text, audio: x.q.sound(a), calls: a.Calls, signature: a.Signature, grounding: a.Grounding, usage: a.Usage, blockReason: a.BlockReason,
		finishReason: finish, modelVersion: cmp.Or(a.ModelVersion, ModelVersion),
	}, err
}

func (x *exchange) fail(e apiError) {
	x.send(e.Code, map[string]any{"error": e})
}

// send logs the call and answers v as JSON.
func (x *exchange) send(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // only types of this package come here
	}
	x.sendBody(status, body, false)
}

// sendBody logs the call and answers body; a cut one ends half-way with the
// connection.
func (x *exchange) sendBody(status int, body []byte, cut bool) {
	x.logCall(status)
	x.w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	if cut {
		x.w.Write(body[:len(body)/2])
		x.abort()
	}
	x.w.Write(body)
}

// abort closes the connection after what was written so far.
func (x *exchange) abort() {
	http.NewResponseController(x.w).Flush()
	panic(http.ErrAbortHandler)
}

func (x *exchange) logCall(status int) {
	x.call.Request = x.q.Request
	x.call.RequestBytes = x.q.bytes
	x.call.Status = status
	x.call.Duration = time.Since(x.call.Start)
	x.s.log.add(*x.call)
}
