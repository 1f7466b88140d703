package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnAuditorReadsEverythingAndChangesNothing(t *testing.T) {
	for _, p := range ListPermissions() {
		reads := strings.HasSuffix(string(p), ":read") || p == PoliciesShadow
		assert.Equal(t, reads, RoleAuditor.Grants(p), p)
	}
}

func TestAnAuditorIsOfThePlatform(t *testing.T) {
	assert.NoError(t, CheckRoles([]Role{RoleAuditor}, ""))
	assert.NoError(t, CheckRoles([]Role{RoleAuditor, RoleBillingAdmin}, ""))
	assert.ErrorIs(t, CheckRoles([]Role{RoleAuditor}, "acme"), ErrTenantTooFar)
	assert.ErrorIs(t, CheckRoles([]Role{RoleAuditor, RoleViewer}, "acme"), ErrMixedRoles)
}
