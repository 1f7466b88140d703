package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Match is the value of an If-Match header: the versions of a record to which a change applies. "" and "*" match any
// version.
type Match string

// Check fails if m does not name the current version of a record.
func (m Match) Check(view any) error {
	if m == "" || m == "*" {
		return nil
	}
	now := ComputeTag(view)
	for tag := range strings.SplitSeq(string(m), ",") {
		if strings.TrimSpace(tag) == now {
			return nil
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusPreconditionFailed, Code: CodePrecondition,
		Public: "the record has changed since the version in If-Match; read it again and repeat the change",
	}
}

// ComputeTag returns the ETag of a record, a digest of its JSON, or "" if it has none. Signing in does not change the
// version of a user, and the health of a server or an agent does not belong to its version.
func ComputeTag(view any) string {
	switch v := view.(type) {
	case User:
		v.LastSignInAt = nil
		view = v
	case Agent:
		view = v.AgentSettings
	case MCPServer:
		view = v.MCPServerSettings
	case MCPServerDetail:
		view = v.MCPServerSettings
	}
	b, err := json.Marshal(view)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
