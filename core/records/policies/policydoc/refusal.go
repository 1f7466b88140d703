package policydoc

import "github.com/headgate-dev/headgate/core"

// CodeApproval is the code of refusing a call of a tool that needs an approval.
const CodeApproval = "approval_required"

// ApprovalNeeded is the cause of a refusal with CodeApproval: people can approve the call.
type ApprovalNeeded struct {
	ID     string // of the approval
	Page   string // the URL on which people decide, or ""
	Reason string // the rule's, for clients
}

// Error names the approval.
func (a *ApprovalNeeded) Error() string { return "the call needs the approval " + a.ID }

// IsRefusal reports whether an error is the refusal of a rule, also of one that asks for an approval. e may be nil.
func IsRefusal(e *core.Error) bool {
	return e != nil && (e.Code == core.CodePolicyDenied || e.Code == CodeApproval)
}
