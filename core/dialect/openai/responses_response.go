package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var errNoObject = errors.New("not a JSON object")

// ScanResponse validates a whole answer, finds its texts and reads its usage. It skips
// what the answer repeats of the request.
func (Responses) ScanResponse(x *core.Exchange) error {
	s := &x.Scanner
	x.Response.Offsets = responsesOffsets{}
	o := outputScan{x: x, s: s, doc: x.Response.Raw, payload: &x.Response}
	if err := scan.OpenObject(s, o.doc, errNoObject); err != nil {
		return err
	}
	for s.Next() {
		switch key := string(s.Key()); key {
		case "output":
			o.readItems()
		case "output_text":
			if s.Kind() == splice.String {
				at, _ := s.String()
				o.add(core.Part{Kind: core.KindText}, "output_text", -1, at, 1, false)
			} else {
				o.readUnknownMember(-1, -1, "output_text")
			}
		case "usage":
			from := s.Pos()
			if u, ok := readResponsesUsage(s, o.doc); ok {
				x.Usage = u
			}
			o.addOddStrings(from, -1, "usage")
		default:
			o.readAnswerMember(key)
		}
	}
	s.End()
	return s.Err()
}

// echoed are members of an answer that repeat the request, which the guards have judged.
var echoed = map[string]bool{
	"tools": true, "tool_choice": true, "metadata": true, "text": true, "reasoning": true, "prompt": true,
	"input": true, "user": true, "safety_identifier": true, "prompt_cache_key": true,
}

// plainMembers are members of an answer that are not texts.
var plainMembers = map[string]bool{
	"id": true, "object": true, "status": true, "model": true, "created_at": true, "completed_at": true, "service_tier": true,
	"incomplete_details": true, "truncation": true, "previous_response_id": true, "conversation": true, "billing": true,
}

// readAnswerMember reads a member of an answer besides its output and its usage.
func (o *outputScan) readAnswerMember(key string) {
	switch {
	case key == "instructions" && o.s.Kind() == splice.String:
		o.readInstructions()
	case key == "error" && o.ev != nil && o.ev.Failed: // the gateway words the error
		o.s.Skip()
	case echoed[key]:
		o.s.Skip()
	case plainMembers[key]:
		o.scanNonText(-1, "answer")
	default:
		o.readUnknownMember(-1, -1, key)
	}
}

// readResponsesUsage reads the usage of an answer, also of Realtime, which spells details in the singular and has tokens of
// sound, and seconds for transcripts. ok is false for null and for any value but an object.
func readResponsesUsage(s *splice.Scanner, doc []byte) (u llm.Usage, ok bool) {
	if s.Kind() != splice.Object {
		s.Skip()
		return u, false
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "input_tokens":
			u.Input = scan.ReadCount(s, doc)
		case "output_tokens":
			u.Output = scan.ReadCount(s, doc)
		case "input_tokens_details":
			u.Cached, u.Written = readDetails(s, doc, "cached_tokens", "cache_write_tokens")
		case "input_token_details":
			u.Cached, u.Media = readDetails(s, doc, "cached_tokens", "audio_tokens")
		case "output_tokens_details":
			u.Reasoning, _ = readDetails(s, doc, "reasoning_tokens", "")
		case "output_token_details":
			u.MediaOutput, _ = readDetails(s, doc, "audio_tokens", "")
		case "seconds":
			u.Units.Millis = scan.ReadCount(s, doc) * 1000
		default:
			s.Skip()
		}
	}
	u.Reported = true
	return u, true
}
