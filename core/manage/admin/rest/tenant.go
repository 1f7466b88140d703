package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type TenantPath struct {
	ID string `path:"id" maxLength:"128" doc:"The tenant's id."`
}

// tenants adds the operations on tenants.
func (a *API) tenants() {
	const tag = "Tenants"
	s := a.Service
	handle(a, Operation{
		ID: "createTenant", Method: http.MethodPost, Path: "/tenants", Tag: tag, Summary: "Make a tenant",
		Permission: auth.TenantsCreate, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.TenantChange }) (*made[admin.Tenant], error) {
		t, err := s.Tenants().Create(ctx, who, in.Body)
		return showNew("/tenants/"+t.ID, t, err)
	})
	handleList(a, Operation{
		ID: "listTenants", Method: http.MethodGet, Path: "/tenants", Tag: tag, Summary: "List tenants", Permission: auth.TenantsRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.Tenant], error) {
		return s.Tenants().List(ctx, who, p)
	})
	handle(a, Operation{
		ID: "getTenant", Method: http.MethodGet, Path: "/tenants/{id}", Tag: tag, Summary: "Read a tenant", Permission: auth.TenantsRead,
	}, func(ctx context.Context, who *auth.Actor, in *TenantPath) (*one[admin.Tenant], error) {
		return show(s.Tenants().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateTenant", Method: http.MethodPut, Path: "/tenants/{id}", Tag: tag, Summary: "Change the fields of a tenant that are sent",
		Permission: auth.TenantsUpdate, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Match
		Body admin.TenantChange
	},
	) (*one[admin.Tenant], error) {
		return show(s.Tenants().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteTenant", Method: http.MethodDelete, Path: "/tenants/{id}", Tag: tag, Summary: "Remove a tenant and its keys",
		Permission: auth.TenantsDelete, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Match
	},
	) (*none, error) {
		return done(s.Tenants().Delete(ctx, who, in.ID, in.of()))
	})
}
