package mcp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// countDials counts the connections that a dialler opens.
func countDials(d upstream.PublicDialer, n *atomic.Int32) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		n.Add(1)
		return d.Dial(ctx, network, address)
	}
}

func TestAnAnswerIsReadWholeAndStreamed(t *testing.T) {
	for name, c := range map[string]struct {
		typ, body string
		want      []string
	}{
		"JSON":                    {"application/json", pong, []string{pong}},
		"one event":               {events, "event: message\ndata: " + pong + "\n\n", []string{pong}},
		"notifications before it": {events, ": hi\n\nid: 1\ndata:\n\ndata: " + progress + "\n\ndata: " + pong + "\n\n", []string{progress, pong}},
		"several lines":           {events, "data: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":1,\"result\":{}}\r\n\r\n", []string{`{"jsonrpc":"2.0", "id":1,"result":{}}`}},
		"a second answer":         {events, "data: " + pong + "\n\ndata: " + pong + "\n\n", []string{pong}},
		"texts behind it":         {events, "data: " + pong + "\n\ndata: " + progress + "\n\n", []string{pong}},
	} {
		t.Run(name, func(t *testing.T) {
			v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) { write(w, c.typ, c.body) })
			got, _, err := readAnswer(t.Context(), v, message(t, ping))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestANotificationHasNoAnswer(t *testing.T) {
	for _, status := range []int{202, 200, 204} {
		v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		got, a, err := readAnswer(t.Context(), v, message(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		require.NoError(t, err)
		assert.True(t, a.Accepted)
		assert.Empty(t, got)
	}
}

func TestAnErrorOfTheServerKeepsItsStatus(t *testing.T) {
	const failure = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}`
	v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		writeStatus(w, http.StatusTooManyRequests, failure)
	})
	got, a, err := readAnswer(t.Context(), v, message(t, ping))
	require.NoError(t, err)
	assert.Equal(t, []string{failure}, got)
	assert.Equal(t, &StatusError{Status: 429, RetryAfter: 7 * time.Second}, a.StatusError)
}

func TestWhatAServerSaysOfTheGatewaysCredentialsIsNotPassedOn(t *testing.T) {
	v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Www-Authenticate", `Bearer resource_metadata="https://a.example"`)
		writeStatus(w, http.StatusUnauthorized, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"the token abc has expired"}}`)
	})
	_, _, err := readAnswer(t.Context(), v, message(t, ping))
	assert.Equal(t, &StatusError{Status: 401, Challenge: `Bearer resource_metadata="https://a.example"`}, err)
}

func TestAnAnswerThatRepeatsACredentialIsRefused(t *testing.T) {
	const result = `{"jsonrpc":"2.0","id":1,"result":{"x":"Bearer s3cr3t-t0ken-value, production-eu"}}`
	for name, header := range map[string]struct {
		field upstream.Field
		want  error
	}{
		"a token":         {upstream.Field{Name: "Authorization", Value: "Bearer s3cr3t-t0ken-value"}, ErrCredential},
		"a key":           {upstream.Field{Name: "X-Api-Key", Value: "s3cr3t-t0ken"}, ErrCredential},
		"another header":  {upstream.Field{Name: "X-Environment", Value: "production-eu"}, nil},
		"a short one":     {upstream.Field{Name: "X-Api-Key", Value: "s3cr3t"}, nil},
		"one that is not": {upstream.Field{Name: "X-Api-Key", Value: "another-t0ken"}, nil},
	} {
		for typ, body := range map[string]string{"application/json": result, events: "data: " + result + "\n\n"} {
			v := serve(t, Settings{Header: []upstream.Field{header.field}}, func(w http.ResponseWriter, _ *http.Request) { write(w, typ, body) })
			_, _, err := readAnswer(t.Context(), v, message(t, ping))
			assert.Equal(t, header.want, err, "%s, %s", name, typ)
		}
	}
}

func TestMemoryIsAskedForBeforeAnAnswerTakesIt(t *testing.T) {
	full := errors.New("full")
	long := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("a", 1<<20) + `"}}`
	for typ, body := range map[string]string{"application/json": long, events: "data: " + long + "\n\n"} {
		v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) { write(w, typ, body) })
		m, most := message(t, ping), int64(0)
		m.Reserve = func(n int64) error {
			if most = max(most, n); n > 200<<10 {
				return full
			}
			return nil
		}
		_, _, err := readAnswer(t.Context(), v, m)
		require.ErrorIs(t, err, full, typ)
		assert.Less(t, most, int64(300<<10), "%s: not after the whole answer was read", typ)
	}
}

