package providers

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Pool is a provider with several credentials, among which calls are divided by weight. A credential that the provider
// refuses, or whose rate limit is reached, is paused for a while if another is available. It is safe for concurrent use.
type Pool struct {
	route.Provider
	now func() time.Time

	mu      sync.Mutex
	members []poolMember
}

// Member is one credential of a pool.
type Member struct {
	ID     string
	Weight int // 1 or more
	// Provider makes the calls with this credential. Apart from it, the providers of a pool are equal.
	Provider route.Provider
	// Mark is a text that only this credential's header fields contain, such as the credential itself.
	Mark string
}

type poolMember struct {
	Member
	current int // of the smooth weighted rotation
	state   Rest
}

// Rest is the state of a credential.
type Rest struct {
	Until  time.Time // the zero time if it does not rest
	Status int       // the answer for which it rests
}

const (
	refusedRest = 5 * time.Minute
	limitedRest = 10 * time.Second
	maxRest     = time.Minute // that a provider may ask for
)

// NewPool returns a provider with one or more credentials. now is optional.
func NewPool(members []Member, now func() time.Time) *Pool {
	if now == nil {
		now = time.Now
	}
	p := &Pool{Provider: members[0].Provider, now: now, members: make([]poolMember, len(members))}
	for i := range members {
		p.members[i] = poolMember{Member: members[i]}
	}
	return p
}

// NewRequest directs the request to the provider with the next credential.
func (p *Pool) NewRequest(x *core.Exchange, r *upstream.Request) error {
	return p.pickProvider().NewRequest(x, r)
}

// Client returns the client that makes the calls and notices which credentials are refused.
func (p *Pool) Client() upstream.Client { return pooled{p.Provider.Client(), p} }

// Catalogue returns the known model names, as of a provider with one credential.
func (p *Pool) Catalogue() []string {
	if c, ok := p.Provider.(interface{ Catalogue() []string }); ok {
		return c.Catalogue()
	}
	return nil
}

// Embeds reports whether a model is known to make embeddings, as of a provider with one credential.
func (p *Pool) Embeds(model string) bool {
	e, ok := p.Provider.(interface{ Embeds(model string) bool })
	return ok && e.Embeds(model)
}

// States returns the states of the credentials by id.
func (p *Pool) States() map[string]Rest {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, out := p.now(), make(map[string]Rest, len(p.members))
	for i := range p.members {
		if m := &p.members[i]; m.state.Until.After(now) {
			out[m.ID] = m.state
		} else {
			out[m.ID] = Rest{}
		}
	}
	return out
}

// pickProvider returns the provider with the credential of the next call: the credential that is due among those not paused
// or, if all are paused, the one whose pause ends first.
func (p *Pool) pickProvider() route.Provider {
	if len(p.members) == 1 {
		return p.members[0].Provider
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, total := p.now(), 0
	var best, soonest *poolMember
	for i := range p.members {
		m := &p.members[i]
		if m.state.Until.After(now) {
			if soonest == nil || m.state.Until.Before(soonest.state.Until) {
				soonest = m
			}
			continue
		}
		m.current += m.Weight
		total += m.Weight
		if best == nil || m.current > best.current {
			best = m
		}
	}
	if best == nil {
		return soonest.Provider
	}
	best.current -= total
	return best.Provider
}

// pauseCredential lets the credential of a request rest after an answer.
func (p *Pool) pauseCredential(r *upstream.Request, status int, retryAfter string) {
	d := refusedRest
	if status == http.StatusTooManyRequests {
		d = limitedRest
		if n, err := strconv.Atoi(strings.TrimSpace(retryAfter)); err == nil && n > 0 {
			d = min(time.Duration(min(n, int(maxRest/time.Second)))*time.Second, maxRest)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.members {
		m := &p.members[i]
		for _, f := range r.Header {
			if strings.Contains(f.Value, m.Mark) {
				m.state = Rest{p.now().Add(d), status}
				return
			}
		}
	}
}

// pooled is the client of a pool.
type pooled struct {
	upstream.Client
	pool *Pool
}

var _ upstream.StatusNoter = pooled{}

// Do makes the call.
func (c pooled) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	res, err := c.Client.Do(ctx, r)
	if err != nil {
		return res, err
	}
	c.NoteStatus(r, res)
	return res, nil
}

// OpenSocket makes the handshake of a WebSocket.
func (c pooled) OpenSocket(ctx context.Context, r *upstream.Request, maxMessage int64) (upstream.Socket, *upstream.Response, error) {
	opener, ok := c.Client.(upstream.SocketOpener)
	if !ok {
		return nil, nil, &upstream.Error{Unsent: true, Err: errors.ErrUnsupported}
	}
	socket, refused, err := opener.OpenSocket(ctx, r, maxMessage)
	if refused != nil {
		c.NoteStatus(r, refused)
	}
	return socket, refused, err
}

// NoteStatus lets a credential rest that an answer refuses.
func (c pooled) NoteStatus(r *upstream.Request, res *upstream.Response) {
	switch res.Status {
	case http.StatusUnauthorized, http.StatusTooManyRequests: // 403 is about a model or a prompt as often
		c.pool.pauseCredential(r, res.Status, res.Get("Retry-After"))
	}
}
