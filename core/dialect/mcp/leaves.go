package mcp

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// leaves finds the texts of members without a rule of their own.
var leaves = scan.Leaves{IsQuiet: func(name string) bool { return quiet[name] }, IsSealed: scan.IsSealed}

// quiet are fields whose strings are identifiers, enum values, addresses or sealed data; see
// [scan.Leaves].
var quiet = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"name", "uri", "uriTemplate", "src", "websiteUrl", "version", "type", "mimeType", "role", "method", "mode", "level",
		"logger", "action", "theme", "sizes", "progressToken", "requestId", "elicitationId", "cursor", "nextCursor",
		"requestState", "resultType", "cacheScope", "protocolVersion", "supportedVersions", "supported", "requested",
		"audience", "lastModified", "stopReason", "model", "includeContext", "data", "blob", "traceparent", "tracestate",
		"x-mcp-header", metaVersion, "io.modelcontextprotocol/logLevel", "io.modelcontextprotocol/subscriptionId", "$ref",
		"$schema", "$id", "required", "enum", "const", "pattern", "format",
	} {
		set[name] = true
	}
	return set
}()

// Keys of _meta that each modern request has (specification, "General fields").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// fromClient is the place of texts that a client wrote, besides arguments.
var fromClient = scan.Place{Role: core.RoleUser, Kind: core.KindOther, Message: -1, Part: -1}

// newServerPlace returns the place of texts of a kind that a server wrote.
func newServerPlace(kind core.SegmentKind, part int32) scan.Place {
	return scan.Place{Role: core.RoleTool, Kind: kind, Message: -1, Part: part}
}
