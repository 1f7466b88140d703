package policy

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Constants of the estimates for rules on tokens and costs.
const (
	// bytesPerToken is the usual length of a token of English text, and approximately that of other languages with
	// current vocabularies.
	bytesPerToken = 4
	// perMessage is what a message adds in OpenAI's chat format; see core/llm/tokens.
	perMessage = 3
	// assumedOutput is the length of an answer in tokens when the client sets no limit.
	assumedOutput = 4096
	// unitsPerUSD is the number of money units per dollar.
	unitsPerUSD = 1e10
)

// countPromptTokens estimates the length of a request.
func countPromptTokens(x *core.Exchange) int64 {
	n := 0
	for i := range x.Request.Segments {
		n += x.Request.Segments[i].Span.Len()
	}
	return int64((n+bytesPerToken-1)/bytesPerToken + perMessage*x.Head.Messages)
}

// countAnswerTokens returns the length of a whole answer: the provider's count, or an estimate if the provider sent no
// count.
func countAnswerTokens(x *core.Exchange) int64 {
	if x.Usage.Reported {
		return x.Usage.Output
	}
	n := 0
	for i := range x.Response.Segments {
		n += x.Response.Segments[i].Span.Len()
	}
	return int64(n / bytesPerToken)
}

// findTarget returns where the request will probably go.
func (w *work) findTarget(x *core.Exchange) (t core.TargetRef, ok bool) {
	if w.stage.deps.Routes == nil {
		return t, false
	}
	list := w.stage.deps.Routes.Plan(x.Model())
	if len(list) == 0 {
		return t, false
	}
	return list[0], true
}

// estimateCost estimates the maximum cost of the call.
func (w *work) estimateCost(x *core.Exchange) {
	t, ok := w.findTarget(x)
	if !ok || w.stage.deps.Prices == nil {
		return
	}
	input, output, ok := w.stage.deps.Prices.FindPerToken(t.Provider, t.Model)
	if !ok {
		return
	}
	out := x.Head.MaxTokens
	if out == 0 {
		out = assumedOutput
	}
	answers := float64(x.Head.Answers())
	w.f.CostUSD = (float64(input)*float64(w.f.PromptTokens) + float64(output)*float64(out)*answers) / unitsPerUSD
	w.f.Priced = true
	w.f.Known |= dsl.NewAttrSet(dsl.Cost)
}

// readWindow stores the model's context window.
func (w *work) readWindow(x *core.Exchange) {
	if t, ok := w.findTarget(x); ok && w.stage.deps.Windows != nil {
		if w.f.ContextWindow = w.stage.deps.Windows.FindContextWindow(t.Provider, t.Model); w.f.ContextWindow > 0 {
			w.f.Known |= dsl.NewAttrSet(dsl.ContextWindow)
		}
	}
}
