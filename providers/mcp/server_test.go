package mcp

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestAServerMustHaveAURLThatMayBeCalled(t *testing.T) {
	for url, allow := range map[string]bool{
		"": true, "ftp://a.example/": true, "https:///mcp": true, "mcp.example": true, "https://u:p@a.example/": true, "https://a.example/#x": true,
		"http://a.example/": false, "https://127.0.0.1/": false, "https://[::1]/": false, "https://10.0.0.1/": false, "https://localhost/": false,
		"https://169.254.169.254/": true, "https://[fd00:ec2::254]/": true,
	} {
		_, err := New(Settings{URL: url, AllowPrivate: allow})
		assert.Error(t, err, "%s, allow_private %t", url, allow)
	}
	for url, allow := range map[string]bool{"https://mcp.example/v1?x=1": false, "http://127.0.0.1:1/": true, "https://8.8.8.8/": false} {
		_, err := New(Settings{URL: url, AllowPrivate: allow})
		assert.NoError(t, err, url)
	}
}

func TestAModernCallRepeatsItsHeadInHeaders(t *testing.T) {
	var got http.Header
	var body []byte
	v := serve(t, Settings{Header: []upstream.Field{{Name: "Authorization", Value: "Bearer s"}}}, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, _ = io.ReadAll(r.Body)
		write(w, "application/json; charset=utf-8", pong)
	})
	m := message(t, getPrompt)
	m.Session = "abc"
	m.Header = []upstream.Field{{Name: "Mcp-Param-Region", Value: "eu"}}
	messages, _, err := readAnswer(t.Context(), v, m)
	require.NoError(t, err)
	assert.Equal(t, []string{pong}, messages)
	assert.Equal(t, getPrompt, string(body))
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": mcp.ModernVersion,
		"Mcp-Method": "prompts/get", "Mcp-Name": "=?base64?Z3LDvMOfZQ==?=", "Mcp-Param-Region": "eu", "Authorization": "Bearer s",
	} {
		assert.Equal(t, []string{want}, got[name], name)
	}
	assert.Empty(t, got["Mcp-Session-Id"], "the modern era has no sessions")
}

func TestASessionIsOpenedUsedAndEnded(t *testing.T) {
	var seen []string
	v := serve(t, Settings{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.Header.Get("Mcp-Session-Id")+" "+r.Header.Get("Mcp-Protocol-Version")+" "+r.Header.Get("Mcp-Method"))
		switch len(seen) {
		case 1:
			w.Header().Set("Mcp-Session-Id", "s-1")
			write(w, events, "data: "+progress+"\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"open\",\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}\n\n")
		case 2:
			assert.Contains(t, string(body), "notifications/initialized")
			w.WriteHeader(http.StatusAccepted)
		case 3:
			write(w, "application/json", pong)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	s, err := v.Open(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"s-1", "2025-06-18"}, []string{s.ID, s.Version})
	assert.Contains(t, string(s.Result), "protocolVersion")
	m := message(t, ping)
	m.Session, m.Call.Version = s.ID, s.Version
	_, a, err := readAnswer(t.Context(), v, m)
	require.NoError(t, err)
	assert.Equal(t, "s-1", a.Session())
	require.NoError(t, v.End(t.Context(), s.ID, s.Version), "a server need not end sessions")
	assert.Equal(t, []string{"POST   ", "POST s-1 2025-06-18 ", "POST s-1 2025-06-18 ", "DELETE s-1 2025-06-18 "}, seen)
}

func TestAServerThatChoosesAnotherRevisionIsNotUsed(t *testing.T) {
	v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
		write(w, "application/json", `{"jsonrpc":"2.0","id":"open","result":{"protocolVersion":"2099-01-01","capabilities":{}}}`)
	})
	_, err := v.Open(t.Context())
	assert.ErrorIs(t, err, ErrVersion)
}

func TestTheEraOfAServerIsProbed(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   mcp.Era
	}{
		"it discovers":                       {200, `{"jsonrpc":"2.0","id":"probe","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`, mcp.Modern},
		"it discovers legacy revisions only": {200, `{"jsonrpc":"2.0","id":"probe","result":{"supportedVersions":["2025-11-25"]}}`, mcp.Legacy},
		"it supports another revision":       {400, `{"jsonrpc":"2.0","id":"probe","error":{"code":-32022,"message":"x","data":{"supported":["2025-11-25","2026-07-28"]}}}`, mcp.Modern | mcp.Legacy},
		"it supports legacy revisions only":  {400, `{"jsonrpc":"2.0","id":"probe","error":{"code":-32022,"message":"x","data":{"supported":["2025-11-25"]}}}`, mcp.Legacy},
		"it compares headers":                {400, `{"jsonrpc":"2.0","error":{"code":-32020,"message":"x"}}`, mcp.Modern},
		"it knows no such method":            {200, `{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"x"}}`, mcp.Legacy},
		"it wants a session":                 {400, `Bad Request: no session`, mcp.Legacy},
		"it is not there":                    {404, `<html>`, mcp.Legacy},
	} {
		t.Run(name, func(t *testing.T) {
			v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			era, err := v.Probe(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.want, era)
		})
	}
	for _, status := range []int{401, 403, 429, 500, 503} {
		v := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := v.Probe(t.Context())
		assert.Error(t, err, "%d says nothing of the era", status)
	}
}

func TestCallsShareAConnection(t *testing.T) {
	for name, typ := range map[string]string{"JSON": "application/json", "events": events} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			peer := serve(t, Settings{}, func(w http.ResponseWriter, _ *http.Request) {
				if typ == events {
					write(w, typ, "data: "+pong+"\n\n")
					return
				}
				write(w, typ, pong)
			})
			client := upstream.NewLean(upstream.LeanOptions{Dial: countDials(upstream.PublicDialer{AllowPrivate: true}, &connections)})
			t.Cleanup(func() { _ = client.Close() })
			v, err := New(Settings{URL: peer.url.String(), AllowPrivate: true, Client: client})
			require.NoError(t, err)
			const calls = 50
			for range calls {
				_, _, err := readAnswer(t.Context(), v, message(t, ping))
				require.NoError(t, err)
			}
			if typ == events { // the end of a stream may come late on a busy machine, and costs a connection then
				assert.Less(t, connections.Load(), int32(calls))
				return
			}
			assert.Equal(t, int32(1), connections.Load())
		})
	}
}

func TestAStreamThatStaysOpenBehindItsResponseIsLeft(t *testing.T) {
	left := make(chan struct{})
	v := serve(t, Settings{}, func(w http.ResponseWriter, r *http.Request) {
		write(w, events, "data: "+pong+"\n\n")
		<-r.Context().Done()
		close(left)
	})
	got, _, err := readAnswer(t.Context(), v, message(t, ping))
	require.NoError(t, err)
	assert.Equal(t, []string{pong}, got)
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Fatal("the connection was kept")
	}
}

func TestASessionIDThatCannotBeAHeaderIsNotSent(t *testing.T) {
	v := serve(t, Settings{}, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	m := message(t, ping)
	m.Session = "a\r\nX: y"
	_, err := v.Send(context.Background(), m)
	require.ErrorIs(t, err, ErrSession)
	assert.ErrorIs(t, v.End(context.Background(), "", ""), ErrSession)
}
