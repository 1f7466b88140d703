package scan

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// FindMember finds the value of a member of the request's body, which Scan has checked. ok is false if the body lacks it.
func FindMember(x *core.Exchange, name string) (at splice.Span, kind splice.Kind, ok bool) {
	s := &x.Scanner
	s.Reset(x.Request.Raw)
	s.Enter()
	for s.Next() {
		if string(s.Key()) != name {
			s.Skip()
			continue
		}
		kind = s.Kind()
		at = s.Skip()
		return at, kind, s.Err() == nil
	}
	return at, 0, false
}

// appendElements returns the cut that appends elements, JSON with commas between them, to the array at a span of doc.
func appendElements(doc []byte, array splice.Span, elements []byte) splice.Cut {
	end := array.End - 1
	with := string(elements)
	if inside := bytes.TrimSpace(doc[array.Start+1 : end]); len(inside) > 0 {
		with = "," + with
	}
	return splice.Cut{Span: splice.Span{Start: end, End: end}, With: with}
}

// newNotAppendedError returns the error of a request to which messages cannot be appended.
func newNotAppendedError(member string) *core.Error {
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Param: member,
		Public: "the model's answer was not accepted, and the model cannot be asked again, because \"" + member + "\" is not a list",
	}
}

// AppendTexts is Appender.Append for a list whose elements are messages: one appends a
// message of the user's or the model's to b.
func AppendTexts(
	x *core.Exchange,
	dst []splice.Cut,
	list string,
	more []llm.Message,
	one func(b []byte, model bool, text string) []byte,
) ([]splice.Cut, *core.Error) {
	at, kind, ok := FindMember(x, list)
	if !ok || kind != splice.Array {
		return dst, newNotAppendedError(list)
	}
	return append(dst, appendElements(x.Request.Raw, at, AppendMessages(nil, more, one))), nil
}

// AppendMessages appends messages, with commas between them.
func AppendMessages(b []byte, more []llm.Message, one func(b []byte, model bool, text string) []byte) []byte {
	for i, m := range more {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, m.Role == llm.Assistant, m.Text())
	}
	return b
}

// AppendMessage appends a message as the shapes of OpenAI and Anthropic spell it.
func AppendMessage(b []byte, model bool, text string) []byte {
	role := `{"role":"user","content":`
	if model {
		role = `{"role":"assistant","content":`
	}
	return append(splice.AppendString(append(b, role...), text), '}')
}
