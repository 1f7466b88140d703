// Package statetest starts Redis servers for tests. It imports only the standard
// library and testify.
package statetest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// program is the server's name in Debian's package redis-server.
const program = "redis-server"

// Server is the Redis server of one test.
type Server struct {
	URL  string
	port int
	cmd  *exec.Cmd
}

// StartRedis starts a server without persistence on a free loopback port and stops it when the test ends. Without the
// program it skips the test, or fails it if CI is set.
func StartRedis(t testing.TB) *Server {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed, and tests need it", program)
		}
		t.Skipf("%s is not installed; on Debian: apt-get install redis-server", program)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Server{port: l.Addr().(*net.TCPAddr).Port}
	require.NoError(t, l.Close())
	// Generous timeouts, so that a loaded machine does not make the server look dead.
	s.URL = "redis://127.0.0.1:" + strconv.Itoa(s.port) + "/0?dial_timeout=30s&read_timeout=30s&write_timeout=30s&pool_timeout=30s"
	s.Start(t)
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// Start starts the server on its port with an empty database, and waits until it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(
		program,
		"--port",
		strconv.Itoa(s.port),
		"--bind",
		"127.0.0.1",
		"--save",
		"",
		"--appendonly",
		"no",
		"--dir",
		t.TempDir(),
	)
	require.NoError(t, s.cmd.Start())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(s.port))
		if err == nil {
			_ = c.Close() // opened only as a probe
			return
		}
		require.NoError(t, ctx.Err(), "the Redis server did not start")
		time.Sleep(5 * time.Millisecond)
	}
}

// Stop kills the server if it is running.
func (s *Server) Stop(testing.TB) {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have exited
		_ = s.cmd.Wait()         // it was killed
		s.cmd = nil
	}
}
