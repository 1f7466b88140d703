package providers

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/providers/token"
)

// The identity service and the resource of Azure's public cloud.
const (
	entraAuthority = "https://login.microsoftonline.com"
	entraScope     = "https://cognitiveservices.azure.com/.default"
)

// newEntraCredential returns the fetch for the configured identity.
func newEntraCredential(s Settings) (token.Fetch, error) {
	env := s.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	e := s.Entra
	if s.APIKey != "" {
		return nil, errors.New("api_key is set beside entra: remove one of them")
	}
	e.Scope = cmp.Or(e.Scope, entraScope)
	e.ClientID = cmp.Or(e.ClientID, env("AZURE_CLIENT_ID"))
	if e.Identity == "managed_identity" {
		m := token.ManagedIdentity{
			Resource: strings.TrimSuffix(e.Scope, "/.default"), ClientID: e.ClientID,
			Endpoint: env("IDENTITY_ENDPOINT"), Secret: env("IDENTITY_HEADER"),
		}
		return m.NewFetch(newIdentityClient(true)), nil
	}
	app := token.EntraApp{
		Authority: cmp.Or(e.Authority, env("AZURE_AUTHORITY_HOST"), entraAuthority), Tenant: cmp.Or(e.TenantID, env("AZURE_TENANT_ID")),
		ClientID: e.ClientID, Scope: e.Scope,
	}
	switch e.Identity {
	case "client_secret":
		if app.Secret = cmp.Or(e.ClientSecret, env("AZURE_CLIENT_SECRET")); app.Secret == "" {
			return nil, errors.New("entra.client_secret is missing: write it, or set AZURE_CLIENT_SECRET")
		}
	case "workload_identity":
		if app.TokenFile = cmp.Or(e.TokenFile, env("AZURE_FEDERATED_TOKEN_FILE")); app.TokenFile == "" {
			return nil, errors.New("entra.token_file is missing: write it, or set AZURE_FEDERATED_TOKEN_FILE")
		}
	default:
		return nil, errors.New("entra.identity: must be client_secret, workload_identity or managed_identity")
	}
	u, err := url.Parse(app.Authority)
	switch {
	case app.Tenant == "":
		return nil, errors.New("entra.tenant_id is missing: write it, or set AZURE_TENANT_ID")
	case app.ClientID == "":
		return nil, errors.New("entra.client_id is missing: write it, or set AZURE_CLIENT_ID")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return nil, errors.New("entra.authority is not an http or https URL")
	}
	return app.NewFetch(newIdentityClient(false)), nil
}
