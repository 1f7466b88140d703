package chain

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// Chain is an ordered list of links. It asks each for its verdict, in order on the way in and in reverse on the way
// out, and alone carries verdicts out. A chain is immutable and safe for concurrent use.
type Chain struct {
	tokens   core.Tokens
	links    []Link
	all      set
	narrowed set // links with a Filter, or whose stage is Selective
	shadow   set
	phases   [core.Response + 1]set
	conclude set
	finish   set
}

// New returns a chain of at most 64 links. Names must be unique, and every link needs a stage and a phase. tokens is
// optional: without it, a link that asks for placeholders fails.
func New(links []Link, tokens core.Tokens) (*Chain, error) {
	if len(links) > MaxLinks {
		return nil, fmt.Errorf("a chain has at most %d links, this one has %d", MaxLinks, len(links))
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
		case l.Mode == Shadow && isTapper(l.Stage):
			return nil, fmt.Errorf("link %q keeps answers, which shadow mode cannot do; write mode: enforce or remove the link", l.Name)
		}
		names[l.Name] = true
		c.all |= 1 << i
		if _, picks := l.Stage.(core.ConditionalStage); picks || l.isNarrowed() {
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
		if _, ok := l.Stage.(Concluder); ok {
			c.conclude |= 1 << i
		}
	}
	return c, nil
}

// ForRedaction returns the chain of those links that redact. It shares their stages, which c still owns and closes.
func (c *Chain) ForRedaction() (*Chain, error) {
	links := slices.DeleteFunc(slices.Clone(c.links), func(l Link) bool { return !l.Redacts })
	return New(links, c.tokens)
}

// Guarding returns the chain of those links that redact or judge content, without links in shadow mode. It shares their
// stages, which c still owns and closes.
func (c *Chain) Guarding() (*Chain, error) {
	links := slices.DeleteFunc(slices.Clone(c.links), func(l Link) bool { return !l.Redacts && !l.Guards || l.Mode == Shadow })
	return New(links, c.tokens)
}

// Counting returns the chain of those links that count costs. It shares their stages, which c still owns and closes.
func (c *Chain) Counting() (*Chain, error) {
	links := slices.DeleteFunc(slices.Clone(c.links), func(l Link) bool { return !l.Counts })
	return New(links, c.tokens)
}

// ShadowLinks returns the chain with the named links in shadow mode. It shares their stages, which c still owns and closes.
func (c *Chain) ShadowLinks(names []string) (*Chain, error) {
	links := slices.Clone(c.links)
	for _, name := range names {
		at := slices.IndexFunc(links, func(l Link) bool { return l.Name == name && !l.Implied })
		if at < 0 {
			return nil, fmt.Errorf("unknown link %q cannot be put into shadow mode", name)
		}
		links[at].Mode = Shadow
	}
	return New(links, c.tokens)
}

// CanShadow reports whether ShadowLinks accepts the link.
func (l *Link) CanShadow() bool { return l.Mode == Enforce && !l.Implied && !isTapper(l.Stage) }

// Len returns the number of links.
func (c *Chain) Len() int { return len(c.links) }

// Links returns the links in order. The caller must not modify the slice.
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

func (c *Chain) begin(x *core.Exchange) *run {
	r := getRun(x)
	if r.begun {
		return r
	}
	r.begun, r.on, r.limit = true, c.all, len(c.links)
	for s := c.narrowed; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(uint64(s))
		l := &c.links[i]
		on, err := l.matchExchange(x)
		if err != nil { // a failure counts as yes
			x.Visits = append(x.Visits, core.Visit{Link: l.Name, Phase: core.Request, Shadow: l.Mode == Shadow, Fault: core.FaultPanic})
		}
		if !on && err == nil {
			r.on &^= 1 << i
		}
	}
	for len(r.kept) < len(c.links) {
		r.kept = append(r.kept, nil)
	}
	r.passed = r.on &^ c.phases[core.Request]
	return r
}

// findResponders returns the links that take part in the response.
func (c *Chain) findResponders(r *run) set {
	s := r.on & c.phases[core.Response]
	if r.limit < MaxLinks {
		s &= 1<<r.limit - 1
	}
	return s & (r.passed | c.shadow)
}

// Governs reports whether any link wants to see the response, or it may point into a document that links have changed.
// Otherwise the answer can be copied through.
func (c *Chain) Governs(x *core.Exchange) bool {
	return c.findResponders(c.begin(x)) != 0 || x.Request.HasEditedDocuments()
}

// CanStream reports whether all links that take part in the response can look at streamed answers, and so at messages that
// come before it. Links in shadow mode do not count.
func (c *Chain) CanStream(x *core.Exchange) bool {
	for s := c.findResponders(c.begin(x)) &^ c.shadow; s != 0; s &= s - 1 {
		switch c.links[bits.TrailingZeros64(uint64(s))].Stage.(type) {
		case core.StreamStage, core.Tapper:
		default:
			return false
		}
	}
	return true
}

// Compact releases memory that a large request no longer needs once the chain has let it through; see Exchange.Compact.
// By then, links in shadow mode have seen the original.
func (c *Chain) Compact(x *core.Exchange) bool {
	if r := getRun(x); r.saved {
		r.original.Reset()
		r.saved = false
	}
	return x.Compact()
}
