package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"
)

// session is one run: its processes and its measurements so far.
type session struct {
	opts    runOptions
	dir     string // private, removed at the end
	key     string
	mock    *child
	mockURL string
	hold    time.Duration // of the mock's streams; see mock
	mockTLS string        // the same with TLS
	systems []*system
	samples []sample
	checks  []check
}

// sample is one load of one system.
type sample struct {
	Round  int           `json:"round"`
	Cell   string        `json:"cell"`
	System string        `json:"system"`
	Load   loadReport    `json:"load"`
	Counts gatewayCounts `json:"gateway"`
	Mock   mockStats     `json:"upstream"`
}

// newSession creates the private folder and starts everything that parts need. The caller must end the session, even
// after an error.
func newSession(ctx context.Context, o runOptions, parts []part, hold time.Duration) (*session, error) {
	dir, err := os.MkdirTemp("", "headgate-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	s := &session{opts: o, dir: dir, key: newKey(), hold: hold}
	if err := os.WriteFile(s.buildKeyPath(), []byte(s.key), 0o600); err != nil {
		return s, fmt.Errorf("write the key: %w", err)
	}
	if err := errors.Join(writeCertificate(dir), trustCertificate(dir)); err != nil {
		return s, err
	}
	if err := s.startMock(ctx); err != nil {
		return s, err
	}
	for _, p := range parts {
		if s.findSystem(p) == nil {
			if err := s.startSystem(ctx, p.system, p.cell.tls); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

func (s *session) buildKeyPath() string { return filepath.Join(s.dir, "key") }

// end stops every process and removes the folder.
func (s *session) end() {
	for _, sys := range s.systems {
		_ = sys.child.stop() // finish has judged the gateways; how the others end does not matter
	}
	if s.mock != nil {
		_ = s.mock.stop()
	}
	if s.opts.keep {
		log.Printf("kept %s", s.dir)
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		log.Printf("clean up: %v", err)
	}
}

// runRounds measures every part once per round, each round in a different order. An interrupted run returns an error and
// no results.
func (s *session) runRounds(ctx context.Context, parts []part) error {
	for r := range s.opts.rounds {
		for _, p := range shuffleParts(parts) {
			sm, checks, err := s.measure(ctx, p, s.opts.measure)
			if err != nil {
				return err
			}
			sm.Round = r + 1
			s.samples = append(s.samples, sm)
			s.addChecks(checks)
			l := sm.Load
			log.Printf("round %d %-16s %-14s %8.1f us %8.0f req/s  others %.2f idle %.2f  errors %d", sm.Round, sm.Cell, sm.System,
				l.Server.CPUMicros, l.Rps, l.Server.OtherShare, l.Server.IdleShare, l.Errors)
		}
	}
	return nil
}

// addChecks adds checks, one entry per kind, failed if it ever failed.
func (s *session) addChecks(cs []check) {
	for _, c := range cs {
		s.checks = mergeCheck(s.checks, c)
	}
}
