package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// peer is another gateway that the user has installed.
type peer struct {
	name    string
	command []string // {port}, {upstream}, {key} and {dir} are replaced
	path    string   // of chat completions
}

// peersOptions are the flags of "bench peers".
type peersOptions struct {
	run   runOptions
	peers []peer
	cells []string
	start time.Duration
}

// runPeers measures other gateways with the load and the mock of "bench run", beside ReverseProxy and this gateway.
func runPeers(ctx context.Context, args []string) error {
	o, err := parsePeersFlags(args)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // as in runCommand
	defer runtime.UnlockOSThread()
	var parts []part
	for _, c := range listCells() {
		for _, name := range o.cells {
			if c.name == name {
				for _, s := range o.run.systems {
					parts = append(parts, part{c, s})
				}
			}
		}
	}
	if err := o.run.checkFiles(parts); err != nil {
		return err
	}
	s, err := newSession(ctx, o.run, parts, 0)
	if s != nil {
		defer s.end()
	}
	if err != nil {
		return err
	}
	names := slices.Clone(o.run.systems)
	for _, p := range o.peers {
		if err := s.startPeer(ctx, &p, o.start); err != nil {
			return err
		}
		names = append(names, p.name)
		for _, c := range o.cells {
			for _, known := range listCells() {
				if known.name == c {
					parts = append(parts, part{known, p.name})
				}
			}
		}
	}
	if err := s.runRounds(ctx, parts); err != nil {
		return err
	}
	s.printPeers(os.Stdout, names, o.cells)
	return nil
}

func parsePeersFlags(args []string) (o peersOptions, err error) {
	var litellm, cells, systems string
	var others, paths stringList
	root := findProjectRoot()
	fs := flag.NewFlagSet("peers", flag.ContinueOnError)
	fs.StringVar(&o.run.headgate, "headgate", filepath.Join(root, "bin", "headgate"), "this gateway's binary")
	detector := filepath.Join(root, "sdk", "samples", "employee-id", "employee-id.wasm")
	fs.StringVar(&o.run.detector, "detector", detector, "the Wasm detector in its chain")
	fs.StringVar(&litellm, "litellm", "", "LiteLLM's program, as pip installs it (litellm[proxy]); empty: not measured")
	fs.Var(&others, "peer", "another gateway: NAME=COMMAND, with {port}, {upstream}, {key} and {dir} in the command (repeatable)")
	fs.Var(&paths, "path", "a peer's path of chat completions: NAME=/PATH (repeatable; default /v1/chat/completions)")
	fs.StringVar(&cells, "cells", "plain_1k,plain_8k,stream_1k", "loads, comma separated")
	fs.StringVar(&systems, "systems", strings.Join([]string{sysRevproxy, sysGovernance, sysGoverned}, ","), "what of this harness is measured beside them")
	fs.IntVar(&o.run.rounds, "rounds", 3, "rounds")
	fs.IntVar(&o.run.connections, "c", 16, "connections")
	fs.DurationVar(&o.run.measure, "d", time.Second, "measured time of one load, at least 1s")
	fs.DurationVar(&o.run.warm, "warm", 400*time.Millisecond, "warm-up of one load")
	fs.DurationVar(&o.start, "start", 3*time.Minute, "how long a peer may take to start")
	fs.IntVar(&o.run.nice, "nice", -15, "priority of all that is measured")
	fs.BoolVar(&o.run.keep, "keep", false, "keep the folder with configurations and logs")
	if err = parseFlags(fs, args); err != nil {
		return o, err
	}
	o.run.systems, o.cells, o.run.minCPU = splitList(systems), splitList(cells), defaultLeastCPU
	o.run.gatewayCore, o.run.loadCore = 1, 0
	if litellm != "" {
		command := []string{litellm, "--config", "{dir}/litellm.yaml", "--host", "127.0.0.1", "--port", "{port}"}
		o.peers = append(o.peers, peer{"litellm", command, chatPath})
	}
	for _, text := range others {
		name, command, ok := strings.Cut(text, "=")
		if !ok || name == "" || len(strings.Fields(command)) == 0 {
			return o, fmt.Errorf("-peer %q: want NAME=COMMAND", text)
		}
		o.peers = append(o.peers, peer{name, strings.Fields(command), chatPath})
	}
	for _, text := range paths {
		name, path, _ := strings.Cut(text, "=")
		known := false
		for i := range o.peers {
			if o.peers[i].name == name {
				o.peers[i].path, known = path, true
			}
		}
		if !known || !strings.HasPrefix(path, "/") {
			return o, fmt.Errorf("-path %q: want NAME=/PATH of a peer", text)
		}
	}
	if len(o.peers) == 0 {
		return o, errors.New("name at least one gateway, with -litellm or -peer")
	}
	return o, o.run.complete()
}

