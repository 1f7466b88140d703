package remote

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// dialer connects to receivers. The addresses of a name are looked up once per
// connection, all of them are checked, and the one that is dialled is one of
// them: a name server that answers differently the second time gains nothing.
type dialer struct {
	resolver     Resolver
	allowPrivate bool
	timeout      time.Duration // of looking up and connecting
}

var errNoAddress = errors.New("its name has no address")

func (d dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err // of net/http's own making
	}
	// net/http takes ctx from no call: it goes on when that has given up.
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	ips, err := d.addresses(ctx, host)
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

// addresses gives those of a host. One that may not be called is enough to
// refuse all: a public name has no business at private addresses.
func (d dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	ips := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = append(ips, ip)
	} else if ips, err = d.resolver.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err // described by the caller
	}
	if len(ips) == 0 {
		return nil, errNoAddress
	}
	for i, ip := range ips {
		if kind := forbiddenKind(ip, d.allowPrivate); kind != "" {
			return nil, refusedAddress{kind}
		}
		ips[i] = ip.Unmap()
	}
	return ips, nil
}
