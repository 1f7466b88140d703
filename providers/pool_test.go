package providers

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// statusClient answers each call with a status and counts the calls by credential.
type statusClient struct {
	status map[string]int // by the value of Authorization; 0 is 200
	after  string         // Retry-After
	calls  map[string]int
}

func (c *statusClient) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	for _, f := range r.Header {
		if f.Name == bearer.field {
			c.calls[f.Value]++
			res := &upstream.Response{Status: c.status[f.Value], Header: []upstream.Field{{Name: "Retry-After", Value: c.after}}}
			if res.Status == 0 {
				res.Status = http.StatusOK
			}
			return res, nil
		}
	}
	return &upstream.Response{Status: http.StatusBadRequest}, nil
}

func (*statusClient) Close() error { return nil }

// newTestPool returns a pool of keys with weights, and its client.
func newTestPool(t *testing.T, now func() time.Time, weights map[string]int) (*Pool, *statusClient) {
	t.Helper()
	client := &statusClient{status: map[string]int{}, calls: map[string]int{}}
	var members []Member
	for _, key := range []string{"key-a", "key-b"} {
		p, err := New(Settings{Name: "openai", APIKey: key, Client: client})
		require.NoError(t, err)
		members = append(members, Member{ID: key, Weight: weights[key], Provider: p, Mark: key})
	}
	return NewPool(members, now), client
}

func callPool(t *testing.T, p *Pool, n int) {
	t.Helper()
	for range n {
		x := &core.Exchange{Target: core.TargetRef{Provider: "openai", Model: "m", Wire: openAIChat}}
		var r upstream.Request
		require.NoError(t, p.NewRequest(x, &r))
		_, err := p.Client().Do(t.Context(), &r)
		require.NoError(t, err)
	}
}

func TestAPoolDividesCallsByWeight(t *testing.T) {
	p, client := newTestPool(t, nil, map[string]int{"key-a": 1, "key-b": 3})
	callPool(t, p, 40)
	assert.Equal(t, map[string]int{"Bearer key-a": 10, "Bearer key-b": 30}, client.calls)
}

func TestARefusedOrLimitedCredentialRestsWhileAnotherOneWorks(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		after  string
		rest   time.Duration
	}{
		{"a refused key rests for five minutes", http.StatusUnauthorized, "", refusedRest},
		{"a limited key rests as long as the provider says", http.StatusTooManyRequests, "30", 30 * time.Second},
		{"but at most a minute", http.StatusTooManyRequests, "86400", maxRest},
		{"and ten seconds if it says nothing", http.StatusTooManyRequests, "", limitedRest},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Unix(1_000_000, 0)
			p, client := newTestPool(t, func() time.Time { return now }, map[string]int{"key-a": 1, "key-b": 1})
			client.status["Bearer key-a"], client.after = c.status, c.after
			callPool(t, p, 10)
			assert.Equal(t, 1, client.calls["Bearer key-a"])
			assert.Equal(t, Rest{now.Add(c.rest), c.status}, p.States()["key-a"])
			client.status["Bearer key-a"] = 0
			now = now.Add(c.rest)
			assert.Equal(t, Rest{}, p.States()["key-a"])
			callPool(t, p, 10)
			assert.Greater(t, client.calls["Bearer key-a"], 4)
		})
	}
}

// A provider forbids a model or a prompt, which says nothing about the key: one client must not make the keys of all rest.
func TestACredentialIsUsedOnAfterAForbiddenCall(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	p, client := newTestPool(t, func() time.Time { return now }, map[string]int{"key-a": 1, "key-b": 1})
	client.status["Bearer key-a"] = http.StatusForbidden
	callPool(t, p, 10)
	assert.Equal(t, 5, client.calls["Bearer key-a"])
}

func TestAPoolWhoseCredentialsAllRestUsesTheOneThatRestsLeast(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	p, client := newTestPool(t, func() time.Time { return now }, map[string]int{"key-a": 1, "key-b": 1})
	client.status["Bearer key-a"], client.status["Bearer key-b"] = http.StatusUnauthorized, http.StatusTooManyRequests
	callPool(t, p, 6)
	assert.Equal(t, map[string]int{"Bearer key-a": 1, "Bearer key-b": 5}, client.calls)
}

