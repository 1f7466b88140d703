package contract_test

import (
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onPostgres starts a PostgreSQL server for the test, with a database for each variant.
func onPostgres(t *testing.T) place {
	t.Helper()
	bin := postgresPrograms()
	if bin == "" {
		require.NotEqual(t, "true", os.Getenv("CI"), "PostgreSQL is not installed")
		t.Skip("PostgreSQL is not installed: the rows are not tried on it")
	}
	dir, err := os.MkdirTemp("", "headgate-pg-") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	as := dropPrivileges(t, dir)
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		return cmd
	}
	data := filepath.Join(dir, "data")
	out, err := command(
		"initdb",
		"--no-sync",
		"--auth=trust",
		"--username=contract",
		"--encoding=UTF8",
		"--locale=C",
		"-D",
		data,
	).CombinedOutput()
	require.NoError(t, err, string(out))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	require.NoError(t, l.Close())
	server := command(
		"postgres",
		"-D",
		data,
		"-p",
		port,
		"-c",
		"listen_addresses=127.0.0.1",
		"-k",
		dir,
		"-c",
		"fsync=off",
		"-c",
		"max_connections=60",
		"-c",
		"shared_buffers=16MB",
	)
	require.NoError(t, server.Start())
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // it was told to exit
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // a fast shutdown
		select {
		case <-ended:
		case <-time.After(patience):
			_ = server.Process.Kill() // it may have just ended
		}
	})
	require.Eventually(
		t,
		func() bool { return command("pg_isready", "-q", "-h", "127.0.0.1", "-p", port).Run() == nil },
		patience,
		50*time.Millisecond,
		"PostgreSQL does not start",
	)
	return newReal(t, program, func(variant string) string {
		made, err := command("createdb", "-h", "127.0.0.1", "-p", port, "-U", "contract", variant).CombinedOutput()
		assert.NoError(t, err, string(made))
		u := url.URL{Scheme: "postgres", User: url.User("contract"), Host: "127.0.0.1:" + port, Path: variant, RawQuery: "sslmode=disable"}
		return u.String()
	})
}

// postgresPrograms returns the folder of the server's programs, or "".
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	at, err := exec.LookPath("initdb")
	if err != nil {
		return ""
	}
	return filepath.Dir(at)
}

// dropPrivileges gives a folder to a user other than root, because the server refuses to run as root, and returns that user's
// credentials, or nil if the tests do not run as root.
func dropPrivileges(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	var who *user.User
	var unknown user.UnknownUserError
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if errors.As(err, &unknown) {
			continue
		}
		require.NoError(t, err)
		who = u
		break
	}
	require.NotNil(t, who, "there is no user to run PostgreSQL as")
	uid, err := strconv.Atoi(who.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(who.Gid)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, uid, gid))
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}} // ids are not negative
}