const chatPath = "/v1/chat/completions"

// litellmConfig has one model that the mock serves, and a master key: nothing else is on.
const litellmConfig = `model_list:
  - {model_name: "*", litellm_params: {model: "openai/*", api_base: "%s/v1", api_key: sk-bench}}
general_settings: {master_key: "%s"}
litellm_settings: {drop_params: true, telemetry: false}
`

// startPeer starts a peer and waits until it answers a chat.
func (s *session) startPeer(ctx context.Context, p *peer, limit time.Duration) error {
	addr, err := findFreeAddr(ctx)
	if err != nil {
		return err
	}
	sys := &system{name: p.name, base: "http://" + addr, dir: filepath.Join(s.dir, "peer-"+p.name), path: p.path}
	if err := os.Mkdir(sys.dir, 0o700); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	if err := os.WriteFile(filepath.Join(sys.dir, "litellm.yaml"), fmt.Appendf(nil, litellmConfig, s.mockURL, s.key), 0o600); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	_, port, _ := strings.Cut(addr, ":")
	fill := strings.NewReplacer("{port}", port, "{upstream}", s.mockURL, "{key}", s.key, "{dir}", sys.dir)
	argv := make([]string, len(p.command))
	for i, arg := range p.command {
		argv[i] = fill.Replace(arg)
	}
	if sys.child, err = startChild(p.name, sys.dir, s.opts.gatewayCore, s.opts.nice, argv); err != nil {
		return err
	}
	s.systems = append(s.systems, sys)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		if err = s.tryPeer(ctx, sys); err == nil {
			return nil
		}
		select {
		case <-sys.child.gone:
			return fmt.Errorf("%s ended before it answered (%w): %s", p.name, sys.child.err, sys.child.lastLog())
		case <-ctx.Done():
			return fmt.Errorf("%s did not answer a chat in time (%w): %s", p.name, err, sys.child.lastLog())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// tryPeer sends one chat.
func (s *session) tryPeer(ctx context.Context, sys *system) error {
	body, err := buildPrompt("1k", false, promptEmail)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, sys.base+sys.path, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode != http.StatusOK {
		err = statusError(res.StatusCode)
	}
	return err
}

// printPeers writes one table of all systems.
func (s *session) printPeers(out io.Writer, names, cells []string) {
	r := &report{Samples: s.samples}
	var b strings.Builder
	b.WriteString("\n| CPU time per request (ratio to ReverseProxy) |")
	for _, c := range cells {
		fmt.Fprintf(&b, " %s |", c)
	}
	b.WriteString(" resident MiB |\n|---|" + strings.Repeat("---|", len(cells)+1) + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| %s |", name)
		peak := int64(0)
		for _, c := range cells {
			us := r.listMicros(c, name)
			if len(us) == 0 {
				b.WriteString(" – |")
				continue
			}
			ratio, _, _, _ := r.compare(c, name)
			fmt.Fprintf(&b, " %.0f us (%.3g) |", computeMedian(us), ratio)
			for _, rss := range r.listColumn(c, name, func(l loadReport) float64 { return float64(l.Server.RSSPeak) }) {
				peak = max(peak, int64(rss))
			}
		}
		fmt.Fprintf(&b, " %.0f |\n", convertToMiB(peak))
	}
	fmt.Fprintf(&b, "\n%d connections, %d rounds, one core each\n", s.opts.connections, s.opts.rounds)
	for _, c := range s.checks {
		if !c.OK {
			fmt.Fprintf(&b, "- %s\n", c)
		}
	}
	_, _ = io.WriteString(out, b.String()) // a closed standard output cannot be reported
}
