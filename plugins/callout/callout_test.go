package callout

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func newCall(upstream, path, body string) *foreign.Call {
	return &foreign.Call{
		Exchange: &core.Exchange{Principal: &core.Principal{Tenant: "acme", KeyID: "k1"}}, Link: "link", Upstream: upstream, Path: path, Body: []byte(body),
	}
}

func TestAServiceIsCalledUnderItsAddressAlone(t *testing.T) {
	var got []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization")+" "+string(body))
		if r.URL.Path == "/base/away" {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
			return
		}
		if r.URL.Path == "/base/long" {
			_, _ = w.Write(make([]byte, abi.MaxCallAnswer+1))
			return
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short")
	}))
	defer service.Close()
	var noted []int
	c, err := New(map[string]Upstream{"guard": {URL: service.URL + "/base/", Token: "t", AllowPrivate: true}}, nil,
		func(_ context.Context, _ *foreign.Call, status, _ int) { noted = append(noted, status) })
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.Close()) }()
	status, answer, err := c.Call(context.Background(), newCall("guard", "/v1/a%20b?q=1", `{"x":1}`))
	require.NoError(t, err)
	assert.Equal(t, 418, status)
	assert.Equal(t, "short", string(answer))
	assert.Equal(t, []string{`POST /base/v1/a%20b?q=1 Bearer t {"x":1}`}, got)

	status, _, err = c.Call(context.Background(), newCall("guard", "/away", ""))
	require.NoError(t, err)
	assert.Equal(t, 302, status, "a redirect is an answer, and not followed")
	_, _, err = c.Call(context.Background(), newCall("guard", "/long", ""))
	require.ErrorIs(t, err, errLong)
	assert.Equal(t, []int{418, 302, 0}, noted)
	for _, path := range []string{"/../x", "//192.0.2.1/x", "/%2e%2e/x", "/a\\b", "x", "", "/a#b", "/%zz", "/a b"} {
		assert.False(t, foreign.IsPlainPath(path), path)
		_, _, err = c.Call(context.Background(), newCall("guard", path, ""))
		require.ErrorIs(t, err, errPath, path)
	}
	_, _, err = c.Call(context.Background(), newCall("other", "/", ""))
	require.ErrorIs(t, err, errNoUpstream)
	assert.Len(t, got, 3, "nothing else was sent")
}

func TestPrivateAddressesAreNotCalled(t *testing.T) {
	for _, address := range []string{"https://127.0.0.1/x", "https://10.0.0.1", "https://169.254.169.254", "https://[::1]/", "https://localhost", "http://example.com"} {
		_, err := New(map[string]Upstream{"guard": {URL: address}}, nil, nil)
		require.ErrorContains(t, err, "plugins.upstreams.guard.url", address)
	}
}

func TestAModelOfTheGatewayIsAskedForTheCaller(t *testing.T) {
	var asked []string
	ask := func(_ context.Context, by *core.Principal, link, path string, body []byte) (int, []byte, error) {
		asked = append(asked, by.KeyID+" "+link+" "+path+" "+string(body))
		if strings.Contains(string(body), "poor") {
			return 0, nil, &core.Error{Kind: core.RateLimited, Code: core.CodeQuota}
		}
		return 200, []byte("{}"), nil
	}
	c, err := New(map[string]Upstream{"models": {Models: []string{"guard-*", "embed"}}}, ask, nil)
	require.NoError(t, err)
	assert.True(t, c.AsksModels("models"))
	status, _, err := c.Call(context.Background(), newCall("models", "/v1/embeddings", `{"model":"embed","input":"x"}`))
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Equal(t, []string{`k1 link /v1/embeddings {"model":"embed","input":"x"}`}, asked)
	_, _, err = c.Call(context.Background(), newCall("models", "/v1/chat/completions", `{"model":"guard-1","poor":1}`))
	require.ErrorIs(t, err, foreign.ErrLimited)
	for path, body := range map[string]string{
		"/v1/files": `{"model":"embed"}`, "/v1/chat/completions": `{"model":"gpt-4o"}`, "/v1/embeddings": `{"model":"embed","model":"gpt-4o"}`,
	} {
		_, _, err = c.Call(context.Background(), newCall("models", path, body))
		require.Error(t, err, body)
	}
	for _, body := range []string{"", "[]", `{"model":1}`, `{"model":"embed","stream":true}`, `{"model":"embed"`} {
		_, _, err = c.Call(context.Background(), newCall("models", "/v1/embeddings", body))
		require.ErrorIs(t, err, errModel, body)
	}
	assert.Len(t, asked, 2)
}

func TestCallsAtOnceAreLimited(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	ask := func(context.Context, *core.Principal, string, string, []byte) (int, []byte, error) {
		entered <- struct{}{}
		<-leave
		return 200, nil, nil
	}
	c, err := New(map[string]Upstream{"models": {Models: []string{"*"}, Calls: 1, Timeout: time.Minute}}, ask, nil)
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		_, _, err := c.Call(context.Background(), newCall("models", "/v1/embeddings", `{"model":"m"}`))
		done <- err
	}()
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = c.Call(ctx, newCall("models", "/v1/embeddings", `{"model":"m"}`))
	require.ErrorIs(t, err, foreign.ErrLimited)
	close(leave)
	require.NoError(t, <-done)
}
