package process

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Pauses between starts double from the first to the last. A process that has run for
// as long as the last begins anew.
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
	patience time.Duration // how long a call that nobody waits for may go unanswered
	pause    time.Duration // the first pause between starts

	agreed   agreed // of the first start; the same for all
	now      atomic.Pointer[session]
	breaker  breaker
	counters counters

	mu    sync.Mutex
	down  *Error    // why it does not run
	until time.Time // when it is started again

	stop chan struct{} // closed to end it
	done chan struct{} // closed when it has ended
	refs int           // Host.mu guards it
}

// begin starts the plugin for the first time, and keeps it running from then on.
func (p *process) begin(ctx context.Context) error {
	p.dir = filepath.Dir(p.exe.path)
	p.patience = min(max(p.spec.Timeout, 250*time.Millisecond), 5*time.Second)
	p.pause = firstPause
	p.breaker = newBreaker(p, func() time.Duration { return time.Since(p.began) })
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
	if sum, err := p.exe.sum(); err != nil || sum != p.exe.digest {
		return nil, p.fault(OutcomeChecksum, "the file was changed in its place; take up the new one with a reload")
	}
	ctx, cancel := context.WithTimeout(ctx, p.spec.StartTimeout)
	defer cancel()
	late := make(chan time.Time)
	defer context.AfterFunc(ctx, func() { close(late) })()
	s := p.launch()
	hello, err := s.connect(late)
	if err == nil {
		var a agreed
		if a, err = p.agree(hello); err == nil {
			switch {
			case p.agreed.name == "":
				p.agreed = a
			case !a.equal(&p.agreed):
				err = p.fault(OutcomeHandshake, "it says something else of itself than when it was started first")
			}
		}
	}
	if err == nil {
		err = s.configure(ctx)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	p.breaker.reset()
	p.now.Store(s)
	return s, nil
}

// run starts the process again whenever it has ended, until it is to stop.
func (p *process) run(s *session) {
	defer close(p.done)
	pause := time.Duration(0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := p.stop
	go func() { // a start that is under way is given up, too
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
		}
		for {
			pause = min(max(2*pause, p.pause), lastPause)
			p.rest(cause, pause)
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

// rest notes why the process does not run, and until when. A nil cause keeps the one
// that is known.
func (p *process) rest(cause *Error, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cause != nil {
		p.down = cause
	}
	p.until = time.Now().Add(pause)
	p.out.note("it does not run: " + p.down.Reason + "; started again in " + pause.String())
}

// session gives the running one, or says why there is none.
func (p *process) session() (*session, *Error) {
	if s := p.now.Load(); s != nil {
		return s, nil
	}
	select {
	case <-p.stop:
		return nil, p.fault(OutcomeClosed, "it is being closed")
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down == nil {
		return nil, p.fault(OutcomeDown, "it has just ended, and is started again")
	}
	wait := max(time.Until(p.until), 0).Round(100 * time.Millisecond)
	return nil, p.fault(OutcomeDown, "it does not run (%s: %s); started again in %s", p.down.Outcome, p.down.Reason, wait)
}

// close ends the process and waits for it.
func (p *process) close(ctx context.Context) error {
	close(p.stop)
	select {
	case <-p.done:
	case <-ctx.Done():
		if s := p.now.Load(); s != nil {
			s.child.end()
		}
		<-p.done
	}
	return p.exe.file.Close() // of no interest
}
