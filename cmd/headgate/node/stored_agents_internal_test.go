package node

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestNotificationsOfAStoredAgentAreNotDeliveredToPrivateAddresses(t *testing.T) {
	resolveNames(t, [4]byte{127, 0, 0, 1})
	called := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.URL.Path }))
	t.Cleanup(s.Close)
	port := strings.TrimPrefix(s.URL, "http://127.0.0.1")
	notify := func(address string, allowPrivate bool) error {
		rt := &snapshot.Runtime{}
		r := store.Agent{Name: "planner", URL: "https://agents.example.com/", PushTo: []string{address}}
		a, err := openAgent(rt, &r, nil, allowPrivate)
		if err != nil {
			return err
		}
		defer func() { require.NoError(t, rt.PeerClient.Close()) }()
		_, err = a.Notifier.Notify(t.Context(), &a2a.PushTarget{URL: address + "/x"}, []byte(`{}`))
		return err
	}
	var refused upstream.RefusedAddress
	for name, address := range map[string]string{
		"a name that means this machine": "https://hooks.example.com" + port,
		"this machine":                   "https://127.0.0.1" + port,
		"a private network":              "https://10.1.2.3",
	} {
		assert.ErrorAs(t, notify(address, false), &refused, name)
	}
	assert.ErrorAs(t, notify("https://169.254.169.254", true), &refused, "nobody may allow the metadata service")
	assert.Empty(t, called)
	require.NoError(t, notify("http://hooks.example.com"+port, true), "where the operator allows it")
	assert.Equal(t, "/x", <-called)
}

// resolveNames lets every name mean one address until the test ends.
func resolveNames(t *testing.T, address [4]byte) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	go func() {
		buf := make([]byte, 1024)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60}
				m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: address}}}
			}
			if answer, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
}
