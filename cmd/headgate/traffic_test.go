package main_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// traffic is a number of clients that send requests, each on its own connection.
type traffic struct {
	t    *testing.T
	sent atomic.Int64
	stop chan struct{}
	all  sync.WaitGroup
	errs chan error
	once sync.Once
}

// traffic starts sending. Every exchange must succeed.
func (g *gate) traffic(clients int, pause time.Duration, model string) *traffic {
	tr := &traffic{t: g.t, stop: make(chan struct{}), errs: make(chan error, clients)}
	for i := range clients {
		c := g.client(testKey)
		tr.all.Add(1)
		go func() {
			defer tr.all.Done()
			defer c.http.CloseIdleConnections()
			for n := 0; ; n++ {
				select {
				case <-tr.stop:
					return
				case <-time.After(pause):
				}
				if err := c.checkEcho(model, fmt.Sprintf("client %d, message %d, card %s, badge EMP-%06d", i, n, card, n)); err != nil {
					tr.errs <- err
					return
				}
				tr.sent.Add(1)
			}
		}()
	}
	g.t.Cleanup(func() { tr.end() })
	return tr
}

func (tr *traffic) end() {
	tr.once.Do(func() { close(tr.stop) })
	tr.all.Wait()
}

// endUnharmed ends the traffic, none of which may have failed.
func (tr *traffic) endUnharmed() {
	tr.t.Helper()
	tr.end()
	select {
	case err := <-tr.errs:
		require.NoError(tr.t, err)
	default:
	}
	require.Positive(tr.t, tr.sent.Load())
}

// awaitMore waits until n more exchanges were served.
func (tr *traffic) awaitMore(n int64) {
	tr.t.Helper()
	from := tr.sent.Load()
	eventually(tr.t, "traffic continues", func() bool {
		select {
		case err := <-tr.errs:
			require.NoError(tr.t, err)
		default:
		}
		return tr.sent.Load() >= from+n
	})
}
