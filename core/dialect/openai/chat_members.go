package openai

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// newChatCountError rejects a request for several answers.
func newChatCountError(t core.Traits) *core.Error {
	return scan.NewUnsupportedError("n", nameChatLabel(t)+` gives one answer to a request; leave "n" out, or send 1`)
}

// nameChatLabel names the target in an error.
func nameChatLabel(t core.Traits) string { return cmp.Or(t.Label, "the provider of this model") }

// cutChatMembers appends the cuts that remove members from one object. Neighbours are
// removed in one cut, because they share a comma.
func cutChatMembers(doc []byte, gone []splice.Span, dst []splice.Cut) []splice.Cut {
	slices.SortFunc(gone, func(a, b splice.Span) int { return cmp.Compare(a.Start, b.Start) })
	for i := 0; i < len(gone); {
		run := gone[i]
		for i++; i < len(gone) && isChatSeparator(doc[run.End:gone[i].Start]); i++ {
			run.End = gone[i].End
		}
		dst = append(dst, splice.Cut{Span: widenToComma(doc, run)})
	}
	return dst
}

// isChatSeparator reports whether only a comma and space lie between two members.
func isChatSeparator(between []byte) bool {
	for _, c := range between {
		if c != ',' && !isSpace(c) {
			return false
		}
	}
	return true
}

// widenToComma returns where a member lies together with the comma that must go with
// it.
func widenToComma(doc []byte, m splice.Span) splice.Span {
	end := m.End
	for end < len(doc) && isSpace(doc[end]) {
		end++
	}
	if end < len(doc) && doc[end] == ',' {
		return splice.Span{Start: m.Start, End: end + 1}
	}
	start := m.Start
	for start > 0 && isSpace(doc[start-1]) {
		start--
	}
	if start > 0 && doc[start-1] == ',' {
		start--
	}
	return splice.Span{Start: start, End: m.End}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
