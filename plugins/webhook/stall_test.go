package webhook

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// stalling is a listener that does not respond on its first connections.
type stalling struct {
	net.Listener
	left atomic.Int64
	held []net.Conn
}

func (l *stalling) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.left.Add(-1) < 0 {
			return c, err
		}
		l.held = append(l.held, c)
	}
}

// net/http continues to connect after the call that wanted the connection has given up, and counts the connection
// towards the limit.
func TestAReceiverThatStalledBeforeItSpokeIsAskedAgain(t *testing.T) {
	r := &receiver{verifier: &webhook.Verifier{Secrets: []string{secret}}}
	r.Server = httptest.NewUnstartedServer(webhook.Handler(r.verifier, func(context.Context, *webhook.Request) (*webhook.Verdict, error) {
		return &webhook.Verdict{Action: webhook.Pass}, nil
	}))
	l := &stalling{Listener: r.Listener}
	l.left.Store(1)
	r.Listener = l
	r.StartTLS()
	t.Cleanup(func() {
		r.Close()
		for _, c := range l.held {
			_ = c.Close() // never used
		}
	})
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pemOf(r.Certificate()), 0o600))
	s := r.link(t, func(o *Options) {
		o.Calls, o.Timeout, o.Settings.CAFile = 1, 500*time.Millisecond, file
	})
	_, err := check(s, "x")
	checkFault(t, err, core.FaultTimeout, "within 500ms")
	assert.Eventually(t, func() bool { _, err := check(s, "x"); return err == nil }, 20*time.Second, 50*time.Millisecond)
}
