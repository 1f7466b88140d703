package main_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The control plane is away for a long time: the node is killed and started meanwhile, and none of its records are lost
// or counted twice.
func TestANodeOutlivesItsControlPlane(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	s, c := central(t, address, "", "  - {stage: pii}\n")
	n := nodeOf(t, "edge-1", address, "")
	ask := func(times int) {
		t.Helper()
		for range times {
			require.NoError(t, n.client(testKey).checkEcho("mock-echo", "card "+card))
		}
	}
	again := func() {
		n = n.site.serve("--config", "gateway.yaml", "--role", "gateway", "--control-plane", "http://"+address)
	}
	verify := []string{"audit", "verify", "--config", "gateway.yaml"}
	ofNode := append(verify, "--set", "role=gateway", "--set", "fleet.control_plane=http://"+address)
	same := func() {
		t.Helper()
		eventually(t, "the control plane has the node's records, each once", func() bool {
			own, all := n.run(ofNode...), s.run(verify...)
			require.Zero(t, own.code, own.out+own.err)
			require.Zero(t, all.code, all.out+all.err)
			return exchanges(own.out) == exchanges(all.out)
		})
	}
	ask(3)
	same()
	old := mustRead(t, s.path("headgate.db")) // with its log below: a backup
	oldLog := mustRead(t, s.path("headgate.db-wal"))

	c.kill()
	<-c.ended
	ask(3)
	n.kill()
	<-n.ended
	again() // from its copy only
	ask(3)
	a, err := n.client(testKey).do("GET", "/status", nil)
	require.NoError(t, err)
	eventually(t, "the node reports that it has no control plane", func() bool {
		a, err = n.client(testKey).do("GET", "/status", nil)
		return err == nil && strings.Contains(a.body, "the control plane does not answer")
	})

	c = s.serve("--config", "gateway.yaml")
	same()
	key := c.admin(201, "POST", "/tenants/default/keys", `{"name":"later"}`)["key"].(string)
	eventually(t, "a later key is in force", func() bool {
		a, err := n.client(key).try("mock-echo", "hello")
		return err == nil && a.status == http.StatusOK
	})

	// The control plane is restored from the backup: the node keeps the newer configuration until the operator decides
	// otherwise, and delivers again the records that the backup lacks.
	c.stop()
	for name, b := range map[string][]byte{"headgate.db": old, "headgate.db-wal": oldLog} {
		s.copy(name, b)
	}
	c = s.serve("--config", "gateway.yaml")
	eventually(t, "both sides report it", func() bool {
		return strings.Contains(n.out.String(), "older configuration than this node") &&
			strings.Contains(c.out.String(), "newer configuration than this control plane")
	})
	a, err = n.client(key).try("mock-echo", "hello")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, a.status, "the node never goes back on its own")
	same()
	f := s.run("fleet", "resume", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	eventually(t, "the key that the backup does not have is gone", func() bool {
		a, err := n.client(key).try("mock-echo", "hello")
		return err == nil && a.status == http.StatusUnauthorized
	})
	ask(1)
	f = s.run("fleet", "nodes", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "edge-1")
}
