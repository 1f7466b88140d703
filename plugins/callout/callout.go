// Package callout calls the upstreams that the configuration names on behalf of plugins. A plugin names an upstream and a
// path, never an address. An upstream is a service over HTTP, guarded against private addresses, or the models of this
// gateway: such a call is a separate exchange, which is charged to the caller's budgets and passes no guard.
package callout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Defaults of an upstream.
const (
	DefaultTimeout = 2 * time.Second
	DefaultCalls   = 32
)

// Upstream is one service that plugins may call. Exactly one of URL and Models is set.
type Upstream struct {
	// URL is the address under which paths lie.
	URL string
	// Token is sent as a bearer token. Optional.
	Token string
	// Models are globs over the models of this gateway.
	Models []string
	// Timeout limits one call, Calls the calls at once. 0 means the default.
	Timeout      time.Duration
	Calls        int
	AllowPrivate bool
	CAFile       string
	Resolver     remote.Resolver // default: the system's
}

// Ask asks a model of this gateway at the expense of a caller. path is that of the client API.
type Ask func(ctx context.Context, by *core.Principal, link, path string, body []byte) (status int, answer []byte, err error)

// Note records a call that was made. The status is 0 if there was no answer.
type Note func(ctx context.Context, c *foreign.Call, status, bytes int)

// Calls calls the upstreams of one configuration.
type Calls struct {
	upstreams map[string]*upstream
	ask       Ask
	note      Note
}

var _ foreign.Caller = (*Calls)(nil)

// upstream is an Upstream that is ready.
type upstream struct {
	Upstream
	base   *url.URL
	client *http.Client
	slots  chan struct{}
}

// paths are those of the client API that plugins may ask models at.
var paths = map[string]bool{"/v1/chat/completions": true, "/v1/embeddings": true}

// New checks the upstreams. ask and note are optional; without ask no model can be asked.
func New(list map[string]Upstream, ask Ask, note Note) (*Calls, error) {
	c := &Calls{upstreams: map[string]*upstream{}, ask: ask, note: note}
	for name, u := range list {
		ready := &upstream{Upstream: u}
		if ready.Timeout <= 0 {
			ready.Timeout = DefaultTimeout
		}
		if ready.Calls <= 0 {
			ready.Calls = DefaultCalls
		}
		ready.slots = make(chan struct{}, ready.Calls)
		if len(u.Models) == 0 {
			var err error
			if ready.base, err = remote.ParseURL(u.URL, u.AllowPrivate); err != nil {
				return nil, fmt.Errorf("plugins.upstreams.%s.url: %w", name, err)
			}
			if ready.base.RawQuery != "" {
				return nil, fmt.Errorf("plugins.upstreams.%s.url: contains a query; remove it", name)
			}
			ready.client, err = remote.NewClient(remote.ClientOptions{
				Timeout: ready.Timeout, Calls: ready.Calls, AllowPrivate: u.AllowPrivate, CAFile: u.CAFile, Resolver: u.Resolver,
			})
			if err != nil {
				return nil, fmt.Errorf("plugins.upstreams.%s: %w", name, err)
			}
		}
		c.upstreams[name] = ready
	}
	return c, nil
}

// Has reports whether an upstream exists.
func (c *Calls) Has(name string) bool { return c != nil && c.upstreams[name] != nil }

// AsksModels reports whether an upstream is the models of this gateway.
func (c *Calls) AsksModels(name string) bool { return c.Has(name) && len(c.upstreams[name].Models) > 0 }

// Close closes idle connections.
func (c *Calls) Close() error {
	for _, u := range c.upstreams {
		if u.client != nil {
			u.client.CloseIdleConnections()
		}
	}
	return nil
}

var (
	errNoUpstream = errors.New("unknown upstream; name one of plugins.upstreams")
	errPath       = errors.New("the path must be /v1/chat/completions or /v1/embeddings: the upstream is a model of this gateway")
	errModel      = errors.New("the body must name a model that the upstream offers, and must not ask for a stream")
	errLong       = fmt.Errorf("the answer is larger than %d bytes", abi.MaxCallAnswer)
)

// Call makes one call. It waits for a free slot as long as for an answer.
func (c *Calls) Call(ctx context.Context, one *foreign.Call) (status int, answer []byte, err error) {
	u := c.upstreams[one.Upstream]
	if u == nil {
		return 0, nil, errNoUpstream
	}
	ctx, cancel := context.WithTimeout(ctx, u.Timeout)
	defer cancel()
	select {
	case u.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, nil, foreign.ErrLimited
	}
	defer func() { <-u.slots }()
	if len(u.Models) > 0 {
		status, answer, err = c.askModel(ctx, u, one)
	} else {
		status, answer, err = u.send(ctx, one)
	}
	if c.note != nil {
		c.note(context.WithoutCancel(ctx), one, status, len(answer))
	}
	return status, answer, err
}

func (c *Calls) askModel(ctx context.Context, u *upstream, one *foreign.Call) (int, []byte, error) {
	model, streamed := readRequestedModel(one.Body)
	switch {
	case !paths[one.Path]:
		return 0, nil, errPath
	case c.ask == nil || one.Exchange.Principal == nil:
		return 0, nil, errNoUpstream
	case model == "" || streamed || !offers(u.Models, model):
		return 0, nil, errModel
	}
	status, answer, err := c.ask(ctx, one.Exchange.Principal, one.Link, one.Path, one.Body)
	var limited *core.Error
	if errors.As(err, &limited) {
		return 0, nil, foreign.ErrLimited
	}
	return status, answer, err
}

func offers(globs []string, model string) bool {
	for _, g := range globs {
		if match.MatchesGlob(g, model) {
			return true
		}
	}
	return false
}

// readRequestedModel returns the model that a body requests, and whether it requests a stream. A body other than a JSON
// object requests nothing. A body that names a member twice requests nothing either: the gateway refuses it, so nothing
// may depend on which of the two counts.
func readRequestedModel(body []byte) (model string, streamed bool) {
	var s splice.Scanner
	s.Reset(body)
	if s.Kind() != splice.Object || !s.Enter() {
		return "", false
	}
	models := 0
	for s.Next() {
		switch string(s.Key()) {
		case "model":
			if models++; s.Kind() != splice.String {
				return "", false
			}
			at, _ := s.String()
			model = string(splice.AppendText(nil, body[at.Start:at.End]))
		case "stream":
			streamed = streamed || s.Kind() != splice.False
			s.Skip()
		default:
			s.Skip()
		}
	}
	if s.Err() != nil || models != 1 {
		return "", false
	}
	return model, streamed
}

func (u *upstream) send(ctx context.Context, one *foreign.Call) (int, []byte, error) {
	path, query, _ := strings.Cut(one.Path, "?")
	to := *u.base
	raw := strings.TrimSuffix(to.EscapedPath(), "/") + path
	plain, err := url.PathUnescape(raw)
	if err != nil || !foreign.IsPlainPath(one.Path) {
		return 0, nil, errPath
	}
	to.Path, to.RawPath, to.RawQuery = plain, raw, query
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(one.Body))
	if err != nil {
		return 0, nil, errPath
	}
	r.Header.Set("Content-Type", "application/json")
	if u.Token != "" {
		r.Header.Set("Authorization", "Bearer "+u.Token)
	}
	res, err := u.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // only read
	answer, err := io.ReadAll(io.LimitReader(res.Body, abi.MaxCallAnswer+1))
	if err == nil && len(answer) > abi.MaxCallAnswer {
		err = errLong
	}
	if err != nil {
		return 0, nil, err
	}
	return res.StatusCode, answer, nil
}
