package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// CredentialMatch names a credential of a provider and the version of the provider to which a change applies.
type CredentialMatch struct {
	RecordMatch
	CredentialID string `path:"credentialId" maxLength:"128" doc:"The id of the credential."`
}

// addProviderRecords adds the operations that add, change and test providers.
func (a *API) addProviderRecords(tag string) {
	const item = "/providers/{id}"
	s := a.Service.Providers()
	mountCRUD(a, entity[admin.Provider, PageQuery]{
		name: "Provider", noun: "a provider", tag: tag, path: "/providers",
		permissions:  permissions{read: auth.ProvidersRead, write: auth.ProvidersWrite},
		createErrors: []int{http.StatusConflict}, list: "List the providers of the configuration file and of the database",
		create: "Add a provider, which every gateway calls within seconds", remove: "Delete a provider with its credentials",
		id: func(p admin.Provider) string { return p.ID }, query: adaptPlainList(s.List),
	}, s)
	registerOperation(a, Operation{
		ID: "getProviderStatus", Method: http.MethodGet, Path: item + "/status", Tag: tag,
		Summary: "Get the state of a provider and its credentials on the node that answers", Permission: auth.ProvidersRead,
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*valueAnswer[admin.ProviderStatus], error) {
		return answerValue(s.GetStatus(ctx, who, in.ID))
	})
	registerOperation(a, Operation{
		ID: "testProvider", Method: http.MethodPost, Path: item + "/test", Tag: tag,
		Summary: "Call a provider and return its own answer", Permission: auth.ProvidersWrite,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Body admin.ProviderTestRequest
	},
	) (*valueAnswer[admin.ProviderTest], error) {
		return answerValue(s.Test(ctx, who, in.ID, in.Body))
	})
	addAction(a, Operation{
		ID: "fetchProviderModels", Path: item + "/models/fetch", Tag: tag,
		Summary: "Ask a provider for its models and store them", Permission: auth.ProvidersWrite,
	}, s.FetchModels)
	addActionWithBody(a, Operation{
		ID: "createProviderCredential", Path: item + "/credentials", Tag: tag,
		Summary: "Add a credential, which is stored sealed", Permission: auth.ProvidersWrite,
	}, s.CreateCredential)
	const one = item + "/credentials/{credentialId}"
	registerOperation(a, Operation{
		ID: "updateProviderCredential", Method: http.MethodPut, Path: one, Tag: tag, Summary: "Change the given fields of a credential",
		Permission: auth.ProvidersWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		CredentialMatch
		Body admin.CredentialChange
	},
	) (*recordAnswer[admin.Provider], error) {
		return answerRecord(s.UpdateCredential(ctx, who, in.ID, in.CredentialID, in.Body, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "rotateProviderCredential", Method: http.MethodPost, Path: one + "/rotate", Tag: tag,
		Summary: "Replace the secret of a credential", Permission: auth.ProvidersWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		CredentialMatch
		Body admin.CredentialRotation
	},
	) (*recordAnswer[admin.Provider], error) {
		return answerRecord(s.RotateCredential(ctx, who, in.ID, in.CredentialID, in.Body, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "deleteProviderCredential", Method: http.MethodDelete, Path: one, Tag: tag, Summary: "Delete a credential",
		Permission: auth.ProvidersWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *CredentialMatch) (*recordAnswer[admin.Provider], error) {
		return answerRecord(s.DeleteCredential(ctx, who, in.ID, in.CredentialID, in.convert()))
	})
}
