// Package a2a calls agents over the A2A protocol: JSON-RPC over HTTP, answered as JSON or as server-sent events.
//
// The transport is that of package mcp, which bounds every wait and every size: what the two protocols send over HTTP differs in
// nothing but headers. An agent keeps no state of its callers.
package a2a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	dialect "github.com/headgate-dev/headgate/core/dialect/a2a"
	rpc "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// Settings describe an agent.
type Settings struct {
	// URL is where the agent takes JSON-RPC, http or https. What its card says of that does not count.
	URL string
	// CardURL is where its card is. By default it is looked for below the URL, and then at the host.
	CardURL string
	// AllowPrivate admits plain http, and addresses of this machine and of private networks.
	AllowPrivate bool
	// Header is sent with each message, such as a credential; also for the card, if that is at the same host.
	Header    []upstream.Field
	Timeouts  upstream.Timeouts // zero values are the defaults of package mcp
	MaxAnswer int               // bytes of one answer
	// Client sends the calls. It must connect through an upstream.PublicDialer.
	Client upstream.Client
}

// Agent is one agent. Its methods may be called from many goroutines.
type Agent struct {
	set   Settings
	rpc   *mcp.Server
	cards []*url.URL
	own   string // scheme and host of the agent
}

var _ agents.Upstream = (*Agent)(nil)

// maxCard is the size of the largest card in bytes.
const maxCard = 1 << 20

// ErrCard says that no card was found, or one that is too large. It holds nothing that an agent has sent.
var ErrCard = errors.New("the agent's card is too large, is compressed, or is missing")

// New returns an agent. It fails for a URL that must not be called.
func New(s Settings) (*Agent, error) {
	server, err := mcp.New(mcp.Settings{
		URL: s.URL, AllowPrivate: s.AllowPrivate, Header: s.Header, Timeouts: s.Timeouts, MaxAnswer: s.MaxAnswer, MaxResumes: -1,
		Client: s.Client,
	})
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	a := &Agent{set: s, rpc: server, own: u.Scheme + "://" + u.Host}
	paths := []string{strings.TrimSuffix(u.Path, "/") + dialect.CardPath, dialect.CardPath, dialect.OldCardPath}
	if s.CardURL != "" {
		if _, err := mcp.New(mcp.Settings{URL: s.CardURL, AllowPrivate: s.AllowPrivate, Client: s.Client}); err != nil {
			return nil, fmt.Errorf("card_url: %w", err)
		}
		if u, err = url.Parse(s.CardURL); err != nil {
			return nil, fmt.Errorf("card_url: %w", err)
		}
		a.cards = []*url.URL{u}
		return a, nil
	}
	for i, path := range paths {
		if i == 1 && path == paths[0] {
			continue
		}
		a.cards = append(a.cards, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path})
	}
	return a, nil
}

// Send sends a message.
func (a *Agent) Send(ctx context.Context, m *agents.Message) (tools.Answer, error) {
	got, err := a.rpc.Upstream().Send(ctx, &tools.Message{
		Call: &rpc.Call{Form: rpc.Request, ID: m.ID}, Body: m.Body, Header: m.Header, Reserve: m.Reserve,
	})
	if err != nil {
		return nil, err
	}
	return answer{got}, nil
}

// answer is an answer to a message. A stream that ends without a final response ends with io.ErrUnexpectedEOF; the messages
// decide whether it was allowed to end there.
type answer struct{ tools.Answer }

// Next returns the next response.
func (a answer) Next(ctx context.Context, isLast func(data []byte) (bool, error)) ([]byte, error) {
	data, err := a.Answer.Next(ctx, isLast)
	if errors.Is(err, mcp.ErrNoResponse) {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// FetchCard returns the agent's card: the first that is found.
func (a *Agent) FetchCard(ctx context.Context) (card []byte, err error) {
	for _, u := range a.cards {
		var status *tools.StatusError
		if card, err = a.fetch(ctx, u); err == nil || !errors.As(err, &status) || status.Status != 404 {
			return card, err
		}
	}
	return nil, err
}

func (a *Agent) fetch(ctx context.Context, u *url.URL) ([]byte, error) {
	r := &upstream.Request{
		Method: "GET", URL: u, Timeouts: a.set.Timeouts, Header: []upstream.Field{{Name: "Accept", Value: "application/json"}},
	}
	if u.Scheme+"://"+u.Host == a.own {
		r.Header = append(r.Header, a.set.Header...)
	}
	resp, err := a.set.Client.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.Status != 200 {
		return nil, &tools.StatusError{Status: resp.Status}
	}
	if e := resp.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, ErrCard
	}
	card, err := io.ReadAll(io.LimitReader(resp.Body, maxCard+1))
	switch {
	case err != nil:
		return nil, err
	case len(card) > maxCard:
		return nil, ErrCard
	}
	return card, a.rpc.CheckLeak(card)
}
