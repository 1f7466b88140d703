package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// settleLimit is how long the gateway may take to write the records of a load after the load has ended. Its own batches
// wait 50 ms.
const settleLimit = 5 * time.Second

// measure runs one load on one system and gathers the evidence for its checks.
func (s *session) measure(ctx context.Context, p part, d time.Duration) (sample, []check, error) {
	sys := s.findSystem(p)
	e := evidence{minCPU: s.opts.minCPU}
	up0, err := fetchStats(ctx, s.mockURL)
	if err != nil {
		return sample{}, nil, err
	}
	var gw0 gatewayCounts
	if redacts(p.system) {
		if gw0, err = fetchCounts(ctx, sys.metrics); err != nil {
			return sample{}, nil, fmt.Errorf("read the gateway's metrics: %w", err)
		}
	}
	if e.load, err = s.runLoader(ctx, sys, p, d); err != nil {
		return sample{}, nil, fmt.Errorf("load %s: %w", p.system, err)
	}
	sys.served += e.load.Answered
	up1, err := fetchStats(ctx, s.mockURL)
	if err != nil {
		return sample{}, nil, err
	}
	e.upstream = up1.subtract(up0)
	for end := time.Now().Add(settleLimit); redacts(p.system); sleepFor(ctx, 20*time.Millisecond) {
		gw1, err := fetchCounts(ctx, sys.metrics)
		if err != nil {
			return sample{}, nil, fmt.Errorf("read the gateway's metrics: %w", err)
		}
		if e.gateway = gw1.subtract(gw0); e.hasAllRecords(p) || time.Now().After(end) {
			break
		}
	}
	if !sys.child.isAlive() {
		return sample{}, nil, fmt.Errorf("%s ended under load: %s", sys.name, sys.child.lastLog())
	}
	return sample{Cell: p.cell.name, System: p.system, Load: e.load, Counts: e.gateway, Mock: e.upstream}, e.buildChecks(p), nil
}

// runLoader runs the load generator in a separate process on the load's core.
func (s *session) runLoader(ctx context.Context, sys *system, p part, d time.Duration) (loadReport, error) {
	var rep loadReport
	want, email, tail := noPlaceholder, promptEmail, `"usage"`
	if p.cell.fresh {
		email = "anna." + seqMark + "@example.com"
	}
	if redacts(p.system) {
		want = email
	}
	path, first := cmp.Or(sys.path, chatPath), `"content":"the`
	switch {
	case p.cell.agent:
		path, first, tail = "/v1/messages", `"text":"the`, "message_stop"
	case p.cell.tool:
		path, tail = toolPath+"/bench", `"isError"`
	case p.cell.stream:
		tail = "[DONE]"
	}
	c := exec.CommandContext(
		ctx,
		s.opts.self,
		"load",
		"-url",
		sys.base+path,
		"-first",
		first,
		"-prompt",
		p.cell.prompt,
		"-stream="+strconv.FormatBool(p.cell.stream),
		"-renumber",
		string(p.cell.renumber),
		"-email",
		email,
		"-want",
		want,
		"-tail",
		tail,
		"-c",
		strconv.Itoa(s.opts.connections),
		"-rate",
		strconv.FormatFloat(s.opts.rate, 'f', -1, 64),
		"-d",
		d.String(),
		"-warm",
		s.opts.warm.String(),
		"-least-cpu",
		s.opts.minCPU.String(),
		"-key-file",
		s.buildKeyPath(),
		"-tls",
		sys.secure,
		"-http2="+strconv.FormatBool(p.cell.framed),
		"-pid",
		strconv.Itoa(sys.child.pid()),
		"-core",
		strconv.Itoa(s.opts.gatewayCore),
	)
	c.Env = buildChildEnv(os.Environ())
	isolateChild(c)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 40 * time.Second // a request in progress may take its timeout
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	if err := runOnCore(s.opts.loadCore, c.Start); err != nil {
		return rep, err
	}
	niceErr := setNice(c.Process.Pid, s.opts.nice)
	err := c.Wait()
	if ctx.Err() != nil {
		return rep, context.Cause(ctx)
	}
	if err = errors.Join(err, niceErr); err != nil {
		return rep, fmt.Errorf("%w: %s", err, findLastLine(errOut.Bytes()))
	}
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		return rep, fmt.Errorf("read its report: %w", err)
	}
	if rep.Server == nil {
		return rep, errors.New("no figures of the server in its report")
	}
	return rep, nil
}
