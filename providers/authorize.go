package providers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// authorized is a client whose calls carry an access token.
type authorized struct {
	upstream.Client
	label  string
	tokens *token.Cache
}

// Do adds the token and makes the call. A token that the provider refuses is not used again.
func (a *authorized) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	value, err := a.tokens.Get(ctx)
	if err != nil {
		return nil, a.convertFailure(ctx, err)
	}
	r.Header = append(dropField(r.Header, bearer.field), upstream.Field{Name: bearer.field, Value: bearer.prefix + value})
	res, err := a.Client.Do(ctx, r)
	if err == nil && res.Status == http.StatusUnauthorized {
		a.tokens.Drop(value)
	}
	return res, err
}

// convertFailure returns the error of a call that was not made, for lack of a token.
func (a *authorized) convertFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &upstream.Error{Unsent: true, Err: ctx.Err()}
	}
	return &upstream.Error{Unsent: true, Err: &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstream, Err: err,
		Public: a.label + " cannot be called: the gateway could not obtain an access token",
	}}
}

// newIdentityClient returns the client for requests to identity services. Those on the machine itself are never asked
// through a proxy.
func newIdentityClient(local bool) *http.Client {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	if local {
		t.Proxy = nil
	}
	return &http.Client{
		Transport: t, Timeout: 20 * time.Second,
		// A credential is sent to the address that was configured, and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("identity services must not redirect") },
	}
}
