package proxy

import (
	"context"
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// approvalLabel begins the label of a finding that names an approval on which the call relies.
const approvalLabel = "approval:"

// spendApprovals uses up the approvals on which the call relies, right before it is sent: each approval is valid for
// one call on all gateways that share a database. Each node of a fleet has a separate database with copies of the
// approvals.
func (t *toolCall) spendApprovals(ctx context.Context) *core.Error {
	c := t.call
	for i := range c.x.Findings {
		f := &c.x.Findings[i]
		id, ok := strings.CutPrefix(f.Label, approvalLabel)
		if !ok || f.Shadow || f.Kind != core.FoundPolicy || strings.Contains(id, "/") {
			continue
		}
		err := t.server.SpendApproval(ctx, id, c.x.ID)
		switch {
		case err == nil:
		case errors.Is(err, tools.ErrSpent):
			return &core.Error{
				Kind: core.Forbidden, Code: policydoc.CodeApproval, Err: err,
				Public: "the approval " + id + " holds for one call and was used already, or has expired; send the call again to ask for another",
			}
		default:
			return &core.Error{
				Kind: core.Unavailable, Code: core.CodeGuardUnavailable, Err: err, Public: "the approval of the call could not be checked; try again later",
			}
		}
	}
	return nil
}
