package proxy

import (
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/llm/tokens"
)

// counter is a dialect of requests that ask for a token count and call no model.
type counter interface {
	core.Dialect
	Decode(x *core.Exchange) (*llm.Request, *core.Error)
}

// counters write the answer, by dialect.
var counters = map[string]func(dst []byte, n int64) []byte{
	anthropic.CountTokensName: anthropic.AppendCount,
	gemini.CountTokensName:    gemini.AppendCount,
}

// findCounter returns the dialect if the request is a token count for which its provider has no endpoint.
func (c *call) findCounter(plan []core.TargetRef) (counter, bool) {
	d, ok := c.d.(counter)
	if !ok || counters[d.Name()] == nil {
		return nil, false
	}
	p := c.snap.Providers[plan[0].Provider]
	return d, p.ChooseWire(&c.x) != d.Name()
}

// answerCount answers with the gateway's own count. It costs nothing and is recorded as such.
func (c *call) answerCount(d counter, target core.TargetRef) *core.Error {
	c.x.Target = target
	r, e := d.Decode(&c.x)
	if e != nil {
		return e
	}
	n, err := tokens.CountRequest(r)
	if err != nil {
		return &core.Error{
			Kind: core.TooLarge, Code: core.CodeTooLarge, Err: err,
			Public: "the request is too long to be counted here; its provider does not count tokens",
		}
	}
	c.out = counters[d.Name()](c.out[:0], n)
	c.x.Outcome.Kind = core.Served
	c.writeAnswer(http.StatusOK, "application/json", c.out)
	return nil
}
