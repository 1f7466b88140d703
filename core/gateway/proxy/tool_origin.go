package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// checkOrigin refuses requests that a page of another site makes a browser send (specification, "Security Warning"). Such a
// site can resolve its name to this machine (DNS rebinding), so a browser's request that arrives at loopback must name
// loopback.
func checkOrigin(r *http.Request) *core.Error {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil // not from a browser: it sends the header with every POST and DELETE
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
		return newOriginError("the header Origin names another site than Host")
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && isLoopback(local.String()) && !isLoopback(r.Host) {
		return newOriginError("the headers Origin and Host name another site than the address of this machine, where the request arrived")
	}
	return nil
}

func newOriginError(public string) *core.Error {
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: public}
}

// isLoopback reports whether a host, with or without a port, names this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}
