package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// executeRun executes a whole run. The processes that it started have ended when it returns.
func executeRun(ctx context.Context, o runOptions) (*report, error) {
	parts := listParts(o.only, o.systems)
	if err := o.checkFiles(parts); err != nil {
		return nil, err
	}
	s, err := newSession(ctx, o, parts, 0)
	if s != nil {
		defer s.end()
	}
	if err != nil {
		return nil, err
	}
	if err := s.runRounds(ctx, parts); err != nil {
		return nil, err
	}
	if err := pauseFor(ctx, settleFor); err != nil {
		return nil, err
	}
	memory := s.measureMemory()
	if o.profileDir != "" {
		if err := s.takeProfiles(ctx, parts); err != nil {
			return nil, err
		}
	}
	s.finish(ctx)
	return s.report(memory), nil
}

// settleFor is the time between the last request and the reading of the memory. The reading shows what the systems
// keep; the peaks are in the table.
const settleFor = 2 * time.Second

func pauseFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// measureMemory returns the resident memory of every system, by name, while it still runs.
func (s *session) measureMemory() map[string]processUse {
	out := map[string]processUse{}
	for _, sys := range s.systems {
		out[sys.formatLabel()] = readProcess(sys.child.pid())
	}
	return out
}

// convertToMiB converts bytes.
func convertToMiB(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// finish stops the gateways and has the governed one verify its audit log, including its last records.
func (s *session) finish(ctx context.Context) {
	for _, sys := range s.systems {
		if sys.config == "" {
			continue
		}
		ends := check{System: sys.formatLabel(), Name: "exits on SIGTERM", OK: true}
		if err := sys.child.stop(); err != nil {
			ends.OK, ends.Says = false, fmt.Sprintf("%v: %s", err, findLastLine([]byte(sys.child.lastLog())))
		}
		s.addChecks([]check{ends})
		if redacts(sys.name) {
			s.addChecks(verifyAudit(ctx, s.opts.headgate, sys.config, sys.dir, sys.formatLabel(), sys.served))
		}
	}
}

// profileTime is how long a profile is taken.
const profileTime = 5 * time.Second

// takeProfiles loads every part once more and writes the CPU profile that its server took of itself meanwhile, as
// SYSTEM-CELL.pprof.
func (s *session) takeProfiles(ctx context.Context, parts []part) error {
	if err := os.MkdirAll(s.opts.profileDir, 0o750); err != nil {
		return fmt.Errorf("make the profile folder: %w", err)
	}
	for _, p := range parts {
		name := filepath.Join(s.opts.profileDir, p.system+"-"+p.cell.name+".pprof")
		got := make(chan error, 1)
		go func() { got <- fetchProfile(ctx, s.findSystem(p).profile, name, s.opts.warm) }()
		_, checks, err := s.measure(ctx, p, profileTime+time.Second)
		if perr := <-got; perr != nil {
			log.Printf("no profile of %s: %v", p.system, perr)
		}
		if err != nil {
			return err
		}
		s.addChecks(checks)
	}
	return nil
}

// fetchProfile makes the server profile itself, after wait, and writes the result.
func fetchProfile(ctx context.Context, url, name string, wait time.Duration) error {
	sleepFor(ctx, wait)
	return fetchFile(ctx, fmt.Sprintf("%s?seconds=%d", url, int(profileTime.Seconds())), name)
}

// fetchFile writes what is at a URL to a file.
func fetchFile(ctx context.Context, url, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it was fully read
	if res.StatusCode != http.StatusOK {
		return statusError(res.StatusCode)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o600)
}
