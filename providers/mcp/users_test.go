package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// echo exchanges a token for one that names it.
func echo(subject string) token.Fetch {
	return func(context.Context) (token.Token, error) {
		if strings.HasPrefix(subject, "junk") {
			return token.Token{}, errors.New("refused")
		}
		return token.Token{Value: "issued-for-" + subject, Expires: time.Now().Add(time.Hour)}, nil
	}
}

func withToken(t *testing.T, value string) context.Context {
	t.Helper()
	return tools.WithUser(t.Context(), tools.User{Token: value})
}

func TestAUserIsNeverCalledForWithAnothersToken(t *testing.T) {
	inner := &answersStatus{status: 200}
	a := NewAuthorizedForUsers(inner, echo)
	ann, bob := withToken(t, "token-of-ann"), withToken(t, "token-of-bob")
	for _, ctx := range []context.Context{ann, bob, ann} {
		_, err := a.Do(ctx, &upstream.Request{})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"Bearer issued-for-token-of-ann", "Bearer issued-for-token-of-bob", "Bearer issued-for-token-of-ann"}, inner.sent)
	_, err := a.Do(t.Context(), &upstream.Request{})
	require.ErrorContains(t, err, tools.HeaderUserToken+" is missing")
	_, err = a.Do(withToken(t, strings.Repeat("x", maxUserToken+1)), &upstream.Request{})
	require.ErrorContains(t, err, "holds no token")
	assert.Len(t, inner.sent, 3, "nothing else was sent")
}

func TestAnAnswerMustNotRepeatATokenOfAUserWhomTheGatewayHasForgotten(t *testing.T) {
	a := NewAuthorizedForUsers(&answersStatus{status: 200}, echo)
	answer := &Answer{server: &Server{client: a}}
	_, err := a.Do(answer.newCancelable(withToken(t, "token-of-ann")), &upstream.Request{})
	require.NoError(t, err)
	clear(a.users.known)
	require.ErrorIs(t, answer.checkLeak([]byte("issued-for-token-of-ann")), ErrCredential)
	require.NoError(t, answer.checkLeak([]byte("issued-for-token-of-bob")))
	for i := range 3 {
		answer.sent.ids[0].noteSent(fmt.Sprintf("a-newer-token-%d", i))
	}
	require.ErrorIs(t, answer.checkLeak([]byte("issued-for-token-of-ann")), ErrCredential, "nor one that has been renewed twice since")
	require.ErrorIs(t, answer.checkLeak([]byte("a-newer-token-2")), ErrCredential)
}

func TestTokensOfUsersAreBoundedAndExpireWithTheUsersOwn(t *testing.T) {
	u := newUsers(echo)
	now := time.Unix(1_800_000_000, 0)
	u.now = func() time.Time { return now }
	call := func(tenant, value string) (*identity, error) {
		now = now.Add(time.Second)
		id, _, err := u.get(t.Context(), tools.User{Token: value, Tenant: tenant})
		return id, err
	}
	first, err := call("a", "token-0")
	require.NoError(t, err)
	for i := range maxUsers + 10 {
		_, err := call("b", fmt.Sprintf("junk-%d", i))
		require.Error(t, err)
	}
	assert.Len(t, u.known, 1, "tokens that cannot be exchanged are not kept")
	assert.Empty(t, u.fresh)
	for i := range maxUsersOfTenant + 10 {
		_, err := call("b", fmt.Sprintf("token-%d", i))
		require.NoError(t, err)
	}
	assert.Len(t, u.known, maxUsersOfTenant+1)
	for i := range maxUsers {
		_, err := call(fmt.Sprintf("tenant-%d", i%5), fmt.Sprintf("token-%d", i))
		require.NoError(t, err)
	}
	assert.Len(t, u.known, maxUsers)
	again, err := call("a", "token-0")
	require.NoError(t, err)
	assert.Same(t, first, again, "a tenant with one user does not pay for those with many")
	_, err = call("a", "one more")
	require.Error(t, err, "a token has no blanks")
	part := base64.RawURLEncoding.EncodeToString
	jwt := part([]byte(`{}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d}`, now.Unix()+60)) + ".x"
	_, err = call("a", jwt)
	require.NoError(t, err)
	now = now.Add(time.Minute)
	_, err = call("a", jwt)
	require.ErrorContains(t, err, "has expired")
}

func TestExchangesUnderWayAreBoundedAndEndWithTheLastCallerThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, maxExchanges)
		u := newUsers(func(subject string) token.Fetch {
			return func(ctx context.Context) (token.Token, error) {
				<-ctx.Done()
				ended <- subject
				return token.Token{}, ctx.Err()
			}
		})
		failed := make(chan error, maxExchanges)
		get := func(ctx context.Context, value string) {
			go func() {
				_, _, err := u.get(ctx, tools.User{Token: value, Tenant: "a"})
				failed <- err
			}()
			synctest.Wait()
		}
		one, leaveOne := context.WithCancel(t.Context())
		two, leaveTwo := context.WithCancel(t.Context())
		get(one, "shared")
		get(two, "shared")
		for i := 1; i < maxExchangesOfTenant; i++ {
			get(two, fmt.Sprint("other-", i))
		}
		assert.Empty(t, failed)
		get(one, "one-too-many")
		require.ErrorContains(t, <-failed, "too many")
		leaveOne()
		require.ErrorIs(t, <-failed, context.Canceled)
		synctest.Wait()
		assert.Empty(t, ended, "another caller waits for the exchange")
		leaveTwo()
		synctest.Wait()
		assert.Len(t, ended, maxExchangesOfTenant)
		assert.Empty(t, u.fresh)
	})
}
