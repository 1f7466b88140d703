package chain

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/llm"
)

// maxLinks is the length of the longest chain: sets of links are kept in the
// bits of one word.
const maxLinks = 64

// set is a set of links, by their place in the chain.
type set uint64

func (s set) has(i int) bool { return s&(1<<i) != 0 }

// Chain is an ordered list of links. It asks each for its verdict, in order on
// the way in and in reverse on the way out, and is the only one that carries
// verdicts out. A chain is immutable and safe for concurrent use.
type Chain struct {
	tokens   core.Tokens
	links    []Link
	all      set
	narrowed set // links with a Filter, or whose stage is Selective
	shadow   set
	phases   [core.Response + 1]set
	finish   set
}

// New makes a chain. Names must be unique, every link needs a stage and a
// phase, and there are at most 64. tokens may be nil when no link asks for
// placeholders; one that does is then at fault.
func New(links []Link, tokens core.Tokens) (*Chain, error) {
	if len(links) > maxLinks {
		return nil, fmt.Errorf("a chain has at most %d links, this one has %d", maxLinks, len(links))
	}
	c := &Chain{links: links, tokens: tokens}
	names := make(map[string]bool, len(links))
	for i := range links {
		l := &links[i]
		switch {
		case l.Name == "":
			return nil, fmt.Errorf("link %d has no name", i)
		case names[l.Name]:
			return nil, fmt.Errorf("two links have the name %q", l.Name)
		case l.Stage == nil:
			return nil, fmt.Errorf("link %q has no stage", l.Name)
		case l.Phases == 0:
			return nil, fmt.Errorf("link %q has no phase", l.Name)
		case l.Mode == Shadow && taps(l.Stage):
			return nil, fmt.Errorf("link %q keeps answers, which cannot be done in shadow mode; write mode: enforce or take it out", l.Name)
		}
		names[l.Name] = true
		c.all |= 1 << i
		if _, picks := l.Stage.(core.Selective); picks || l.narrowed() {
			c.narrowed |= 1 << i
		}
		if l.Mode == Shadow {
			c.shadow |= 1 << i
		}
		for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
			if l.Phases.Has(p) {
				c.phases[p] |= 1 << i
			}
		}
		if _, ok := l.Stage.(core.Finisher); ok {
			c.finish |= 1 << i
		}
	}
	return c, nil
}

// Redacting gives the chain of those links that redact. It shares their stages, which
// stay this one's to close.
func (c *Chain) Redacting() (*Chain, error) {
	links := slices.DeleteFunc(slices.Clone(c.links), func(l Link) bool { return !l.Redacts })
	return New(links, c.tokens)
}

// Shadowed gives the chain with some links in shadow mode, by their names. It shares their stages, which stay this one's
// to close.
func (c *Chain) Shadowed(names []string) (*Chain, error) {
	links := slices.Clone(c.links)
	for _, name := range names {
		at := slices.IndexFunc(links, func(l Link) bool { return l.Name == name && !l.Implied })
		if at < 0 {
			return nil, fmt.Errorf("there is no link %q to put into shadow mode", name)
		}
		links[at].Mode = Shadow
	}
	return New(links, c.tokens)
}

// CanShadow reports whether Shadowed takes the link.
func (l *Link) CanShadow() bool { return l.Mode == Enforce && !l.Implied && !taps(l.Stage) }

// Len is the number of links.
func (c *Chain) Len() int { return len(c.links) }

// Links gives the links in order. The slice must not be changed.
func (c *Chain) Links() []Link { return c.links }

