package openai

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// quiet are the names of fields whose strings are identifiers, enum values,
// addresses or sealed data. They are never shown to a detector and never
// edited: an edit would break the call, or a signature.
var quiet = map[string]bool{
	"id": true, "type": true, "role": true, "function_call": true, "name": true, "model": true, "user": true, "user_id": true,
	"tool_call_id": true, "call_id": true, "item_id": true, "file_id": true, "previous_response_id": true,
	"format": true, "detail": true, "service_tier": true, "reasoning_effort": true, "effort": true, "verbosity": true,
	"safety_identifier": true, "prompt_cache_key": true, "prompt_cache_retention": true, "voice": true, "syntax": true,
	"mode": true, "modalities": true, "data": true, "file_data": true, "image_url": true, "url": true, "input_audio": true,
	"encrypted_content": true, "signature": true, "thought_signature": true, "$ref": true, "$schema": true, "$id": true,
	"required": true, "enum": true, "const": true, "pattern": true, "cache_control": true, "finish_reason": true,
	"index": true, "object": true, "status": true, "kind": true, "mime_type": true, "media_type": true, "country": true, "timezone": true,
}

// longToken is the length from which a string without a space is taken for
// encoded data rather than text.
const longToken = 256

func (r *request) unknown(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	leaves(r.x, &r.x.Request, r.s, r.doc, name, place{role, kind, message, part})
}

type place struct {
	role          core.Role
	kind          core.SegmentKind
	message, part int32
}

// leaves makes segments of the strings in a value whose meaning is not known,
// but for those under quiet names. An object under such a name is looked into:
// a schema's properties have any names. A name may be the scanner's own.
func leaves(x *core.Exchange, p *core.Payload, s *splice.Scanner, doc []byte, name string, at place) {
	switch s.Kind() {
	case splice.String:
		span, _ := s.String()
		if s.Err() != nil || quiet[name] || span.Len() == 0 || sealed(doc[span.Start:span.End]) {
			return
		}
		p.Segments = append(p.Segments, core.Segment{
			Role: at.role, Kind: at.kind, Depth: 1, Message: at.message, Part: at.part, Field: strings.Clone(field(name)), Span: span,
		})
	case splice.Object:
		s.Enter()
		for s.Next() {
			leaves(x, p, s, doc, view(s.Key()), at)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			leaves(x, p, s, doc, name, at)
		}
	default:
		s.Skip()
	}
}

// field keeps names of fields short in findings; they are the client's words.
func field(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	n := most
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// sealed reports whether a string is data rather than text.
func sealed(raw []byte) bool {
	if len(raw) > 5 && string(raw[:5]) == "data:" {
		raw = raw[5:]
		comma := bytes.IndexByte(raw, ',')
		return comma >= 0 && bytes.IndexByte(raw, ' ') < 0 && base64Text(raw[comma+1:])
	}
	return len(raw) > longToken && base64Text(raw)
}

// base64Text reports whether there is nothing but letters of base64; an escape
// could spell anything, and only that of the slash is taken.
func base64Text(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && raw[i+1] == '/' {
			i++
		} else if !base64Byte[raw[i]] {
			return false
		}
	}
	return true
}

// base64Byte marks the letters of both base64 alphabets (RFC 4648).
var base64Byte = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=" {
		t[c] = true
	}
	return t
}()
