package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// chatLeaves finds the texts of unknown members.
var chatLeaves = scan.Leaves{IsQuiet: func(name string) bool { return quiet[name] }, IsSealed: scan.IsSealed}

// quiet are fields whose strings are identifiers, enum values, addresses or sealed data;
// see [scan.Leaves].
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

func (r *request) readUnknownMember(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	r.AddLeaves(&chatLeaves, name, scan.Place{Role: role, Kind: kind, Message: message, Part: part})
}
