package openai

import (
	"bytes"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var _ core.Omitter = Chat{}

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	includeUsage        = `"include_usage":true`
)

// AppendForwardCuts edits the body for the target. It inserts the target's model name, the token
// limit under the name that the model accepts, and the request for usage on a stream. It
// removes the effort, the flag for parallel calls and strictness if the target does not
// accept them. All other bytes stay. For custom tools see Head.HasCustomTools.
func (Chat) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	p := &x.Request
	if scan.FindNotes[notes](x).count > 1 && !t.Count {
		return dst, newChatCountError(t)
	}
	if t.Model != x.Head.Model {
		dst = append(dst, splice.Cut{Span: p.Marks[markModel], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	insert := ""
	var out [3]splice.Span // members to remove
	gone := out[:0]
	dst, gone, insert = forwardLimit(x, t, dst, gone)
	if !t.Effort && p.Marks[markEffort].Len() != 0 {
		gone = append(gone, p.Marks[markEffort])
	}
	if !t.Parallel && p.Marks[markParallel].Len() != 0 {
		gone = append(gone, p.Marks[markParallel])
	}
	dst = cutChatMembers(p.Raw, gone, dst)
	if !t.Strict {
		for _, at := range p.Marks[marks:] {
			dst = append(dst, splice.Cut{Span: at, With: "false"})
		}
	}
	if x.Head.Stream && t.StreamUsage && !scan.FindNotes[notes](x).wantsUsage {
		var more string
		dst, more = forwardUsage(p, scan.FindNotes[notes](x), dst)
		insert += more
	}
	if insert != "" {
		dst = append(dst, splice.Cut{Span: p.Marks[markOpen], With: insert})
	}
	return dst, nil
}

// AppendOmittedFields names what Forward removes because the target does not accept it.
func (Chat) AppendOmittedFields(dst []string, x *core.Exchange, t core.Traits) []string {
	p := &x.Request
	if !t.Effort && isGiven(p, markEffort) {
		dst = append(dst, "reasoning_effort")
	}
	if !t.Parallel && isGiven(p, markParallel) {
		dst = append(dst, "parallel_tool_calls")
	}
	if !t.Strict && len(p.Marks) > marks {
		dst = append(dst, "strict")
	}
	return dst
}

// isGiven reports whether a member is present and not null.
func isGiven(p *core.Payload, mark int) bool {
	m := p.Marks[mark]
	return m.Len() != 0 && !bytes.HasSuffix(p.Raw[m.Start:m.End], []byte("null"))
}

// forwardLimit edits the token limit. A limit that the client sent under both names is
// sent on once.
func forwardLimit(
	x *core.Exchange, t core.Traits, dst []splice.Cut, gone []splice.Span,
) (cuts []splice.Cut, out []splice.Span, insert string) {
	p := &x.Request
	limit := t.ChooseTokenLimit(x.Head.MaxTokens)
	a, b := markMaxTokens, markMaxCompletionTokens
	nameA, nameB := maxTokens, maxCompletionTokens
	if both := p.Marks[b+1].Len() != 0; p.Marks[a+1].Len() == 0 ||
		both && (t.LimitField == maxCompletionTokens || t.LimitField == "" && isNullAt(p.Raw, p.Marks[a])) {
		a, b, nameA, nameB = b, a, nameB, nameA
	}
	if p.Marks[a+1].Len() == 0 { // the client sent no limit
		if limit == 0 {
			return dst, gone, ""
		}
		name := t.LimitField
		if name == "" {
			name = maxTokens
		}
		return dst, gone, `"` + name + `":` + strconv.FormatInt(limit, 10) + ","
	}
	if p.Marks[b+1].Len() != 0 {
		gone = append(gone, p.Marks[b+1])
	}
	if t.LimitField != "" && t.LimitField != nameA {
		key := p.Marks[a+1]
		dst = append(dst, splice.Cut{Span: findKey(p.Raw, key), With: `"` + t.LimitField + `"`})
	}
	if limit != 0 && (limit != x.Head.MaxTokens || isNullAt(p.Raw, p.Marks[a])) {
		dst = append(dst, splice.Cut{Span: p.Marks[a], With: strconv.FormatInt(limit, 10)})
	}
	return dst, gone, ""
}

func isNullAt(doc []byte, at splice.Span) bool { return doc[at.Start] == 'n' }

// findKey returns where the key of a member lies, quotes included.
func findKey(doc []byte, m splice.Span) splice.Span {
	end := m.Start + 1
	for doc[end] != '"' {
		if doc[end] == '\\' {
			end++
		}
		end++
	}
	return splice.Span{Start: m.Start, End: end + 1}
}

// forwardUsage asks for usage on a stream. The client did not ask, so the scan withholds
// the event.
func forwardUsage(p *core.Payload, n *notes, dst []splice.Cut) (cuts []splice.Cut, insert string) {
	options, include := p.Marks[markStreamOptions], p.Marks[markIncludeUsage]
	switch {
	case include.Len() != 0:
		return append(dst, splice.Cut{Span: include, With: "true"}), ""
	case n.options:
		with := includeUsage
		if !n.optionsEmpty {
			with += ","
		}
		at := splice.Span{Start: options.Start + 1, End: options.Start + 1}
		return append(dst, splice.Cut{Span: at, With: with}), ""
	case options.Len() != 0: // null
		return append(dst, splice.Cut{Span: options, With: "{" + includeUsage + "}"}), ""
	}
	return dst, `"stream_options":{` + includeUsage + "},"
}
