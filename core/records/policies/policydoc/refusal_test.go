package policydoc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestACallThatWaitsForAnApprovalIsRefused(t *testing.T) {
	for code, want := range map[string]bool{
		core.CodePolicyDenied: true, policydoc.CodeApproval: true, core.CodeForbidden: false, core.CodeGuardUnavailable: false,
	} {
		assert.Equal(t, want, policydoc.IsRefusal(&core.Error{Code: code}), code)
	}
	assert.False(t, policydoc.IsRefusal(nil))
}
