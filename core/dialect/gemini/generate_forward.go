package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// AppendForwardCuts inserts maxOutputTokens, which includes thinking, and updates a model that the
// body repeats from the path. All other bytes stay.
func (Generate) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	p := &x.Request
	dst = forwardModel(p, t, dst)
	limit, n := t.ChooseTokenLimit(x.Head.MaxTokens), scan.FindNotes[notes](x)
	if limit == 0 || n.limited && limit == x.Head.MaxTokens {
		return dst, nil
	}
	with := strconv.FormatInt(limit, 10)
	at := p.Marks[markConfig]
	member := `"maxOutputTokens":` + with
	switch {
	case p.Marks[markMaxValue].Len() > 0:
		return append(dst, splice.Cut{Span: p.Marks[markMaxValue], With: with}), nil
	case at.End == 0:
		return append(dst, splice.Cut{Span: p.Marks[markOpen], With: `"generationConfig":{` + member + "},"}), nil
	case at.Len() > 0: // null
		return append(dst, splice.Cut{Span: at, With: "{" + member + "}"}), nil
	case !n.configEmpty:
		member += ","
	}
	return append(dst, splice.Cut{Span: at, With: member}), nil
}

// forwardModel replaces a model in the body with the routed one.
func forwardModel(p *core.Payload, t core.Traits, dst []splice.Cut) []splice.Cut {
	at := p.Marks[markModel]
	if at.Len() == 0 {
		return dst
	}
	return appendModelCut(dst, p.Raw, at, t.Model)
}

// appendModelCut replaces a model that the body repeats from the path, if it differs.
func appendModelCut(dst []splice.Cut, doc []byte, at splice.Span, model string) []splice.Cut {
	with := model
	if !strings.HasPrefix(with, "models/") {
		with = "models/" + with
	}
	if with = string(splice.AppendEscaped(nil, with)); with == string(doc[at.Start:at.End]) {
		return dst
	}
	return append(dst, splice.Cut{Span: at, With: with})
}
