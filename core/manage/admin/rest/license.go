package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// licenseFile is the body of a request that sets the licence.
type licenseFile struct {
	License string `json:"license" minLength:"1" maxLength:"16384" doc:"The licence file, unchanged."`
}

// addLicense adds the operations on the licence of the installation.
func (a *API) addLicense() {
	const tag, path = "Licence", "/license"
	s := a.Service.Licenses()
	registerOperation(a, Operation{
		ID: "getLicense", Method: http.MethodGet, Path: path, Tag: tag, Summary: "Get the licence and its state", Permission: auth.LicenseRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*recordAnswer[admin.LicenseView], error) {
		return answerRecord(s.Get(ctx, who))
	})
	registerOperation(a, Operation{
		ID: "setLicense", Method: http.MethodPut, Path: path, Tag: tag, Summary: "Set or replace the licence", Permission: auth.LicenseWrite,
		Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body licenseFile }) (*recordAnswer[admin.LicenseView], error) {
		return answerRecord(s.Set(ctx, who, in.Body.License))
	})
	registerOperation(a, Operation{
		ID: "removeLicense", Method: http.MethodDelete, Path: path, Tag: tag, Summary: "Remove the licence", Permission: auth.LicenseWrite,
		Status: http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, _ *struct{}) (*emptyAnswer, error) {
		return answerEmpty(s.Remove(ctx, who))
	})
}
