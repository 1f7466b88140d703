package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postgres is a PostgreSQL server of a trial.
type postgres struct {
	bin, dir, addr string
	as             *syscall.Credential
	cmd            *exec.Cmd
}

func newPostgres(ctx context.Context, dir string) (*postgres, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well formed
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("PostgreSQL is not installed (Debian: postgresql)")
	}
	p := &postgres{bin: filepath.Dir(found[len(found)-1]), dir: filepath.Join(dir, "pg")}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // which PostgreSQL refuses to run as
		if err := p.useNobody(dir); err != nil {
			return nil, err
		}
	}
	var err error
	if p.addr, err = findFreeAddress(); err != nil {
		return nil, err
	}
	init := p.buildCommand(ctx, "initdb", "--pgdata="+p.dir+"/data", "--username=headgate", "--auth=trust", "--encoding=UTF8",
		"--locale=C.UTF-8")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return p, p.start(ctx)
}

func (p *postgres) useNobody(parent string) error {
	u, err := user.Lookup("nobody")
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid) // of the user database: a number
	gid, _ := strconv.Atoi(u.Gid)
	p.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} // ids are not negative
	if err := os.Chmod(parent, 0o755); err != nil {                // the server must be able to enter its folder
		return err
	}
	return os.Chown(p.dir, uid, gid)
}

func (p *postgres) buildCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	c.Dir = p.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: p.as, Pdeathsig: syscall.SIGQUIT}
	return c
}

func (p *postgres) url() string {
	return "postgres://headgate@" + p.addr + "/postgres?sslmode=disable"
}

func (p *postgres) start(ctx context.Context) error {
	host, port, _ := strings.Cut(p.addr, ":")
	p.cmd = p.buildCommand(ctx, "postgres", "-D", p.dir+"/data", "-h", host, "-p", port,
		"-c", "unix_socket_directories=", "-c", "max_connections=50")
	if err := p.cmd.Start(); err != nil {
		return err
	}
	for {
		ready := p.buildCommand(ctx, "pg_isready", "-h", host, "-p", port, "-U", "headgate")
		if ready.Run() == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(50 * time.Millisecond) // the start takes seconds
	}
}

// stop ends the server at once, without an orderly shutdown.
func (p *postgres) stop() error {
	if p.cmd == nil {
		return nil
	}
	err := p.cmd.Process.Signal(syscall.SIGQUIT)
	_ = p.cmd.Wait() // it was told to exit
	p.cmd = nil
	return err
}

// redis is a Redis server of a trial, without persistence.
type redis struct {
	addr string
	cmd  *exec.Cmd
}

func startRedis(ctx context.Context) (*redis, error) {
	addr, err := findFreeAddress()
	if err != nil {
		return nil, err
	}
	r := &redis{addr: addr}
	return r, r.start(ctx)
}

func (r *redis) url() string { return "redis://" + r.addr + "/0" }

func (r *redis) start(ctx context.Context) error {
	host, port, _ := strings.Cut(r.addr, ":")
	r.cmd = exec.CommandContext(ctx, "redis-server", "--port", port, "--bind", host, "--save", "", "--appendonly", "no")
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("redis-server (Debian: redis-server): %w", err)
	}
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", r.addr)
		if err == nil {
			return c.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(10 * time.Millisecond) // the start takes a moment
	}
}

func (r *redis) stop() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill() // it may have ended
		_ = r.cmd.Wait()
		r.cmd = nil
	}
}
