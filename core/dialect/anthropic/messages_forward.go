package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// AppendForwardCuts inserts the target's model name, and a token limit if the client sent none or
// a stage lowered it. All other bytes stay.
func (Messages) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	p := &x.Request
	dst = forwardModel(x, t, dst)
	at := p.Marks[markMaxTokens]
	absent := at.Len() == 0 || p.Raw[at.Start] == 'n'
	limit := x.Head.MaxTokens
	if absent {
		limit = t.DefaultCap
	}
	if t.Cap > 0 && (t.Cap < limit || absent && limit == 0) {
		limit = t.Cap
	}
	switch {
	case absent && limit == 0: // the provider would refuse it, and less clearly
		return dst, scan.NewMissing("max_tokens")
	case at.Len() == 0:
		return append(dst, splice.Cut{Span: p.Marks[markOpen], With: `"max_tokens":` + strconv.FormatInt(limit, 10) + ","}), nil
	case absent || limit != x.Head.MaxTokens:
		return append(dst, splice.Cut{Span: at, With: strconv.FormatInt(limit, 10)}), nil
	}
	return dst, nil
}

func forwardModel(x *core.Exchange, t core.Traits, dst []splice.Cut) []splice.Cut {
	if t.Model == x.Head.Model {
		return dst
	}
	return append(dst, splice.Cut{Span: x.Request.Marks[markModel], With: string(splice.AppendEscaped(nil, t.Model))})
}
