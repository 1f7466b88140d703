package upstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// peer is one provider endpoint as the pool knows it: scheme, host and port.
type peer struct {
	addr string // for the dialler
	host string // for the Host field
	tls  *tls.Config
	idle []*conn // guarded by the pool's mutex, oldest first
	gone bool    // the pool has forgotten it
}

// peerKey identifies the URLs that share connections.
type peerKey struct{ scheme, host string }

// newPeer checks the URL's host and prepares what dialling needs.
func newPeer(u *url.URL, base *tls.Config) (*peer, error) {
	name, port := u.Hostname(), u.Port()
	if name == "" {
		return nil, refusal("the URL has no host")
	}
	p := &peer{host: name}
	if u.Host[0] == '[' {
		if net.ParseIP(name) == nil { // a Host field has no zone
			return nil, refusal("the URL's host is not an IP address, or has a zone")
		}
		p.host = "[" + name + "]"
	} else if !isToken(name) || strings.Contains(name, "%") {
		return nil, refusal("the URL's host holds a character that no host name has")
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, refusal("the URL's port is not between 1 and 65535")
		}
		p.host += ":" + port
	}
	if u.Scheme == "https" {
		p.tls = base
		if base.ServerName == "" {
			p.tls = base.Clone()
			p.tls.ServerName = name
		}
	}
	if port == "" {
		port = "80"
		if p.tls != nil {
			port = "443"
		}
	}
	p.addr = net.JoinHostPort(name, port)
	return p, nil
}

// buildTLS returns the TLS configuration of a client: certificates are verified unless the caller's own configuration
// says otherwise, and the minimum version is TLS 1.2.
func buildTLS(given *tls.Config, protocols ...string) *tls.Config {
	c := given.Clone()
	if c == nil {
		c = &tls.Config{}
	}
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	c.NextProtos = protocols
	if c.ClientSessionCache == nil {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	// Small first records help a browser to start early; here each would cost an extra system call.
	c.DynamicRecordSizingDisabled = true
	return c
}

// dial opens a connection within the limit.
func (l *Lean) dial(ctx context.Context, p *peer, limit time.Duration) (*conn, error) {
	bounded := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	raw, err := l.opts.Dial(bounded, "tcp", p.addr)
	if err != nil {
		return nil, convertDialError(ctx, bounded, PhaseDial, err)
	}
	if p.tls == nil {
		return newConn(p, raw, raw, nil), nil
	}
	seal := &records{Conn: raw}
	t := tls.Client(seal, p.tls)
	if err := t.HandshakeContext(bounded); err != nil {
		_ = raw.Close()
		return nil, convertDialError(ctx, bounded, PhaseHandshake, err)
	}
	if proto := t.ConnectionState().NegotiatedProtocol; proto != "" && proto != "http/1.1" {
		_ = raw.Close()
		return nil, &Error{Phase: PhaseHandshake, Unsent: true, Err: malformedError("the server speaks another protocol")}
	}
	return newConn(p, raw, t, seal), nil
}

// convertDialError distinguishes a caller that hung up, our own limit and network errors.
func convertDialError(ctx, bounded context.Context, phase Phase, err error) *Error {
	var e *Error
	switch {
	case ctx.Err() != nil:
		e = convertContextError(ctx, phase)
	case bounded.Err() != nil:
		e = &Error{Phase: phase, Timeout: true, Err: os.ErrDeadlineExceeded}
	default:
		e = &Error{Phase: phase, Timeout: isTimeout(err), Err: err}
	}
	e.Unsent = true
	return e
}
