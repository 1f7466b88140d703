package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Match is the value of an If-Match header: the versions of a record that a change is meant for. "" and "*" are any.
type Match string

// Check refuses a record whose version is none of those.
func (m Match) Check(view any) error {
	if m == "" || m == "*" {
		return nil
	}
	now := Tag(view)
	for tag := range strings.SplitSeq(string(m), ",") {
		if strings.TrimSpace(tag) == now {
			return nil
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusPreconditionFailed, Code: CodePrecondition,
		Public: "the record has changed since the version that If-Match names; read it again, and decide again",
	}
}

// Tag is the entity tag of a record: a digest of its JSON. "" when it has none. That a user has signed in makes no other
// version of them.
func Tag(view any) string {
	if u, ok := view.(User); ok {
		u.LastSignInAt = nil
		view = u
	}
	b, err := json.Marshal(view)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