// Close closes the stages that hold resources.
func (c *Chain) Close(ctx context.Context) error {
	var errs []error
	for i := range c.links {
		if s, ok := c.links[i].Stage.(core.Closer); ok {
			if err := s.Close(ctx); err != nil {
				errs = append(errs, fmt.Errorf("close link %q: %w", c.links[i].Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// run is what the chain remembers of an exchange between its phases.
type run struct {
	begun   bool
	on      set // links that apply to this exchange
	reached set // links that were asked in any phase, whose Finisher has yet to hear
	passed  set // links that let the request through, or have no request phase
	limit   int // links from here on take no part in the response
	keeps   []any
	clock   time.Duration // when the last link of the running phase was done

	// The request or response before its first rewrite, for links in shadow.
	saved    bool
	original core.Payload

	edits []core.Edit // of the link at hand, in order
	grown []int
}

// runOf returns the chain's state for an exchange.
func runOf(x *core.Exchange) *run {
	if r, ok := x.Chain.(*run); ok {
		return r
	}
	r := new(run)
	x.Chain = r
	return r
}

// Reset empties the state and keeps its buffers.
func (r *run) Reset() {
	clear(r.keeps)
	if r.original.Raw != nil {
		r.original.Reset()
	}
	*r = run{keeps: r.keeps[:0], original: r.original, edits: scratch.ReuseAll(r.edits), grown: scratch.ReuseAll(r.grown)}
}

func (c *Chain) begin(x *core.Exchange) *run {
	r := runOf(x)
	if r.begun {
		return r
	}
	r.begun, r.on, r.limit = true, c.all, len(c.links)
	for s := c.narrowed; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros64(uint64(s)); !c.links[i].applies(x) {
			r.on &^= 1 << i
		}
	}
	for len(r.keeps) < len(c.links) {
		r.keeps = append(r.keeps, nil)
	}
	r.passed = r.on &^ c.phases[core.Request]
	return r
}

// Decision is what a phase of the chain comes to: Pass, Answer, Block or Retry.
type Decision struct {
	Action core.Action
	Link   string        // who answered, blocked or wants another answer
	Reply  *core.Payload // Answer
	Append []llm.Message // Retry
	Err    *core.Error   // Block; Retry that cannot be carried out
	Fault  bool          // Block because a stage failed
}

// flushed ends a phase: what the links have rewritten goes into the body.
func (d Decision) flushed(body *core.Payload) Decision {
	if err := body.Flush(); err != nil { // edits were checked when they were made, so this is a fault of ours
		return Decision{Action: core.Block, Fault: true, Err: core.AsError(err)}
	}
	return d
}

// Request asks the links on the way in. Each link sees the texts as the ones
// before it have made them.
func (c *Chain) Request(ctx context.Context, x *core.Exchange) Decision {
	r := c.begin(x)
	r.clock = core.Uptime()
	d := Decision{Action: core.Pass}
	for s := r.on & c.phases[core.Request] &^ c.shadow; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if d = c.step(ctx, x, r, i, core.Request, &x.Request); d.Action != core.Pass {
			if d.Action == core.Answer {
				r.limit = i
			}
			break
		}
		r.passed |= 1 << i
	}
	d = d.flushed(&x.Request)
	c.watch(ctx, x, r, r.on&c.phases[core.Request]&c.shadow, core.Request, &x.Request)
	return d
}

// Target asks the links about the target in x.Target. Block skips the target.
func (c *Chain) Target(ctx context.Context, x *core.Exchange) Decision {
	r := runOf(x)
	s := r.on & c.phases[core.Target] &^ c.shadow
	if s != 0 {
		r.clock = core.Uptime()
	}
	for ; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		if d := c.step(ctx, x, r, i, core.Target, &x.Request); d.Action != core.Pass {
			return d.flushed(&x.Request)
		}
	}
	return Decision{Action: core.Pass}.flushed(&x.Request)
}

// responders are the links that take part in the response.
func (c *Chain) responders(r *run) set {
	s := r.on & c.phases[core.Response]
	if r.limit < maxLinks {
		s &= 1<<r.limit - 1
	}
	return s & (r.passed | c.shadow)
}

// Governs reports whether any link wants to see the response. When none does,
// the answer can be copied through.
func (c *Chain) Governs(x *core.Exchange) bool {
	return c.responders(c.begin(x)) != 0
}

// Response asks the links on the way out, last link first, about a whole
// answer. After a Retry it is asked about the next answer, from the last link on.
func (c *Chain) Response(ctx context.Context, x *core.Exchange) Decision {
	r := c.begin(x)
	r.clock = core.Uptime()
	d := Decision{Action: core.Pass}
	r.saved = false
	all := c.responders(r)
	for s := all &^ c.shadow; s != 0; {
		i := bits.Len64(uint64(s)) - 1
		s &^= 1 << i
		if d = c.step(ctx, x, r, i, core.Response, &x.Response); d.Action != core.Pass {
			break
		}
	}
	d = d.flushed(&x.Response)
	c.watch(ctx, x, r, all&c.shadow, core.Response, &x.Response)
	return d
}

// Compact lets go of memory that a large request needs no more once the chain has let it
// through; see Exchange.Compact. Links in shadow may need all of it.
func (c *Chain) Compact(x *core.Exchange) bool { return !runOf(x).saved && x.Compact() }
