package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
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
		return token.Token{Value: "issued-for-" + subject, Expires: time.Now().Add(time.Hour)}, nil
	}
}

func TestAUserIsNeverCalledForWithAnothersToken(t *testing.T) {
	inner := &answersStatus{status: 200}
	a := NewAuthorizedForUsers(inner, echo)
	v := &Server{client: a}
	ann, bob := tools.WithUserToken(t.Context(), "token-of-ann"), tools.WithUserToken(t.Context(), "token-of-bob")
	for _, ctx := range []context.Context{ann, bob, ann} {
		_, err := a.Do(ctx, &upstream.Request{})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"Bearer issued-for-token-of-ann", "Bearer issued-for-token-of-bob", "Bearer issued-for-token-of-ann"}, inner.sent)
	require.ErrorIs(t, v.CheckLeak(ann, []byte("issued-for-token-of-ann")), ErrCredential)
	require.NoError(t, v.CheckLeak(ann, []byte("x")))
	_, err := a.Do(t.Context(), &upstream.Request{})
	require.ErrorContains(t, err, tools.HeaderUserToken+" is missing")
	_, err = a.Do(tools.WithUserToken(t.Context(), strings.Repeat("x", maxUserToken+1)), &upstream.Request{})
	require.ErrorContains(t, err, "holds no token")
	assert.Len(t, inner.sent, 3, "nothing else was sent")
}

func TestTokensOfUsersAreBoundedAndExpireWithTheUsersOwn(t *testing.T) {
	u := newUsers(echo)
	now := time.Unix(1_800_000_000, 0)
	u.now = func() time.Time { return now }
	first, err := u.find("token-0")
	require.NoError(t, err)
	for i := 1; i < maxUsers; i++ {
		now = now.Add(time.Second)
		_, err := u.find(fmt.Sprintf("token-%d", i))
		require.NoError(t, err)
	}
	now = now.Add(time.Second)
	again, err := u.find("token-0")
	require.NoError(t, err)
	assert.Same(t, first, again)
	_, err = u.find("one more")
	require.Error(t, err, "a token has no blanks")
	now = now.Add(time.Second)
	_, err = u.find("one-more")
	require.NoError(t, err)
	assert.Len(t, u.known, maxUsers)
	again, err = u.find("token-0")
	require.NoError(t, err)
	assert.Same(t, first, again, "the one that had not called for longest was forgotten")
	part := base64.RawURLEncoding.EncodeToString
	jwt := part([]byte(`{}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d}`, now.Unix()+60)) + ".x"
	_, err = u.find(jwt)
	require.NoError(t, err)
	now = now.Add(time.Minute)
	_, err = u.find(jwt)
	require.ErrorContains(t, err, "has expired")
}
