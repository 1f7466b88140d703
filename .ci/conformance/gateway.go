package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// key is the key of the gateways of a run.
const key = "gw_conformance0000000000000000000000"

// settings is the configuration of a gateway: every built-in stage.
const settings = `server: {listen: %q, metrics_listen: ""}
store: {url: "sqlite:headgate.db"}
state: {url: "memory:"}
providers: {mock: {}}
routes:
  - model_pattern: "mock-*"
    providers: [{provider: mock}]
tenants:
  - id: default
    name: Default
    keys: [{name: suite, key: %q, scopes: []}]
files: pass
policies:
  - id: reference
    dsl: |
      version: 1
      name: reference
      rules:
        - {id: no, conditions: {model.in: [mcp/ref/forbidden]}, action: DENY}
chain:
  - stage: policy
  - stage: ratelimit
    config: {limits: [{requests: 1000000, period: 1h}]}
  - stage: budget
  - stage: pii
  - stage: guardrail
    config: {detectors: [{type: secrets, action: redact}, {type: keywords, name: words, words: [zanzibar77], action: block}]}
  - stage: cache
`

// toolSettings add one server of tools.
const toolSettings = settings + `mcp_servers:
  ref: {url: %q, allow_private: true, era: %s}
`

// gateway is a running gateway with a relay in front of it.
type gateway struct {
	url     string // of the server's endpoint at the relay
	process *process
	relay   *http.Server
}

// startGateway starts a gateway in front of a server.
func (t *tools) startGateway(ctx context.Context, name, server, era string) (*gateway, error) {
	addr, p, err := t.launchGateway(ctx, name, func(addr string) string { return fmt.Sprintf(toolSettings, addr, key, server, era) })
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.stop()
		return nil, err
	}
	g := &gateway{url: "http://" + l.Addr().String() + "/mcp/ref", process: p, relay: &http.Server{Handler: newKeyRelay(addr), ReadHeaderTimeout: time.Minute}}
	go func() { _ = g.relay.Serve(l) }()
	return g, nil
}

// launchGateway starts a gateway and returns its address.
func (t *tools) launchGateway(ctx context.Context, name string, config func(addr string) string) (string, *process, error) {
	dir := filepath.Join(t.out, name+"-gateway")
	if err := os.RemoveAll(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	addr, err := findAddress()
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "gateway.yaml"), []byte(config(addr)), 0o600); err != nil {
		return "", nil, err
	}
	p, err := startProcess(ctx, dir, "gateway", t.headgate, "serve", "--config", "gateway.yaml")
	if err != nil {
		return "", nil, err
	}
	if err := p.await(ctx, addr); err != nil {
		p.stop()
		return "", nil, err
	}
	return addr, p, nil
}

// newKeyRelay adds the key to each request. The Host stays the client's, which the gateway checks.
func newKeyRelay(addr string) http.Handler {
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: addr})
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}}
}

func (g *gateway) stop() {
	_ = g.relay.Close()
	g.process.stop()
}

// process is a program of the run, whose output is a file.
type process struct {
	cmd  *exec.Cmd
	log  *os.File
	done chan struct{}
}

func startProcess(ctx context.Context, dir, name, program string, args ...string) (*process, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program, args...), log: log, done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		_ = log.Close()
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// await waits until the program listens.
func (p *process) await(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			return c.Close()
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s has ended; see %s", p.cmd.Path, p.log.Name())
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	_ = p.log.Close()
}

// findAddress returns a free address of this machine.
func findAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}
