package policydoc

import "github.com/headgate-dev/headgate/core"

// CodeApproval is the code of refusing a call of a tool that needs an approval.
const CodeApproval = "approval_required"

// IsRefusal reports whether an error is the refusal of a rule, also of one that asks for an approval. e may be nil.
func IsRefusal(e *core.Error) bool {
	return e != nil && (e.Code == core.CodePolicyDenied || e.Code == CodeApproval)
}
