package anthropic

import (
	"bytes"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// quiet are the names of fields whose strings are identifiers, enum values,
// addresses or sealed data. They are never shown to a detector and never
// edited: an edit would break the call, or a signature.
var quiet = map[string]bool{
	"id": true, "type": true, "role": true, "name": true, "model": true, "user_id": true,
	"tool_use_id": true, "tool_name": true, "file_id": true, "data": true, "url": true, "media_type": true,
	"signature": true, "thinking": true, "encrypted_content": true, "encrypted_index": true, "cache_control": true, "ttl": true,
	"service_tier": true, "inference_geo": true, "container": true, "effort": true, "display": true, "betas": true, "speed": true,
	"allowed_callers": true, "caller": true, "stop_reason": true, "category": true, "request_id": true,
	"$ref": true, "$schema": true, "$id": true, "required": true, "enum": true, "const": true, "pattern": true, "format": true,
}

// longToken is the length from which a string without a space is taken for
// encoded data rather than text.
const longToken = 256

// leafSink takes the strings that leaves finds. at is the content of a string;
// name is valid during the call.
type leafSink interface {
	leaf(name []byte, at splice.Span)
}

// leaves finds the strings in a value whose meaning is not known, but for those
// under quiet names. An object under such a name is looked into: a schema's
// properties have any names.
func leaves(s *splice.Scanner, doc, name []byte, to leafSink) {
	switch s.Kind() {
	case splice.String:
		at, _ := s.String()
		if s.Err() != nil || quiet[string(name)] || at.Len() == 0 || sealed(doc[at.Start:at.End]) {
			return
		}
		to.leaf(name, at)
	case splice.Object:
		s.Enter()
		for s.Next() {
			leaves(s, doc, s.Key(), to)
		}
	case splice.Array:
		s.Enter()
		for s.Next() {
			leaves(s, doc, name, to)
		}
	default:
		s.Skip()
	}
}

// field keeps names of fields short in findings; they are the client's words.
func field(name []byte) string {
	const most = 40
	n := len(name)
	if n > most {
		n = most
		for n > 0 && !utf8.RuneStart(name[n]) {
			n--
		}
	}
	return string(name[:n])
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
