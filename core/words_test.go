package core_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

const secret = "sk-secret"

func TestAnErrorShowsItsPublicTextAndKeepsItsCauseForTheLog(t *testing.T) {
	cause := errors.New("dial 10.0.0.7: " + secret)
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: "the provider failed", Err: cause}
	assert.Equal(t, "upstream_error: the provider failed", e.Error())
	require.ErrorIs(t, e, cause)
	assert.Equal(t, 502, e.HTTPStatus())
	assert.Equal(t, 418, (&core.Error{Kind: core.BadGateway, Status: 418}).HTTPStatus())
	assert.Same(t, e, core.ConvertError(fmt.Errorf("send: %w", e)))

	other := core.ConvertError(cause)
	assert.Equal(t, core.Internal, other.Kind)
	assert.NotContains(t, other.Error(), secret)
	require.ErrorIs(t, other, cause)
}

func TestEveryKindHasAStatusAndAType(t *testing.T) {
	for kind, want := range map[core.Kind]string{
		core.InvalidRequest: "400 invalid_request_error", core.Unauthenticated: "401 authentication_error", core.Forbidden: "403 authorization_error",
		core.NotFound: "404 not_found_error", core.MethodNotAllowed: "405 invalid_request_error", core.TooLarge: "413 invalid_request_error",
		core.ContentFiltered: "400 invalid_request_error", core.RateLimited: "429 rate_limit_error", core.Canceled: "499 canceled",
		core.Internal: "500 server_error", core.BadGateway: "502 server_error", core.Unavailable: "503 server_error",
		core.GatewayTimeout: "504 server_error", 0: "500 server_error", 200: "500 server_error",
	} {
		e := &core.Error{Kind: kind}
		assert.Equal(t, want, fmt.Sprint(e.HTTPStatus(), " ", e.Type()))
	}
}

func TestAKeyWithoutScopesIsUnrestricted(t *testing.T) {
	assert.True(t, (&core.Principal{}).Allows("models:read"))
	p := &core.Principal{Scopes: []string{"models:read"}}
	assert.True(t, p.Allows("models:read"))
	assert.False(t, p.Allows("completions:write"))
}
