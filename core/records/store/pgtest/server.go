// Package pgtest runs PostgreSQL for tests: the real server, on a free loopback port, with its data in a new folder. It
// ends with the test process, however that ends. It may import the standard library, pgx and testify, but no package of
// Headgate, because tests of package store use it.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running PostgreSQL.
type Server struct {
	bin, dir string
	port     int
	as       *syscall.Credential // the user that runs it; the default is the user that runs the test
	fsync    bool

	orders io.WriteCloser // to keeper
	done   chan struct{}  // closed when the server has ended
}

// settings make a server quick to start and to fill. Without fsync, committed data survives a kill of the server, but
// not a crash of the machine.
var settings = []string{
	"shared_buffers=32MB", "max_connections=200", "unix_socket_directories=", "logging_collector=off",
	"autovacuum=off", "jit=off", "max_wal_size=256MB",
}

// errMissing means that PostgreSQL is not installed.
var errMissing = errors.New("PostgreSQL is not installed (Debian: postgresql)")

// findPrograms returns the folder of initdb and postgres: from the path, or else the newest where Debian puts them.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errMissing
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return parseVersion(a) - parseVersion(b) })
	return filepath.Dir(newest), nil
}

func parseVersion(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // others count as 0
	return n
}

// createServer creates a server's folder and starts the server.
func createServer(ctx context.Context, fsync bool) (*Server, error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, fsync: fsync}
	if s.dir, err = os.MkdirTemp("", "headgate-pg"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		if s.as, err = lookupNobody(); err == nil {
			err = os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid))
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.dir))
		}
	}
	init := s.buildCommand(ctx, filepath.Join(bin, "initdb"), "--pgdata="+s.data(), "--username=headgate", "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(s.dir))
	}
	if s.port, err = findFreePort(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

func lookupNobody() (*syscall.Credential, error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func findFreePort() (int, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) buildCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = s.dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PG") }), "HOME="+s.dir, "LC_ALL=C.UTF-8")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Setpgid: true}
	return c
}

// keeper runs the server until it reads the name of a signal, which it then sends to the server. When the test process
// ends, it reads the end of input instead, stops the server and removes the folder.
const keeper = `dir=$1; shift
"$@" </dev/null >>"$dir/log" 2>&1 & server=$!
read -r signal
kill -"${signal:-QUIT}" $server 2>/dev/null
wait $server
[ -n "$signal" ] || rm -rf "$dir"`

// start runs the server and waits until it answers.
func (s *Server) start(ctx context.Context) error {
	args := []string{
		"-c",
		keeper,
		"sh",
		s.dir,
		filepath.Join(s.bin, "postgres"),
		"-D",
		s.data(),
		"-p",
		strconv.Itoa(s.port),
		"-h",
		"127.0.0.1",
	}
	for _, v := range append([]string{fmt.Sprint("fsync=", s.fsync)}, settings...) {
		args = append(args, "-c", v)
	}
	c := s.buildCommand(context.WithoutCancel(ctx), "/bin/sh", args...)
	stdin, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s.orders, s.done = stdin, make(chan struct{})
	go func() {
		defer close(s.done)
		_ = c.Wait() // how it ended is in its log
	}()
	return s.waitReady(ctx)
}

// readyTimeout is how long a server may take to start, recovery included.
const readyTimeout = time.Minute

func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.formatURL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("postgres ended: %s", log)
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) formatURL(database string) string {
	return fmt.Sprintf("postgres://headgate@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}
