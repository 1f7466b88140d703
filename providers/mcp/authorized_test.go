package mcp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// answersStatus is a client whose calls are answered with a status.
type answersStatus struct {
	upstream.Client
	status int
	sent   []string // values of Authorization
}

func (a *answersStatus) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	for _, f := range r.Header {
		if f.Name == "Authorization" {
			a.sent = append(a.sent, f.Value)
		}
	}
	return &upstream.Response{Status: a.status}, nil
}

func TestTokensThatWereSentMustNotComeBack(t *testing.T) {
	inner, value := &answersStatus{status: 200}, "the-first-token-0"
	a := NewAuthorized(inner, token.NewCache(func(context.Context) (token.Token, error) { return token.Token{Value: value}, nil }))
	v := &Server{client: a}
	require.NoError(t, v.CheckLeak([]byte("the-first-token-0")), "nothing was sent yet")
	_, err := a.Do(t.Context(), &upstream.Request{})
	require.NoError(t, err)
	assert.Equal(t, []string{"Bearer the-first-token-0"}, inner.sent)
	require.ErrorIs(t, v.CheckLeak([]byte(`{"x":"the-first-token-0"}`)), ErrCredential)
	require.NoError(t, v.CheckLeak([]byte(`{"x":"another"}`)))
	a.own.noteSent("the-second-token-0")
	require.ErrorIs(t, v.CheckLeak([]byte("the-first-token-0")), ErrCredential, "an answer to an earlier call may repeat the one before")
	require.ErrorIs(t, v.CheckLeak([]byte("the-second-token-0")), ErrCredential)
}

func TestACallWithoutATokenIsNotSent(t *testing.T) {
	inner := &answersStatus{status: 200}
	a := NewAuthorized(inner, token.NewCache(func(context.Context) (token.Token, error) {
		return token.Token{}, &token.Error{Reason: "refused"}
	}))
	_, err := a.Do(t.Context(), &upstream.Request{})
	var own *core.Error
	require.ErrorAs(t, err, &own)
	assert.Equal(t, core.BadGateway, own.Kind)
	assert.NotContains(t, own.Public, "refused")
	assert.Empty(t, inner.sent)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	waits := NewAuthorized(inner, token.NewCache(func(ctx context.Context) (token.Token, error) {
		<-ctx.Done()
		return token.Token{}, ctx.Err()
	}))
	_, err = waits.Do(ctx, &upstream.Request{})
	require.ErrorIs(t, err, context.Canceled, "a caller that hangs up does not wait")
}
