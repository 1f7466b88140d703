package store

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

func TestNodesOutliveTheirDatabaseServer(t *testing.T) {
	server := pgtest.StartServer(t)
	dbURL := server.CreateDatabase(t)
	const perNode = 4000
	var wg sync.WaitGroup
	nodes := map[string]int{}
	var done atomic.Int64
	for _, name := range []string{"a", "b"} {
		nodes[name] = perNode
		w := newWriter(t, openURL(t, dbURL), WriterOptions{Interval: time.Millisecond, MaxRecords: 200, Wait: time.Minute})
		wg.Go(func() {
			for n := 1; n <= perNode; n++ {
				appendTraffic(t, w, name, n)
				done.Add(1)
			}
			assert.NoError(t, w.Sync(context.Background()))
		})
	}
	for i := range int64(3) {
		require.Eventually(t, func() bool { return done.Load() >= (i+1)*perNode/3 }, 5*time.Minute, time.Millisecond)
		if i == 1 {
			server.Stop(t)
		} else {
			server.Crash(t)
		}
		server.Start(t)
	}
	wg.Wait()
	db := openURL(t, dbURL)
	checkTraffic(t, db, nodes)
	assert.Equal(t, 2*perNode, count(t, db, "usage_record"))
	assert.Equal(t, 2*perNode, records(t, db))
}

func TestAnAdministrativeWriteSaysThatTheServerIsAway(t *testing.T) {
	ctx := context.Background()
	server := pgtest.StartServer(t)
	db := openURL(t, server.CreateDatabase(t))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "before", Status: "active"}))
	server.Crash(t)
	require.ErrorIs(t, db.Tenants().Insert(ctx, Tenant{ID: "away", Status: "active"}), ErrUnavailable)
	_, err := db.Tenants().Get(ctx, "before")
	require.ErrorIs(t, err, ErrUnavailable)
	server.Start(t)
	require.Eventually(
		t,
		func() bool { return db.Tenants().Insert(ctx, Tenant{ID: "after", Status: "active"}) == nil },
		time.Minute,
		10*time.Millisecond,
	)
	_, err = db.Tenants().Get(ctx, "before")
	require.NoError(t, err)
}

// A connection that breaks when the server has committed leaves it open whether it has.
func TestABatchWhoseCommitWasNotAnsweredIsNotWrittenTwice(t *testing.T) {
	ctx := context.Background()
	direct := pgtest.CreateSharedDatabase(t)
	cut := cutter(t, direct)
	db := openURL(t, cut.url)
	failed := make(chan error, 100)
	w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, OnError: func(err error, _ int) { failed <- err }})
	for n := 1; n <= 5; n++ {
		cut.armed.Store(true)
		appendTraffic(t, w, "a", n)
		require.ErrorIs(t, <-failed, ErrUnavailable)
		require.NoError(t, w.Sync(ctx))
	}
	assert.False(t, cut.armed.Load())
	checkTraffic(t, openURL(t, direct), map[string]int{"a": 5})
	assert.Equal(t, 5, count(t, db, "usage_record"))
	assert.Equal(t, 5, records(t, db))
}

// hangup is a proxy before a server. Once armed, it lets the next COMMIT through, waits for the answer, and hangs up
// instead of handing it on.
type hangup struct {
	url   string
	armed atomic.Bool
}

func cutter(t *testing.T, server string) *hangup {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	backend := u.Host
	u.Host = l.Addr().String()
	c := &hangup{url: u.String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(client, backend)
		}
	}()
	return c
}

func (c *hangup) serve(client net.Conn, backend string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var hangUp atomic.Bool
	go func() {
		defer func() { _ = server.Close() }()
		buf := make([]byte, 1<<16)
		for {
			n, err := client.Read(buf)
			if bytes.Contains(buf[:n], []byte("commit")) && c.armed.CompareAndSwap(true, false) {
				hangUp.Store(true)
			}
			if _, e := server.Write(buf[:n]); e != nil || err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		if hangUp.Load() && err == nil {
			return
		}
		if _, e := client.Write(buf[:n]); e != nil || err != nil {
			return
		}
	}
}
