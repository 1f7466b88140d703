package proxy

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/llm"
)

// translation is the state of an exchange whose provider speaks another dialect than its client.
type translation struct {
	client wire.Translator
	wire   dialect.WireForm
	req    *llm.Request
	low    *llm.Lowered
	usage  llm.Usage
	before llm.Usage // of the prompts answered so far
}

// translateRequest builds the provider's request from the client's.
func (a *attempts) translateRequest(p route.Provider, t core.Traits) ([]byte, *core.Error) {
	from, ok := a.call.d.(wire.Translator)
	to, known := dialect.FindWire(a.call.x.Target.Wire)
	if !ok || !known {
		return nil, newNotServedError(p, a.call.d)
	}
	r, e := a.decodeForTranslation(from)
	if e != nil {
		return nil, e
	}
	if h := a.call.x.Hosted; h != nil && len(h.Tools) > 0 {
		return nil, scan.NewUnsupportedError("tools", p.Label()+" does not speak this API and cannot run its tools: "+listHostedNames(h))
	}
	if flaw := r.Check(t.ImageLimit); flaw != "" {
		return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: flaw}
	}
	r.Model, r.MaxTokens = t.Model, t.ChooseTokenLimit(r.MaxTokens)
	r.Messages = append(r.Messages, a.call.x.Appended...)
	if a.call.effort != "" {
		r.Effort = llm.Effort(a.call.effort)
	}
	if to.Sends.Extras {
		r.KeepExtras()
	}
	low := llm.Lower(r, llm.Target{
		CustomTools: to.Sends.CustomTools && t.CustomTools, Namespaces: to.Sends.Namespaces,
		SearchTools: to.Sends.SearchTools, ResultImages: t.ResultImages, DistinctIDs: to.Sends.DistinctIDs,
		PlainNames: to.Sends.PlainNames,
	})
	a.call.answer.tr = &translation{client: from, wire: to, req: r, low: low}
	body, e := to.EncodeRequest(a.sent[:0], low.Request, t)
	if e != nil {
		return nil, e
	}
	if f := r.Format; f != nil && f.Schema != nil && f.Strict != nil && *f.Strict && !t.Strict {
		a.call.answer.relaxed = true
	}
	return body, nil
}

func (a *attempts) decodeForTranslation(from wire.Translator) (*llm.Request, *core.Error) {
	if b, ok := from.(wire.Batcher); ok {
		return b.DecodePrompt(&a.call.x, a.call.prompt)
	}
	return from.Decode(&a.call.x)
}

// newNotServedError returns the error of a provider that lacks the service.
func newNotServedError(p route.Provider, d core.Dialect) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "model",
		Public: p.Label() + " does not serve requests of this API (" + d.Name() + ") for this model; use another model",
	}
}

// translateWhole converts a whole answer from the provider's dialect to the client's.
func (a *answer) translateWhole(body []byte) ([]byte, error) {
	whole, err := a.tr.wire.DecodeResponse(body)
	if err != nil {
		return nil, err
	}
	whole = a.tr.low.RestoreResponse(whole)
	a.tr.usage = whole.Usage
	a.call.out = a.tr.client.Encode(a.call.out[:0], a.tr.req, whole)
	return a.call.out, nil
}

// settleTranslation reports what the translation has dropped, and takes the provider's usage where the client's dialect
// cannot carry all of it, or was not asked to.
func (a *answer) settleTranslation() {
	if a.tr == nil {
		return
	}
	var dropped []string
	for _, list := range [...][]string{a.tr.low.Request.Dropped, a.tr.req.Dropped} { // the answer is written for the client's own request
		for _, f := range list {
			if f = a.tr.client.TranslateField(f); !slices.Contains(dropped, f) {
				dropped = append(dropped, f)
			}
		}
	}
	if len(dropped) > 0 {
		a.call.proxy.Telemetry.ReportDroppedFields(&a.call.x, dropped)
	}
	if a.tr.usage.Reported {
		a.call.x.Usage = a.tr.usage
	}
}
