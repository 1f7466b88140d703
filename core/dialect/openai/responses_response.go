package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

var errNoObject = errors.New("it is not a JSON object")

// ScanResponse checks a whole answer, finds its texts and reads its usage. What
// the answer repeats of the request is left alone.
func (Responses) ScanResponse(x *core.Exchange) error {
	s := &x.Scanner
	o := outputs{s: s, doc: x.Response.Raw, payload: &x.Response}
	s.Reset(o.doc)
	if s.Kind() != splice.Object {
		if err := s.Err(); err != nil {
			return err
		}
		return errNoObject
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "output":
			o.all()
		case "output_text":
			if s.Kind() == splice.String {
				at, _ := s.String()
				o.add(core.Part{Kind: core.KindText}, "output_text", -1, at, 1, false)
			} else {
				s.Skip()
			}
		case "usage":
			if u, ok := responsesUsage(s, o.doc); ok {
				x.Usage = u
			}
		default:
			s.Skip()
		}
	}
	s.End()
	return s.Err()
}

// responsesUsage reads the provider's count; ok is false when it is null or no object.
func responsesUsage(s *splice.Scanner, doc []byte) (u llm.Usage, ok bool) {
	if s.Kind() != splice.Object {
		s.Skip()
		return u, false
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "input_tokens":
			u.Input = count(s, doc)
		case "output_tokens":
			u.Output = count(s, doc)
		case "input_tokens_details":
			inputDetails(s, doc, &u)
		case "output_tokens_details":
			u.Reasoning, _ = details(s, doc, "reasoning_tokens", "")
		default:
			s.Skip()
		}
	}
	u.Reported = true
	return u, true
}

func inputDetails(s *splice.Scanner, doc []byte, u *llm.Usage) {
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "cached_tokens":
			u.Cached = count(s, doc)
		case "cache_write_tokens":
			u.Written = count(s, doc)
		default:
			s.Skip()
		}
	}
}
