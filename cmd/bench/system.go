package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// system is one server under test.
type system struct {
	name    string
	child   *child
	base    string // http://host:port, or https
	secure  string // folder of the certificate that it serves; empty: plain HTTP
	metrics string // URL of the metrics page; empty for the floors
	profile string // URL of the CPU profile; empty: not requested
	config  string // the gateway's configuration file; empty for the floors
	dir     string
	path    string // of chat completions; empty: as OpenAI has it
	served  int64  // good answers so far, of every load
}

// startMock starts the upstream stand-in on the load's core.
func (s *session) startMock(ctx context.Context) error {
	addr, err := findFreeAddr(ctx)
	if err != nil {
		return err
	}
	s.mockURL = "http://" + addr
	secureAddr, err := findFreeAddr(ctx)
	if err != nil {
		return err
	}
	s.mockTLS = "https://" + secureAddr
	argv := []string{s.opts.self, "mock", "-addr", addr, "-tls", s.dir, "-tls-addr", secureAddr, "-hold", s.hold.String()}
	s.mock, err = startChild("mock", s.dir, s.opts.loadCore, s.opts.nice, argv)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		log.Printf("%v: measuring at the usual priority", err)
		s.opts.nice = 0
		s.mock, err = startChild("mock", s.dir, s.opts.loadCore, 0, argv)
	}
	if err != nil {
		return err
	}
	return s.mock.waitReady(ctx, s.mockURL+"/stats")
}

// startSystem starts a server on the gateway's core, with TLS on both sides if secure is set, and waits until it serves.
func (s *session) startSystem(ctx context.Context, name string, secure bool) error {
	addr, err := findFreeAddr(ctx)
	if err != nil {
		return err
	}
	sys := &system{name: name, base: "http://" + addr}
	upstream := s.mockURL
	if secure {
		sys.base, sys.secure, upstream = "https://"+addr, s.dir, s.mockTLS
	}
	sys.dir = filepath.Join(s.dir, sys.formatLabel())
	if err := os.Mkdir(sys.dir, 0o700); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	ready := sys.base + "/v1/models"
	argv := []string{s.opts.self, "floor", "-kind", name, "-addr", addr, "-upstream", upstream, "-tls", sys.secure}
	profileFlag := []string{"-pprof"}
	if isGateway(name) {
		ready = sys.base + "/readyz"
		if argv, err = s.buildGatewayCommand(ctx, sys, addr, upstream); err != nil {
			return err
		}
		profileFlag = []string{"--set", "server.pprof_listen="}
	}
	if s.opts.profileDir != "" {
		at, err := findFreeAddr(ctx)
		if err != nil {
			return err
		}
		sys.profile = "http://" + at + "/debug/pprof/profile"
		if len(profileFlag) == 2 {
			at = profileFlag[1] + at
		}
		argv = append(argv, profileFlag[0], at)
	}
	if sys.child, err = startChild(sys.formatLabel(), sys.dir, s.opts.gatewayCore, s.opts.nice, argv); err != nil {
		return err
	}
	s.systems = append(s.systems, sys)
	return sys.child.waitReady(ctx, ready)
}

// buildGatewayCommand writes the gateway's files and returns its command line.
func (s *session) buildGatewayCommand(ctx context.Context, sys *system, addr, upstream string) ([]string, error) {
	metrics, err := findFreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	sys.metrics = "http://" + metrics + "/metrics"
	sys.config, err = writeGateway(gatewaySettings{
		Listen: addr, Metrics: metrics, Dir: sys.dir, Upstream: upstream, Secure: sys.secure, Key: s.key,
		Detector: filepath.Base(s.opts.detector), Chain: chooseChain(sys.name), Records: sys.name != sysBare,
	}, s.opts.detector)
	if err != nil {
		return nil, err
	}
	return []string{s.opts.headgate, "serve", "--config", sys.config}, nil
}

func chooseChain(system string) string {
	switch system {
	case sysFull:
		return chainSpine
	case sysGoverned:
		return chainAll
	case sysAgent:
		return chainAgent
	case sysGovernance:
		return chainGovernance
	}
	return ""
}

// formatLabel names the server in folders and reports.
func (sys *system) formatLabel() string {
	if sys.secure != "" {
		return sys.name + "-tls"
	}
	return sys.name
}

// findSystem returns the server of a part, or nil.
func (s *session) findSystem(p part) *system {
	for _, sys := range s.systems {
		if sys.name == p.system && (sys.secure != "") == p.cell.tls {
			return sys
		}
	}
	return nil
}

// newKey returns the API key that the load sends and the gateway is configured with; it is valid for the run.
func newKey() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return "gw_bench_" + hex.EncodeToString(b[:])
}
