package rest

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addTenants adds the operations on tenants.
func (a *API) addTenants() {
	s := a.Service.Tenants()
	mountCRUD(a, entity[admin.Tenant, PageQuery]{
		name: "Tenant", noun: "a tenant", tag: "Tenants", path: "/tenants",
		permissions: permissions{read: auth.TenantsRead, create: auth.TenantsCreate, update: auth.TenantsUpdate, remove: auth.TenantsDelete},
		list:        "List tenants", remove: "Delete a tenant and its keys",
		id: func(t admin.Tenant) string { return t.ID }, query: adaptPlainList(s.List),
	}, s)
}
