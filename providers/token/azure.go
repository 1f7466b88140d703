package token

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const entra = "Microsoft Entra ID"

// EntraApp is an application in Entra ID that signs in with a secret, or with a token that another identity provider has
// signed.
type EntraApp struct {
	Authority string // such as https://login.microsoftonline.com
	Tenant    string
	ClientID  string
	Secret    string // of the application; if empty, TokenFile is used
	TokenFile string // the file with the signed token, which its issuer replaces
	Scope     string // such as https://cognitiveservices.azure.com/.default
}

// NewFetch asks for a token by the client credentials grant.
func (a EntraApp) NewFetch(client *http.Client) Fetch {
	return newSourceFetch(entra, func(ctx context.Context) (oauth2.TokenSource, error) {
		c := clientcredentials.Config{
			ClientID: a.ClientID, ClientSecret: a.Secret, Scopes: []string{a.Scope}, AuthStyle: oauth2.AuthStyleInParams,
			TokenURL: strings.TrimRight(a.Authority, "/") + "/" + url.PathEscape(a.Tenant) + "/oauth2/v2.0/token",
		}
		if a.Secret == "" {
			assertion, err := os.ReadFile(a.TokenFile)
			if err != nil {
				return nil, &Error{Reason: "the token file of the workload identity cannot be read", Err: err}
			}
			c.EndpointParams = url.Values{
				"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
				"client_assertion":      {strings.TrimSpace(string(assertion))},
			}
		}
		return c.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client)), nil
	})
}

// ManagedIdentity is the identity that Azure attaches to a machine, an app or a container.
type ManagedIdentity struct {
	Resource string // such as https://cognitiveservices.azure.com
	ClientID string // of a user-assigned identity; empty for the system's
	// Endpoint and Secret are IDENTITY_ENDPOINT and IDENTITY_HEADER of App Service and Container Apps; "" for a machine's
	// metadata service.
	Endpoint, Secret string
}

// metadataService is the address of the metadata service on machines of Azure.
const metadataService = "http://169.254.169.254/metadata/identity/oauth2/token"

// maxTokenAnswer is the longest answer that is read. Tokens have a few kilobytes.
const maxTokenAnswer = 1 << 20

// NewFetch asks the endpoint that Azure provides for the identity.
func (m ManagedIdentity) NewFetch(client *http.Client) Fetch {
	const who = "Azure's managed identity endpoint"
	return func(ctx context.Context) (Token, error) {
		r, err := m.newRequest(ctx)
		if err != nil {
			return Token{}, &Error{Reason: "the address of the managed identity endpoint is not a URL"}
		}
		res, err := client.Do(r)
		if err != nil {
			return Token{}, describeFailure(who, errors.Join(ctx.Err(), errors.New("not reached")))
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(res.Body, maxTokenAnswer))
		if err != nil || res.StatusCode != http.StatusOK {
			return Token{}, &Error{Reason: who + " answered " + strconv.Itoa(res.StatusCode)}
		}
		var v struct {
			Token   string      `json:"access_token"`
			Expires json.Number `json:"expires_on"` // seconds since 1970, as a string or a number
		}
		if json.Unmarshal(body, &v) != nil {
			return Token{}, &Error{Reason: who + " did not answer with a token"}
		}
		on, err := v.Expires.Int64()
		if err != nil {
			return Token{}, &Error{Reason: who + " did not say when its token expires"}
		}
		return Token{Value: v.Token, Expires: time.Unix(on, 0)}, nil
	}
}

func (m ManagedIdentity) newRequest(ctx context.Context) (*http.Request, error) {
	at, version, field, value := metadataService, "2018-02-01", "Metadata", "true"
	if m.Endpoint != "" {
		at, version, field, value = m.Endpoint, "2019-08-01", "X-Identity-Header", m.Secret
	}
	query := url.Values{"api-version": {version}, "resource": {m.Resource}}
	if m.ClientID != "" {
		query.Set("client_id", m.ClientID)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(field, value)
	return r, nil
}