func TestAnAnswerThatIsNoneIsRefused(t *testing.T) {
	other := &StatusError{}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   error
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) { write(w, "text/html", "<p>secret</p>") }, ErrType},
		"no type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, pong)
		}, ErrType},
		"accepted, to a request":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, ErrNoResponse},
		"a redirect":                  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/x"); w.WriteHeader(307) }, other},
		"an error of a proxy":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); _, _ = io.WriteString(w, "secret") }, other},
		"an error of a proxy in JSON": {func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, 503, `{"error":{"secret":1}}`) }, other},
		"a result with status 500":    {func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, 500, pong) }, other},
		"a result that is compressed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			write(w, "application/json", "xx")
		}, ErrEncoding},
		"a session id that cannot be a header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Mcp-Session-Id", "a b")
			write(w, "application/json", pong)
		}, ErrSession},
		"a stream that ends before the response": {func(w http.ResponseWriter, _ *http.Request) { write(w, events, "data: "+progress+"\n\n") }, ErrNoResponse},
		"a stream that is cut off": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, events, "data: "+pong)
			panic(http.ErrAbortHandler)
		}, ErrNoResponse},
		"a large body": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "application/json", `"`+strings.Repeat("a", 5000))
		}, ErrTooLarge},
		"a large event": {func(w http.ResponseWriter, _ *http.Request) { write(w, events, "data: "+strings.Repeat("a", 5000)) }, ErrTooLarge},
		"many small events": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, events, strings.Repeat("data: {\"method\":\"x\"}\n\n", 30))
		}, ErrTooMany},
		"comments without end": {func(w http.ResponseWriter, _ *http.Request) { write(w, events, strings.Repeat(":\n\n", 5000)) }, ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			v := serve(t, Settings{MaxAnswer: 4000, MaxMessages: 20}, c.handle)
			_, _, err := readAnswer(t.Context(), v, message(t, ping))
			require.Error(t, err)
			var status *StatusError
			if c.want == other {
				require.ErrorAs(t, err, &status)
			} else {
				require.ErrorIs(t, err, c.want)
			}
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func writeStatus(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestAServerThatIsSilentIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		begin  string
		limits upstream.Timeouts
	}{
		"before its answer":  {"", upstream.Timeouts{FirstByte: 20 * time.Millisecond}},
		"within its stream":  {"data: " + progress + "\n\n", upstream.Timeouts{Idle: 20 * time.Millisecond}},
		"for too long a sum": {"data: " + progress + "\n\n", upstream.Timeouts{Total: 50 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			v := serve(t, Settings{Timeouts: c.limits}, func(w http.ResponseWriter, r *http.Request) {
				if c.begin != "" {
					write(w, events, c.begin)
				}
				select {
				case <-release:
				case <-r.Context().Done():
				}
			})
			defer close(release)
			_, _, err := readAnswer(t.Context(), v, message(t, ping))
			var e *upstream.Error
			require.ErrorAs(t, err, &e)
			assert.True(t, e.Timeout)
		})
	}
}

func TestAClientThatLeavesEndsTheCall(t *testing.T) {
	left := make(chan struct{})
	v := serve(t, Settings{}, func(w http.ResponseWriter, r *http.Request) {
		write(w, events, "data: "+progress+"\n\n")
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithCancel(t.Context())
	a, err := v.Send(ctx, message(t, ping))
	require.NoError(t, err)
	notYet := func([]byte) (bool, error) { return false, nil }
	_, _, err = a.Next(ctx, notYet)
	require.NoError(t, err)
	cancel()
	_, _, err = a.Next(ctx, notYet)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, a.Close())
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Fatal("the server was not told")
	}
}

func TestAStreamThatALegacyServerEndsEarlyIsResumed(t *testing.T) {
	var seen []string
	v := serve(t, Settings{}, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.Header.Get("Last-Event-Id")+" "+r.Header.Get("Mcp-Session-Id")+" "+r.Header.Get("Accept"))
		switch len(seen) {
		case 1:
			w.Header().Set("Mcp-Session-Id", "s-1")
			write(w, events, "id: 1_0\nretry: 1\ndata:\n\n")
		case 2:
			write(w, events, "id: 1_1\ndata: "+progress+"\n\n")
		default:
			write(w, events, "id: 1_2\ndata: "+pong+"\n\n")
		}
	})
	got, _, err := readAnswer(t.Context(), v, message(t, ping))
	require.NoError(t, err)
	assert.Equal(t, []string{progress, pong}, got)
	assert.Equal(t, []string{
		"POST   application/json, text/event-stream", "GET 1_0 s-1 text/event-stream", "GET 1_1 s-1 text/event-stream",
	}, seen)
}

func TestResumptionsHaveLimits(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		event string
		set   Settings
		want  int32
	}{
		"a number of them":                  {ping, "id: 1\nretry: 1\ndata:\n\n", Settings{MaxResumes: 3}, 4},
		"none":                              {ping, "id: 1\nretry: 1\ndata:\n\n", Settings{MaxResumes: -1}, 1},
		"a wait beyond the end of the call": {ping, "id: 1\nretry: 9000\ndata:\n\n", Settings{Timeouts: upstream.Timeouts{Total: 8 * time.Second}}, 1},
		"no id":                             {ping, "retry: 1\ndata:\n\n", Settings{}, 1},
		"an id that cannot be a header":     {ping, "id: ä\nretry: 1\ndata:\n\n", Settings{}, 1},
		"the modern era":                    {getPrompt, "id: 1\nretry: 1\ndata:\n\n", Settings{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			v := serve(t, c.set, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				write(w, events, c.event)
			})
			_, _, err := readAnswer(t.Context(), v, message(t, c.body))
			require.ErrorIs(t, err, ErrNoResponse)
			assert.Equal(t, c.want, calls.Load())
		})
	}
}

func TestAnAddressThatMayNotBeCalledIsNotDialled(t *testing.T) {
	v, err := New(Settings{URL: "https://mcp.example/", Client: upstream.NewLean(upstream.LeanOptions{
		Dial: upstream.PublicDialer{Resolver: resolver{"8.8.8.8", "10.0.0.1"}}.Dial,
	})})
	require.NoError(t, err)
	_, err = v.Send(t.Context(), message(t, ping))
	var refused upstream.RefusedAddress
	assert.ErrorAs(t, err, &refused)
}

func TestCommentsOfAnEndlessStreamTakeNoMemory(t *testing.T) {
	v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			write(w, events, ": "+strings.Repeat("x", 1<<10)+"\n\n")
		}
		write(w, events, "data: "+pong+"\n\n")
	})
	m, most := message(t, ping), int64(0)
	m.Endless = true
	m.Reserve = func(n int64) error { most = max(most, n); return nil }
	_, _, err := readAnswer(t.Context(), v, m)
	require.NoError(t, err)
	assert.Less(t, most, int64(64<<10))
	assert.Positive(t, most)
}
