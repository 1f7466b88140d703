package auth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestRolesGrantWhatTheSpecificationSays(t *testing.T) {
	for _, c := range []struct {
		role auth.Role
		may  []auth.Permission
		not  []auth.Permission
	}{
		{auth.RoleOwner, []auth.Permission{auth.TenantsDelete, auth.WebhooksWrite, auth.GuardrailsRotate, "something:new"}, nil},
		{auth.RolePolicyAdmin, []auth.Permission{auth.PoliciesWrite, auth.RoutesWrite, auth.GuardrailsWrite, auth.AuditRead, auth.Approve, auth.Detokenize}, []auth.Permission{auth.GuardrailsRotate, auth.TokensDelete, auth.PricingWrite, auth.KeysCreate, auth.LicenseWrite}},
		{auth.RoleBillingAdmin, []auth.Permission{auth.PricingWrite, auth.CostsRead, auth.BudgetsWrite, auth.Chargeback}, []auth.Permission{auth.PoliciesRead, auth.RoutesWrite, auth.AuditRead}},
		{auth.RoleAdmin, []auth.Permission{auth.TenantsUpdate, auth.KeysManage, auth.MembersWrite}, []auth.Permission{auth.TenantsCreate, auth.TenantsDelete, auth.RoutesWrite, auth.BudgetsWrite, auth.WebhooksRead}},
		{auth.RoleDeveloper, []auth.Permission{auth.KeysCreate, auth.UsageRead, auth.PoliciesDryRun, auth.PoliciesShadow}, []auth.Permission{auth.KeysManage, auth.TenantsUpdate, auth.PoliciesWrite}},
		{auth.RoleViewer, []auth.Permission{auth.TenantsRead, auth.PoliciesShadow}, []auth.Permission{auth.KeysCreate, auth.PoliciesDryRun}},
	} {
		a := auth.Actor{Roles: []auth.Role{c.role}}
		for _, p := range c.may {
			assert.True(t, a.Can(p), "%s: %s", c.role, p)
		}
		for _, p := range c.not {
			assert.False(t, a.Can(p), "%s: %s", c.role, p)
		}
	}
}

func TestAnotherNameOfTheOwnerIsRead(t *testing.T) {
	r, ok := auth.ParseRole("org-admin")
	assert.True(t, ok)
	assert.Equal(t, auth.RoleOwner, r)
	_, ok = auth.ParseRole("root")
	assert.False(t, ok)
}

func TestATenantsActorReachesItsOwnTenantOnly(t *testing.T) {
	own := auth.Actor{Tenant: "a"}
	for name, c := range map[string]struct {
		tenant, reached string
		ok              bool
	}{
		"none is its own": {"", "a", true},
		"its own":         {"a", "a", true},
		"another":         {"b", "a", false},
	} {
		reached, ok := own.FindReach(c.tenant)
		assert.Equal(t, c.reached, reached, name)
		assert.Equal(t, c.ok, ok, name)
	}
	all := auth.Actor{}
	reached, ok := all.FindReach("")
	assert.True(t, ok)
	assert.Empty(t, reached)
}
