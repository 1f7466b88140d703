package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// AppendForwardCuts inserts the target's model name, the token limit and, if the operator asks for
// it, store: false. All other bytes stay.
func (Responses) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	p := &x.Request
	if t.Model != x.Head.Model {
		dst = append(dst, splice.Cut{Span: p.Marks[markModel], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	insert := ""
	if limit := capLimit(x.Head.MaxTokens, t); limit != x.Head.MaxTokens {
		text := strconv.FormatInt(limit, 10)
		if at := p.Marks[markLimit]; at.Len() > 0 {
			dst = append(dst, splice.Cut{Span: at, With: text})
		} else {
			insert = `"max_output_tokens":` + text + ","
		}
	}
	if t.NoStore {
		if at := p.Marks[markStore]; at.Len() == 0 {
			insert += `"store":false,`
		} else if isNullAt(p.Raw, at) {
			dst = append(dst, splice.Cut{Span: at, With: "false"})
		}
	}
	if insert != "" {
		dst = append(dst, splice.Cut{Span: p.Marks[markOpen], With: insert})
	}
	return dst, nil
}

// capLimit returns the token limit to send; 0 is none.
func capLimit(limit int64, t core.Traits) int64 {
	if limit == 0 {
		limit = t.DefaultCap
	}
	if t.Cap > 0 && (limit == 0 || t.Cap < limit) {
		limit = t.Cap
	}
	return limit
}
