package anthropic

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// leaves finds the texts of unknown members.
var leaves = scan.Leaves{IsQuiet: func(name string) bool { return quiet[name] }, IsSealed: scan.IsSealed}

// quiet are fields whose strings are identifiers, enum values, addresses or sealed data;
// see [scan.Leaves].
var quiet = map[string]bool{
	"id": true, "type": true, "role": true, "name": true, "model": true, "user_id": true,
	"tool_use_id": true, "tool_name": true, "file_id": true, "data": true, "url": true, "media_type": true,
	"signature": true, "thinking": true, "encrypted_content": true, "encrypted_index": true, "cache_control": true, "ttl": true,
	"service_tier": true, "inference_geo": true, "container": true, "effort": true, "display": true, "betas": true, "speed": true,
	"allowed_callers": true, "caller": true, "stop_reason": true, "category": true, "request_id": true,
	"$ref": true, "$schema": true, "$id": true, "required": true, "enum": true, "const": true, "pattern": true, "format": true,
}

// copyFieldName cuts a name of a field for findings.
func copyFieldName(name []byte) string { return strings.Clone(scan.ShortenName(zerocopy.String(name))) }
