package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of proxies in front of the gateway, whose X-Forwarded-For is believed. Without any, the address of
// a client is that of its connection: clients can forge a header.
type Proxies []netip.Prefix

// ParseProxies reads networks such as 10.0.0.0/8, and single addresses.
func ParseProxies(list []string) (Proxies, error) {
	var p Proxies
	for _, text := range list {
		if a, err := netip.ParseAddr(text); err == nil {
			p = append(p, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
			continue
		}
		n, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", text)
		}
		p = append(p, n.Masked())
	}
	return p, nil
}

// FindClientAddress returns the address of the client of a request: that of the connection or, behind trusted proxies, the last
// one in X-Forwarded-For that is not theirs. Entries further to the left were written by the client.
func (p Proxies) FindClientAddress(r *http.Request) string {
	at := r.RemoteAddr
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trusts(at); i-- {
		hop := strings.TrimSpace(hops[i])
		if _, ok := parseHost(hop); !ok {
			break // the proxy's own address is the last that is known
		}
		at = hop
	}
	return at
}

func (p Proxies) trusts(remote string) bool {
	a, ok := parseHost(remote)
	if !ok {
		return false
	}
	for _, n := range p {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// parseHost returns the IP address of host:port, or of a host alone.
func parseHost(remote string) (netip.Addr, bool) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = strings.Trim(remote, "[]")
	}
	a, err := netip.ParseAddr(host)
	return a.Unmap().WithZone(""), err == nil
}

// IsForwarded reports whether a proxy passed the request on, or whoever sent it says so.
func IsForwarded(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"} {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}
