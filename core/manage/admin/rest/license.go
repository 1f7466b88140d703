package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// licenseFile is what sets the licence.
type licenseFile struct {
	License string `json:"license" minLength:"1" maxLength:"16384" doc:"The licence file, byte for byte."`
}

// licenses adds the operations on the licence.
func (a *API) licenses() {
	const tag, path = "Licence", "/license"
	s := a.Service
	handle(a, Operation{
		ID: "getLicense", Method: http.MethodGet, Path: path, Tag: tag, Summary: "Say how the installation stands with its licence", Permission: auth.LicenseRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*one[admin.LicenseView], error) {
		return show(s.Licenses().Get(ctx, who))
	})
	handle(a, Operation{
		ID: "setLicense", Method: http.MethodPut, Path: path, Tag: tag, Summary: "Set or replace the licence", Permission: auth.LicenseWrite,
		Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body licenseFile }) (*one[admin.LicenseView], error) {
		return show(s.Licenses().Set(ctx, who, in.Body.License))
	})
	handle(a, Operation{
		ID: "removeLicense", Method: http.MethodDelete, Path: path, Tag: tag, Summary: "Go on without a licence", Permission: auth.LicenseWrite,
		Status: http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*none, error) {
		return done(s.Licenses().Remove(ctx, who))
	})
}
