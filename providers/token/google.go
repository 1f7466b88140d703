package token

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// cloudScope is the scope of all of Google Cloud; what the account may do is said by IAM.
const cloudScope = "https://www.googleapis.com/auth/cloud-platform"

// googleTypes are the types of credential files that are read.
var googleTypes = []google.CredentialsType{
	google.ServiceAccount, google.ExternalAccount, google.AuthorizedUser, google.ImpersonatedServiceAccount,
	google.ExternalAccountAuthorizedUser,
}

// NewGoogle returns the fetch for a credentials file of Google Cloud: a service account's key, a workload identity
// federation, or what gcloud writes. project is the project that the file names, or "".
func NewGoogle(file []byte, client *http.Client) (fetch Fetch, project string, err error) {
	var head struct {
		Type    google.CredentialsType `json:"type"`
		Project string                 `json:"project_id"`
	}
	// The library's errors may quote the file, which holds a private key.
	if json.Unmarshal(file, &head) != nil {
		return nil, "", fmt.Errorf("not a credentials file of Google Cloud: not JSON")
	}
	if !slices.Contains(googleTypes, head.Type) {
		return nil, "", fmt.Errorf("not a credentials file of Google Cloud: `type` must be service_account, " +
			"external_account, authorized_user or impersonated_service_account")
	}
	// A source keeps its token until ten seconds before the expiry, so each fetch makes a new one.
	source := func(ctx context.Context) (oauth2.TokenSource, error) {
		c, err := google.CredentialsFromJSONWithType(context.WithValue(ctx, oauth2.HTTPClient, client), file, head.Type, cloudScope)
		if err != nil {
			return nil, fmt.Errorf("not a valid credentials file of the type %s", head.Type)
		}
		return c.TokenSource, nil
	}
	if _, err := source(context.Background()); err != nil {
		return nil, "", err
	}
	return newSourceFetch("Google's token service", source), head.Project, nil
}

// NewGoogleMetadata returns the fetch for the account that Google Cloud attaches to the machine or the pod.
func NewGoogleMetadata() Fetch {
	return newSourceFetch("Google's metadata server", func(context.Context) (oauth2.TokenSource, error) {
		return google.ComputeTokenSource("", cloudScope), nil
	})
}

// newSourceFetch returns the fetch that asks a new source each time. Sources take no context for the request itself, so
// the fetch ends with ctx, and an abandoned request with the limits of its client.
func newSourceFetch(who string, source func(context.Context) (oauth2.TokenSource, error)) Fetch {
	return func(ctx context.Context) (Token, error) {
		type result struct {
			t   *oauth2.Token
			err error
		}
		done := make(chan result, 1)
		go func() {
			s, err := source(ctx)
			if err != nil {
				done <- result{nil, err}
				return
			}
			t, err := s.Token()
			done <- result{t, err}
		}()
		select {
		case r := <-done:
			if r.err != nil {
				return Token{}, describeFailure(who, r.err)
			}
			return Token{Value: r.t.AccessToken, Expires: r.t.Expiry}, nil
		case <-ctx.Done():
			return Token{}, describeFailure(who, ctx.Err())
		}
	}
}
