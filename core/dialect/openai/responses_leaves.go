package openai

import "github.com/headgate-dev/headgate/core/dialect/scan"

// responsesQuiet are fields of the Responses API whose strings are identifiers, enum
// values, addresses or sealed data; see [scan.Leaves].
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

// responsesLeaves finds the texts of unknown members.
var responsesLeaves = scan.Leaves{IsQuiet: func(name string) bool { return responsesQuiet[name] }, IsSealed: scan.IsSealed}
