package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared is the server of this process.
var shared = sync.OnceValues(func() (*Server, error) { return createServer(context.Background(), false) })

// UseSharedServer is the server that all tests of the process have in common. A test that stops its server takes StartServer.
func UseSharedServer(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	skipMissing(t, err)
	return s
}

// StartServer is a server of the test's own.
func StartServer(t testing.TB) *Server {
	t.Helper()
	return startOwnServer(t, false)
}

// StartDurable returns a server of the test's own that waits for the disk at each commit, as those that are relied on do: for
// measurements.
func StartDurable(t testing.TB) *Server {
	t.Helper()
	return startOwnServer(t, true)
}

func startOwnServer(t testing.TB, fsync bool) *Server {
	t.Helper()
	s, err := createServer(context.Background(), fsync)
	skipMissing(t, err)
	t.Cleanup(func() {
		_ = s.orders.Close() // it may have been stopped
		<-s.done
		assert.NoError(t, os.RemoveAll(s.dir))
	})
	return s
}

// skipMissing skips a test that cannot be run here; where CI is true it fails.
func skipMissing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED:", err)
	}
	require.NoError(t, err)
}

// databases numbers the databases of this process.
var databases atomic.Int64

// CreateDatabase makes an empty database and answers its URL. It goes at the end of the test.
func (s *Server) CreateDatabase(t testing.TB) string {
	t.Helper()
	return s.copyDatabase(t, "template1")
}

func (s *Server) copyDatabase(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprint("test", databases.Add(1))
	s.execStatement(t, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() {
		select {
		case <-s.done: // with all its databases
		default:
			s.execStatement(t, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		}
	})
	return s.formatURL(name)
}

// CreateSharedDatabase returns the URL of a new, empty database of the shared server.
func CreateSharedDatabase(t testing.TB) string {
	t.Helper()
	return UseSharedServer(t).CreateDatabase(t)
}

// template is the database that prepare has made once for the process.
var template struct {
	once sync.Once
	err  error
}

// CopyPrepared is the URL of a new database of the shared server that is as prepare leaves one. It is called once for the
// process, whose tests all prepare the same: a copy is made faster than a schema.
func CopyPrepared(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	s := UseSharedServer(t)
	const name = "prepared"
	template.once.Do(func() {
		s.execStatement(t, "CREATE DATABASE "+name)
		template.err = prepare(s.formatURL(name))
	})
	require.NoError(t, template.err)
	return s.copyDatabase(t, name)
}

func (s *Server) execStatement(t testing.TB, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.formatURL("postgres"))
	require.NoError(t, err)
	_, err = conn.Exec(ctx, statement)
	assert.NoError(t, err)
	assert.NoError(t, conn.Close(ctx))
}

// Crash ends the server at once, as a loss of power to it alone would: it recovers when it is started again.
func (s *Server) Crash(t testing.TB) { s.end(t, "QUIT") }

// Stop ends the server in order. Connections are closed.
func (s *Server) Stop(t testing.TB) { s.end(t, "INT") }

func (s *Server) end(t testing.TB, signal string) {
	t.Helper()
	_, err := fmt.Fprintln(s.orders, signal)
	require.NoError(t, err)
	<-s.done
}

// Start starts the server after Crash or Stop, at the same address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	require.NoError(t, s.start(context.Background()))
}
