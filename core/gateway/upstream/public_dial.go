package upstream

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"
)

// PublicDialer connects to addresses that are globally reachable, or allowed. It resolves a name once per connection,
// checks all of its addresses, and dials one of them: a name server that answers differently the second time gains
// nothing.
type PublicDialer struct {
	// Resolver finds the addresses of names. Optional: the default is the system's resolver.
	Resolver Resolver
	// AllowPrivate admits addresses of this machine and of private networks.
	AllowPrivate bool
	// Timeout limits the lookup and the connection together; 0: only the context limits them.
	Timeout time.Duration
}

// Resolver finds the addresses of a name; net.DefaultResolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// ErrNoAddress means that a name has no address.
var ErrNoAddress = errors.New("the host name has no address")

// CheckHost returns an error if the host of a URL must not be called. It does not look up names in DNS.
func CheckHost(host string, allowPrivate bool) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		if kind := nameForbiddenKind(ip, allowPrivate); kind != "" {
			return RefusedAddress{kind}
		}
	} else if !allowPrivate && isLocal(host) {
		return RefusedAddress{kindLoopback}
	}
	return nil
}

// isLocal reports whether a name always means this machine (RFC 6761).
func isLocal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Dial connects to an address, which is a host and a port. It fails with RefusedAddress, ErrNoAddress or a network
// error.
func (d PublicDialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err // of net/http's own making
	}
	// net/http does not pass the context of a call: it continues after the call has given up.
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Timeout)
		defer cancel()
	}
	ips, err := d.resolveAddresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	for _, ip := range ips {
		if conn, err = new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(ip.String(), port)); err == nil || ctx.Err() != nil {
			break
		}
	}
	return conn, err // described by the caller
}

func (d PublicDialer) lookup(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if d.Resolver == nil {
		return net.DefaultResolver.LookupNetIP(ctx, network, host)
	}
	return d.Resolver.LookupNetIP(ctx, network, host)
}

// resolveAddresses returns the addresses of a host. One forbidden address is enough to refuse all: a public name must not have
// private addresses.
func (d PublicDialer) resolveAddresses(ctx context.Context, host string) ([]netip.Addr, error) {
	ips := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = append(ips, ip)
	} else if ips, err = d.lookup(ctx, "ip", host); err != nil {
		return nil, err // described by the caller
	}
	if len(ips) == 0 {
		return nil, ErrNoAddress
	}
	for i, ip := range ips {
		if kind := nameForbiddenKind(ip, d.AllowPrivate); kind != "" {
			return nil, RefusedAddress{kind}
		}
		ips[i] = ip.Unmap()
	}
	return ips, nil
}
