package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// The keys of the tenants of buildSampleConfig.
const (
	keyA = "gw_trial-of-tenant-a-0123456789"
	keyB = "gw_trial-of-tenant-b-0123456789"
)

// buildSampleConfig returns a configuration of a gateway with two tenants and one provider. server, routing and chain
// are YAML in flow style; listen is the gateway's address.
func buildSampleConfig(listen, provider, server, rest string) string {
	return `server: {listen: "` + listen + `", metrics_listen: 127.0.0.1:0` + server + `}
log: {access: false}
store: {url: "sqlite:trial.db"}
providers:
  there: {type: openai, api_key: k, base_url: "` + provider + `"}
routes: [{model_pattern: "*", providers: [{provider: there}]}]
tenants:
  - {id: a, keys: [{name: a, key: ` + keyA + `, scopes: []}]}
  - {id: b, keys: [{name: b, key: ` + keyB + `, scopes: []}]}
` + rest
}

// gateway is a running process.
type gateway struct {
	url  string // http://host:port
	cmd  *exec.Cmd
	out  *lockedBuffer
	gone chan struct{}
	peak atomic.Int64 // anonymous memory, in bytes
}

// addPlugin copies a module of the repository to the plugins folder of a gateway that is not started yet.
func (b *bench) addPlugin(gateway, module string) error {
	text, err := os.ReadFile(filepath.Join(b.root, module))
	if err != nil {
		return err
	}
	dir := filepath.Join(b.dir, gateway, "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(module)), text, 0o600)
}

// buildPlugin builds a plugin of the repository from its source into the plugins folder of a gateway that is not started yet.
func (b *bench) buildPlugin(ctx context.Context, gateway, source string) error {
	dir := filepath.Join(b.dir, gateway, "plugins")
	build := exec.CommandContext(ctx, b.program, "plugin", "build", "--out", dir, source)
	build.Dir = b.root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", source, err, out)
	}
	return nil
}

// startGateway starts a gateway in a folder of the trial and waits until it serves. ctx ends it.
func (b *bench) startGateway(ctx context.Context, name, config string, env ...string) (*gateway, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "gateway.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	g := &gateway{out: new(lockedBuffer), gone: make(chan struct{})}
	g.cmd = exec.CommandContext(ctx, b.program, "serve", "--config", "gateway.yaml")
	g.cmd.Dir, g.cmd.Stdout, g.cmd.Stderr = dir, g.out, g.out
	g.cmd.Env = append(os.Environ(), "HEADGATE_ENCRYPTION_MASTER_PASSWORD=the password of a trial")
	g.cmd.Env = append(g.cmd.Env, env...)
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = g.cmd.Wait() // its output is more informative than its status
		close(g.gone)
	}()
	go g.watchMemory()
	for {
		select {
		case <-g.gone:
			return nil, fmt.Errorf("the gateway ended: %s", g.out.tail())
		case <-time.After(20 * time.Millisecond):
		}
		if addr := g.out.findListenAddress(); addr != "" {
			g.url = "http://" + addr
			return g, nil
		}
	}
}

// stop shuts the process down.
func (g *gateway) stop() error { return g.end(syscall.SIGTERM) }

// kill ends the process like a power failure.
func (g *gateway) kill() error { return g.end(syscall.SIGKILL) }

func (g *gateway) end(sig os.Signal) error {
	if err := g.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-g.gone
	return nil
}

// addr returns the gateway's host and port.
func (g *gateway) addr() string { return strings.TrimPrefix(g.url, "http://") }

func (g *gateway) watchMemory() {
	for {
		select {
		case <-g.gone:
			return
		case <-time.After(20 * time.Millisecond):
			g.peak.Store(max(g.peak.Load(), g.measureMemory()))
		}
	}
}

// measureMemory returns the anonymous memory of the process in bytes, or 0 if it cannot be read.
func (g *gateway) measureMemory() int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(g.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// isReady queries /readyz.
func (g *gateway) isReady(c *http.Client) bool {
	res, err := c.Get(g.url + "/readyz")
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// findListenAddress returns the address that the log names, or "".
func (b *lockedBuffer) findListenAddress() string {
	s := bufio.NewScanner(bytes.NewReader(b.bytes()))
	for s.Scan() {
		var line struct{ Message, Listen string }
		if json.Unmarshal(s.Bytes(), &line) == nil && line.Message == "serving" {
			return line.Listen
		}
	}
	return ""
}
