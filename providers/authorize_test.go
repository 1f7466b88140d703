package providers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/token"
)

// entraProvider returns an azure-openai provider that signs in at an identity service, and calls a server.
func entraProvider(t *testing.T, authority, base string) *hosted {
	lean := upstream.NewLean(upstream.LeanOptions{})
	t.Cleanup(func() { assert.NoError(t, lean.Close()) })
	return newProvider(t, Settings{Name: "azure", BaseURL: base, Client: lean, Entra: Entra{
		Identity: "client_secret", TenantID: "t", ClientID: "c", ClientSecret: "s3cret", Authority: authority,
	}}).(*hosted)
}

// call makes one call and returns its status.
func call(t *testing.T, p *hosted) (int, error) {
	x := exchange(openAIChat, "gpt-5", false)
	x.Target.Wire = openAIChat
	r := &upstream.Request{Body: []byte(`{}`)}
	if err := p.NewRequest(x, r); !assert.NoError(t, err) {
		return 0, err
	}
	res, err := p.Client().Do(context.Background(), r)
	if err != nil {
		return 0, err
	}
	return res.Status, res.Body.Close()
}

func TestAThousandParallelCallsSignInOnce(t *testing.T) {
	var signed, called atomic.Int32
	identity := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		signed.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"token_type":"Bearer","expires_in":3599,"access_token":"eyJ.e"}`))
	}))
	defer identity.Close()
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called.Add(1)
		if r.Header.Get("Authorization") != "Bearer eyJ.e" || r.Header.Get("Api-Key") != "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer cloud.Close()
	p := entraProvider(t, identity.URL, cloud.URL)
	begin := make(chan struct{})
	var calls sync.WaitGroup
	for range 1000 {
		calls.Go(func() {
			<-begin
			status, err := call(t, p)
			assert.NoError(t, err)
			assert.Equal(t, http.StatusOK, status)
		})
	}
	close(begin)
	calls.Wait()
	assert.EqualValues(t, 1, signed.Load())
	assert.EqualValues(t, 1000, called.Load())
}

func TestACallWithoutATokenIsNotMadeAndSaysWhy(t *testing.T) {
	cloud := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	defer cloud.Close()
	_, err := call(t, entraProvider(t, "http://127.0.0.1:1", cloud.URL))
	var up *upstream.Error
	require.ErrorAs(t, err, &up)
	assert.True(t, up.Unsent, "another target may be called")
	var own *core.Error
	require.ErrorAs(t, err, &own)
	assert.Equal(t, http.StatusBadGateway, own.HTTPStatus())
	assert.Equal(t, "Azure OpenAI cannot be called: the gateway could not obtain an access token", own.Public)
	require.ErrorContains(t, own.Err, "Microsoft Entra ID could not be asked")
	assert.NotContains(t, err.Error()+own.Err.Error(), "s3cret")
}

func TestACallerThatHangsUpWhileATokenIsFetchedIsNotAFailure(t *testing.T) {
	release := make(chan struct{})
	a := &authorized{label: "Azure OpenAI", tokens: token.NewCache(func(context.Context) (token.Token, error) {
		<-release
		return token.Token{Value: "t"}, nil
	})}
	defer close(release)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := a.Do(ctx, &upstream.Request{})
	require.ErrorIs(t, err, context.Canceled)
	var own *core.Error
	assert.NotErrorAs(t, err, &own)
}

// refusing is a client whose provider answers 401.
type refusing struct{ upstream.Client }

func (refusing) Do(context.Context, *upstream.Request) (*upstream.Response, error) {
	return &upstream.Response{Status: http.StatusUnauthorized}, nil
}

func TestATokenThatTheProviderRefusesIsReportedToTheCache(t *testing.T) {
	tokens := token.NewCache(func(context.Context) (token.Token, error) {
		return token.Token{Value: "t", Expires: time.Now().Add(time.Hour)}, nil
	})
	a := &authorized{Client: refusing{}, label: "x", tokens: tokens}
	r := &upstream.Request{Header: []upstream.Field{{Name: "authorization", Value: "Bearer old"}}}
	for range 2 {
		res, err := a.Do(context.Background(), r)
		require.NoError(t, err)
		assert.Equal(t, http.StatusUnauthorized, res.Status)
		assert.Equal(t, []upstream.Field{{Name: "Authorization", Value: "Bearer t"}}, r.Header, "sent once")
	}
}