// socketClient answers handshakes with a status.
type socketClient struct{ *statusClient }

func (c socketClient) OpenSocket(ctx context.Context, r *upstream.Request, _ int64) (upstream.Socket, *upstream.Response, error) {
	res, err := c.Do(ctx, r)
	return nil, res, err
}

// A pool can do what its providers can do, which others find out by their methods.
func TestAPoolOpensSocketsAndKnowsModelsOfEmbeddings(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	client := socketClient{&statusClient{status: map[string]int{"Bearer key-a": http.StatusUnauthorized}, calls: map[string]int{}}}
	one, err := New(Settings{Name: "mistral", Type: "mistral", APIKey: "key-a", Client: client})
	require.NoError(t, err)
	p := NewPool([]Member{{ID: "a", Weight: 1, Provider: one, Mark: "key-a"}}, func() time.Time { return now })
	assert.True(t, p.Embeds("mistral-embed"))
	assert.False(t, p.Embeds("mistral-large-latest"))

	var r upstream.Request
	require.NoError(t, p.NewRequest(&core.Exchange{Target: core.TargetRef{Provider: "mistral", Model: "m", Wire: openAIChat}}, &r))
	opener, ok := p.Client().(upstream.SocketOpener)
	require.True(t, ok)
	_, refused, err := opener.OpenSocket(t.Context(), &r, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, refused.Status)
	assert.Equal(t, http.StatusUnauthorized, p.States()["a"].Status)
}

// A provider of the file may have secrets in other fields of its header.
func TestAProbeMasksWhateverItSent(t *testing.T) {
	one, err := New(Settings{Name: "openai", APIKey: "key-a", Client: echoClient{}, Header: []upstream.Field{{Name: "X-Gate", Value: "sesame-open-7"}}})
	require.NoError(t, err)
	a, err := Probe(t.Context(), one, "", "key-a")
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, a.Status)
	assert.Contains(t, a.Text, "you sent")
	assert.NotContains(t, a.Text, "sesame")
	assert.NotContains(t, a.Text, "key-a")
}

// echoClient repeats the header of a call.
type echoClient struct{}

func (echoClient) Do(_ context.Context, r *upstream.Request) (*upstream.Response, error) {
	text := "you sent"
	for _, f := range r.Header {
		text += " " + f.Name + " " + f.Value
	}
	return &upstream.Response{Status: http.StatusBadRequest, Body: said{strings.NewReader(text)}}, nil
}

func (echoClient) Close() error { return nil }

// said is the body of an answer.
type said struct{ io.Reader }

func (said) Close() error { return nil }

func (said) Buffered() int { return 0 }

func TestFragmentsOfACredentialAreMasked(t *testing.T) {
	const key = "sk-proj-AbCdEfGhIjKl"
	for _, c := range []struct{ name, text, want string }{
		{"a whole key", "key sk-proj-AbCdEfGhIjKl is bad", "key (masked) is bad"},
		{"the ends of a key", `{"message":"Incorrect API key: sk-proj****IjKl."}`, `{"message":"Incorrect API key: (masked)"}`},
		{"a tail of it", "ends with GhIjKl", "ends with (masked)"},
		{"what a vendor has masked", "key ab***cd", "key (masked)"},
		{"other words stay", "Quota of the day is used up.", "Quota of the day is used up."},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, maskFragments(c.text, key)) })
	}
}

func TestListsOfModelsOfAllVendorsAreRead(t *testing.T) {
	for _, body := range []string{
		`{"data":[{"id":"b"},{"id":"a"},{"id":"a"}]}`, `{"models":[{"name":"models/a"},{"name":"b"}]}`, `[{"id":"a"},{"id":"b"}]`,
	} {
		assert.Equal(t, []string{"a", "b"}, readModels([]byte(body)), body)
	}
	assert.Nil(t, readModels([]byte("<html>")))
}
