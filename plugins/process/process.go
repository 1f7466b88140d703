package process

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// Pauses between starts double from the first to the last. If a process has run for as long as the last pause, the next
// one is the first again.
const (
	firstPause = time.Second
	lastPause  = 60 * time.Second
)

// process keeps one plugin running.
type process struct {
	spec     Spec
	dir      string
	exe      *executable
	config   []byte
	began    time.Time
	out      *output
	patience time.Duration // how long an abandoned call may remain unanswered
	pause    time.Duration // the first pause between starts

	agreed   agreed // at the first start; the same for all
	now      atomic.Pointer[session]
	counters counters
	faults   circuit.Faults
	doubted  atomic.Bool // it failed its canary, and must pass it before it serves again
	suspects suspects
	ward     ward
	ofWard   bool // it is the process of the ward

	mu      sync.Mutex
	down    *Error // why it does not run
	resting bool   // it is not restarted before until
	until   time.Time
	changed chan struct{} // closed when it starts running or resting

	stop chan struct{} // closed to end it
	done chan struct{} // closed when it has ended
	refs int           // guarded by Host.mu
}

// begin starts the plugin for the first time, and keeps it running afterwards.
func (p *process) begin(ctx context.Context) error {
	p.dir = filepath.Dir(p.exe.path)
	p.patience = min(max(p.spec.Timeout, 250*time.Millisecond), 5*time.Second)
	p.pause = firstPause
	p.faults.Init(tripAfter)
	p.changed = make(chan struct{})
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	s, err := p.start(ctx)
	if err != nil {
		p.counters.count(err.Outcome)
		return err
	}
	go p.run(s)
	return nil
}

// start starts a process and waits until it is ready.
func (p *process) start(ctx context.Context) (*session, *Error) {
	if sum, err := p.exe.computeDigest(); err != nil || sum != p.exe.digest {
		return nil, p.newFault(OutcomeChecksum, "the file was changed in place; reload the gateway to use the new one")
	}
	ctx, cancel := context.WithTimeout(ctx, p.spec.StartTimeout)
	defer cancel()
	late := make(chan time.Time)
	defer context.AfterFunc(ctx, func() { close(late) })()
	s := p.launch()
	hello, err := s.connect(late)
	if err == nil {
		var a agreed
		if a, err = p.checkHello(hello); err == nil {
			switch {
			case p.agreed.name == "":
				p.agreed = a
			case !a.equals(&p.agreed):
				err = p.newFault(OutcomeHandshake, "the plugin describes itself differently than at its first start")
			}
		}
	}
	if err == nil {
		err = s.configure(ctx)
	}
	if err == nil && p.doubted.Load() {
		err = s.runCanary(ctx)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	p.doubted.Store(false)
	p.faults.Reset()
	p.now.Store(s)
	p.mu.Lock()
	p.resting = false
	p.signalChange()
	p.mu.Unlock()
	return s, nil
}

// signalChange wakes the calls that wait for the process. The caller holds mu.
func (p *process) signalChange() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// measureUptime returns the time since the beginning, from a monotonic clock.
func (p *process) measureUptime() time.Duration { return time.Since(p.began) }

// run restarts the process whenever it has ended, until it is stopped.
func (p *process) run(s *session) {
	defer close(p.done)
	pause := time.Duration(0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := p.stop
	go func() { // so that a start in progress is abandoned too
		<-stop
		cancel()
	}()
	for {
		var cause *Error
		if s != nil {
			select {
			case <-s.ended:
			case <-stop:
				p.now.Store(nil)
				s.end()
				return
			}
			p.now.Store(nil)
			cause = s.cause
			s.end()
			p.counters.count(cause.Outcome)
			if time.Since(s.began) > lastPause {
				pause = 0
			}
			// If a call may have ended the process, restart it without a pause: a text can end a process, and other
			// calls wait for the next one.
			if s.blamed {
				p.counters.restarts.Add(1)
				p.out.note("the plugin's process ended during a call: " + cause.Reason + "; started again")
				if s, cause = p.start(ctx); cause == nil {
					continue
				}
			}
		}
		for {
			pause = min(max(2*pause, p.pause), lastPause)
			p.pauseRestart(cause, pause)
			wait := time.NewTimer(pause)
			select {
			case <-wait.C:
			case <-stop:
				wait.Stop()
				return
			}
			p.counters.restarts.Add(1)
			if s, cause = p.start(ctx); cause == nil {
				break
			}
			if ctx.Err() == nil {
				p.counters.count(cause.Outcome)
			}
		}
	}
}

// pauseRestart records why the process does not run, and until when it is not restarted. A nil cause keeps the known one.
func (p *process) pauseRestart(cause *Error, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cause != nil {
		p.down = cause
	}
	p.until, p.resting = time.Now().Add(pause), true
	p.signalChange()
	p.out.note("the plugin is not running: " + p.down.Reason + "; it restarts in " + pause.String())
}

// openSession returns the running session. While the process is being restarted, it waits for it, at most until ctx ends.
// While the process rests after a failed start, it returns the reason.
func (p *process) openSession(ctx context.Context) (*session, *Error) {
	for {
		p.mu.Lock()
		down, resting, until, changed := p.down, p.resting, p.until, p.changed
		p.mu.Unlock()
		s := p.now.Load()
		switch {
		case s != nil && s.isRunning():
			return s, nil
		case p.isStopped():
			return nil, p.newFault(OutcomeClosed, "the plugin is being closed")
		case resting:
			wait := max(time.Until(until), 0).Round(100 * time.Millisecond)
			return nil, p.newFault(OutcomeDown, "the plugin is not running (%s: %s); it restarts in %s", down.Outcome, down.Reason, wait)
		}
		select {
		case <-changed:
		case <-p.stop:
		case <-ctx.Done():
			return nil, p.newFault(OutcomeDown, "the plugin has just ended, and is restarting")
		}
	}
}

func (p *process) isStopped() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// close ends the process and waits for it.
func (p *process) close(ctx context.Context) error {
	close(p.stop)
	err := p.ward.close(ctx)
	select {
	case <-p.done:
	case <-ctx.Done():
		if s := p.now.Load(); s != nil {
			s.child.end()
		}
		<-p.done
	}
	if p.ofWard { // the file belongs to the main process
		return err
	}
	return errors.Join(err, p.exe.file.Close())
}
