package mcp

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Default limits.
const (
	DefaultConnect   = 5 * time.Second
	DefaultFirstByte = 60 * time.Second
	DefaultIdle      = 60 * time.Second
	DefaultTotal     = 5 * time.Minute
	DefaultAnswer    = 4 << 20
	DefaultMessages  = 10_000
	DefaultResumes   = 5
	maxResumeWait    = 10 * time.Second
)

// Settings describe a server.
type Settings struct {
	// URL is the server's endpoint, http or https.
	URL string
	// AllowPrivate admits plain http, and addresses of this machine and of private networks.
	AllowPrivate bool
	// Header is sent with each call, such as a credential.
	Header []upstream.Field
	// Timeouts limits the phases of a call; Total also covers resumptions. Zero values are the
	// defaults above. Subscriptions have other limits, see Message.
	Timeouts upstream.Timeouts
	// MaxAnswer is the number of bytes of one answer, all of its messages together.
	MaxAnswer int
	// MaxMessages is the number of messages of one answer.
	MaxMessages int
	// MaxResumes is the number of times that a stream which a legacy server ended early is
	// resumed; below 0: never.
	MaxResumes int
	// Client sends the calls. Optional; it must connect through an upstream.PublicDialer.
	Client upstream.Client
}

// Server is one server. Its methods may be called from many goroutines.
type Server struct {
	set    Settings
	url    *url.URL
	client upstream.Client
	owned  bool // the client is closed with the server
	// secrets must not come back in answers.
	secrets [][]byte
}

// New returns a server. It fails for a URL that must not be called.
func New(s Settings) (*Server, error) {
	u, err := parseURL(s.URL, s.AllowPrivate)
	if err != nil {
		return nil, err
	}
	setDefault(&s.Timeouts.Connect, DefaultConnect)
	setDefault(&s.Timeouts.FirstByte, DefaultFirstByte)
	setDefault(&s.Timeouts.Idle, DefaultIdle)
	setDefault(&s.Timeouts.Total, DefaultTotal)
	setDefault(&s.MaxAnswer, DefaultAnswer)
	setDefault(&s.MaxMessages, DefaultMessages)
	setDefault(&s.MaxResumes, DefaultResumes)
	v := &Server{set: s, url: u, client: s.Client, secrets: listSecrets(s.Header)}
	if v.client == nil {
		dial := upstream.PublicDialer{AllowPrivate: s.AllowPrivate, Timeout: s.Timeouts.Connect}
		v.client, v.owned = upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial, MaxHeadBytes: 32 << 10}), true
	}
	return v, nil
}

func setDefault[T ~int | ~int64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Close closes idle connections. Answers in progress can be read to their end.
func (v *Server) Close() error {
	if v.owned {
		return v.client.Close()
	}
	return nil
}

// parseURL refuses a URL that must not be called. It does not look up names in DNS.
func parseURL(raw string, allowPrivate bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("is not an http or https URL; write https://host/path")
	case u.User != nil:
		return nil, errors.New("contains a user or password; write the credential where headers are set")
	case u.Fragment != "":
		return nil, errors.New("contains a fragment; remove it")
	case u.Scheme == "http" && !allowPrivate:
		return nil, errors.New("is plain http, so arguments and results would travel unencrypted; write https://, " +
			"or allow_private: true for a server in your own network")
	}
	return u, upstream.CheckHost(u.Hostname(), allowPrivate)
}

// Message is a message to a server.
type Message = tools.Message

// buildRequest makes the request of a message.
func (v *Server) buildRequest(m *Message) *upstream.Request {
	r := &upstream.Request{Method: "POST", URL: v.url, Body: m.Body, Timeouts: v.set.Timeouts}
	if m.Endless {
		r.Timeouts.Total, r.Timeouts.Idle = 0, max(r.Timeouts.Idle, DefaultListenIdle)
	}
	add := func(name, value string) {
		if value != "" {
			r.Header = append(r.Header, upstream.Field{Name: name, Value: value})
		}
	}
	add("Content-Type", "application/json")
	add("Accept", "application/json, text/event-stream")
	if c := m.Call; c.Method != mcp.MethodInitialize {
		add(mcp.HeaderVersion, c.Version)
	}
	if c := m.Call; c.Era == mcp.Modern {
		add(mcp.HeaderMethod, c.Method)
		if c.NamesTarget() {
			add(mcp.HeaderName, mcp.EncodeHeader(c.Target))
		}
	} else {
		add(mcp.HeaderSession, m.Session)
	}
	r.Header = append(append(r.Header, v.set.Header...), m.Header...)
	return r
}

// Send sends a message and returns when the head of its answer has arrived. The answer must be
// closed. Errors are those of package upstream, of this package, and of ctx.
func (v *Server) Send(ctx context.Context, m *Message) (*Answer, error) {
	if m.Session != "" && !isSession(m.Session) {
		return nil, ErrSession
	}
	ends := time.Time{}
	if !m.Endless && v.set.Timeouts.Total > 0 {
		ends = time.Now().Add(v.set.Timeouts.Total)
	}
	a := &Answer{server: v, message: m, ends: ends, left: v.set.MaxAnswer, resumes: v.set.MaxResumes, session: m.Session}
	resp, err := v.client.Do(a.newCancelable(ctx), v.buildRequest(m))
	if err != nil {
		a.cancel()
		return nil, err
	}
	if err := a.readHead(resp); err != nil {
		_ = a.Close()
		return nil, err
	}
	return a, nil
}

// End ends a legacy session. Servers may refuse that.
func (v *Server) End(ctx context.Context, session, version string) error {
	if !isSession(session) {
		return ErrSession
	}
	r := &upstream.Request{Method: "DELETE", URL: v.url, Timeouts: v.set.Timeouts}
	r.Header = append(r.Header, upstream.Field{Name: mcp.HeaderSession, Value: session})
	if version != "" {
		r.Header = append(r.Header, upstream.Field{Name: mcp.HeaderVersion, Value: version})
	}
	r.Header = append(r.Header, v.set.Header...)
	resp, err := v.client.Do(ctx, r)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	switch {
	case resp.Status >= 200 && resp.Status < 300, resp.Status == statusNotFound, resp.Status == statusNotAllowed:
		return nil
	}
	return newStatusError(resp)
}

// maxSession is the maximum length of a session id in bytes.
const maxSession = 1024

// isSession reports whether a text can be the id of a session: visible ASCII (specification
// 2025-11-25, "Session Management").
func isSession(id string) bool {
	return id != "" && len(id) <= maxSession && !strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' })
}
