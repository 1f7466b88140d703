package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// measureStretch bounds how much longer than requested a load runs, as a factor, if others starve the server of its
// core or its answers take long.
const measureStretch = 10

// minTurns is how many answers each connection gets, on average, in the measured time. Connections that share a core
// get theirs in bursts, and the measured time cuts through requests at its two ends.
const minTurns = 6

// loader is one running load.
type loader struct {
	plan      *loadPlan
	number    atomic.Uint64 // the last running number used
	measuring atomic.Bool
	ended     atomic.Int64 // measured requests
	stopping  atomic.Bool
	lag       []timing // how late the open loop's own clock was
}

// runLoad executes a plan and reports the results. It ends early when ctx does.
func runLoad(ctx context.Context, p *loadPlan) loadReport {
	l := &loader{plan: p}
	l.number.Store(chooseFirstNumber(time.Now()))
	ws := make([]*loadWorker, p.connections)
	for i := range ws {
		ws[i] = newLoadWorker(p)
		ws[i].number = i
	}
	before := readProcess(p.pid)
	wg := l.start(ws)

	sleepFor(ctx, p.warm)
	server0, self0, core0 := readProcess(p.pid), readProcess(os.Getpid()), readCore(p.core)
	began := time.Now()
	l.measuring.Store(true)
	peak := server0.rss
	for ctx.Err() == nil {
		took := time.Since(began)
		now := readProcess(p.pid)
		peak = max(peak, now.rss)
		few := p.rate == 0 && l.ended.Load() < int64(minTurns*p.connections)
		starved := p.pid > 0 && (few || now.cpu-server0.cpu < p.minCPU.Seconds())
		if took >= p.measure && (!starved || took >= measureStretch*p.measure) {
			break
		}
		pause := 100 * time.Millisecond
		if left := p.measure - took; left > 0 {
			pause = min(pause, left)
		}
		sleepFor(ctx, pause)
	}
	l.measuring.Store(false)
	took := time.Since(began).Seconds()
	server1, self1, core1 := readProcess(p.pid), readProcess(os.Getpid()), readCore(p.core)
	l.stopping.Store(true)
	wg.Wait()

	rep := l.report(ws, took)
	rep.ClientCPUMicros = dividePerRequest(self1.cpu-self0.cpu, rep.Requests)
	if p.pid > 0 {
		rep.Server = &serverReport{
			CPUSeconds: server1.cpu - server0.cpu, CPUMicros: dividePerRequest(server1.cpu-server0.cpu, rep.Requests),
			RSSBefore: before.rss, RSSPeak: max(peak, server1.rss), RSSAfter: server1.rss,
		}
		if p.core >= 0 {
			rep.Server.OtherShare = max(0, (core1-core0)-(server1.cpu-server0.cpu)) / took
			rep.Server.IdleShare = max(0, 1-max(core1-core0, server1.cpu-server0.cpu)/took)
		}
	}
	return rep
}

// start starts every connection; they end soon after l.stopping is set.
func (l *loader) start(ws []*loadWorker) *sync.WaitGroup {
	wg := &sync.WaitGroup{}
	var due chan time.Time
	if l.plan.rate > 0 {
		due = make(chan time.Time, 1<<20)
		wg.Go(func() { l.sendTicks(due) })
	}
	for _, w := range ws {
		wg.Go(func() {
			defer w.closeConn()
			if due != nil {
				for t := range due {
					if l.stopping.Load() {
						return
					}
					l.sendOne(w, t)
				}
				return
			}
			for !l.stopping.Load() {
				l.sendOne(w, time.Now())
			}
		})
	}
	return wg
}

// sendTicks makes requests due at fixed times, regardless of the server. The time that a request waits for a free
// connection counts as its latency, so that a server that stalls cannot hide it.
func (l *loader) sendTicks(due chan<- time.Time) {
	defer close(due)
	gap := time.Duration(float64(time.Second) / l.plan.rate)
	for next := time.Now(); !l.stopping.Load(); next = next.Add(gap) {
		if d := time.Until(next); d > 0 {
			preciseSleep(d)
		}
		if l.measuring.Load() {
			l.lag = append(l.lag, timing{total: time.Since(next)})
		}
		due <- next
	}
}

// sendOne sends one request and records its result. A request counts as measured if it ended in the measured time,
// whenever it began: the server's CPU time in that span is that of as many requests. Omitting those that began before
// would charge their cost to the others, which adds half for answers that take half of the time. Errors count at any
// time.
func (l *loader) sendOne(w *loadWorker, due time.Time) {
	t, err := w.sendExchange(l.number.Add(1), due)
	measured := l.measuring.Load()
	if measured { // errors too: otherwise a server of errors alone would be measured ten times as long
		l.ended.Add(1)
	}
	if err != nil {
		w.closeConn()
		w.errs[err.Error()]++
		time.Sleep(5 * time.Millisecond) // do not hammer a server that refuses at once
		return
	}
	if measured {
		w.timings = append(w.timings, t)
	}
}

// printAnswer prints the answer to one request as received.
func printAnswer(p *loadPlan, out io.Writer) error {
	w := newLoadWorker(p)
	defer w.closeConn()
	w.raw = &bytes.Buffer{}
	_, err := w.sendExchange(chooseFirstNumber(time.Now()), time.Now())
	if _, werr := fmt.Fprintf(out, "%s\n", w.raw.Bytes()); werr != nil {
		return werr
	}
	return err
}

func sleepFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
