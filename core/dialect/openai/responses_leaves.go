package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// responsesQuiet are the names of fields whose strings are identifiers, enum
// values, addresses or sealed data in the Responses shape. They are never shown
// to a detector and never edited.
var responsesQuiet = map[string]bool{
	"type": true, "id": true, "object": true, "status": true, "role": true, "phase": true, "model": true,
	"name": true, "namespace": true, "call_id": true, "item_id": true, "response_id": true, "previous_response_id": true,
	"approval_request_id": true, "caller_id": true, "file_id": true, "container_id": true, "created_by": true, "fingerprint": true,
	"user": true, "safety_identifier": true, "prompt_cache_key": true, "prompt_cache_retention": true, "service_tier": true,
	"truncation": true, "include": true, "execution": true, "effort": true, "summary": true, "generate_summary": true,
	"verbosity": true, "format": true, "syntax": true, "mode": true, "detail": true, "tool_choice": true, "ttl": true,
	"image_url": true, "file_url": true, "file_data": true, "data": true, "url": true,
	"encrypted_content": true, "signature": true, "obfuscation": true,
	"$ref": true, "$schema": true, "$id": true, "required": true, "enum": true, "const": true, "pattern": true,
	"allowed_callers": true, "memory_limit": true,
}

// found is a text in a value whose meaning is not known.
type found func(name string, at splice.Span)

// eachLeaf gives the strings in a value, but for those under quiet names. An
// object under such a name is looked into: a schema's properties have any names.
func eachLeaf(s *splice.Scanner, doc []byte, name string, f found) {
	switch s.Kind() {
	case splice.String:
		at, _ := s.String()
		if s.Err() == nil && !responsesQuiet[name] && at.Len() > 0 && !sealed(doc[at.Start:at.End]) {
			f(name, at)
		}
	case splice.Object:
		s.Enter()
		for s.Next() {
			eachLeaf(s, doc, string(s.Key()), f)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			eachLeaf(s, doc, name, f)
		}
	default:
		s.Skip()
	}
}

// others makes segments of the strings in a value whose meaning is not known.
func others(p *core.Payload, s *splice.Scanner, doc []byte, name string, at place) {
	eachLeaf(s, doc, name, func(name string, span splice.Span) {
		p.Segments = append(p.Segments, core.Segment{
			Role: at.role, Kind: at.kind, Depth: 1, Message: at.message, Part: at.part, Field: field(name), Span: span,
		})
	})
}
