package guardrail

import (
	"fmt"
	"slices"
	"strings"
)

// domains is a list against which hosts are checked. A domain includes its subdomains.
type domains []string

func readDomains(list []string) (domains, error) {
	d := make(domains, 0, len(list))
	for _, s := range list {
		h := strings.TrimPrefix(strings.ToLower(strings.Trim(s, ". ")), "*.")
		if h == "" || strings.ContainsAny(h, "/ :*") {
			return nil, fmt.Errorf("domain %q: write it as example.com", s)
		}
		d = append(d, h)
	}
	return d, nil
}

func (d domains) has(host string) bool {
	return slices.ContainsFunc(d, func(s string) bool { return host == s || strings.HasSuffix(host, "."+s) })
}

// parseHost returns the host that a browser would call for an address, and whether the address leads outside the page.
// Browsers treat \ as /, drop tabs and line breaks, and read the text before @ as a user.
func parseHost(addr string) (host string, leaves bool) {
	addr = strings.Map(func(r rune) rune {
		switch r {
		case '\t', '\n', '\r':
			return -1
		case '\\':
			return '/'
		}
		return r
	}, strings.TrimSpace(addr))
	if i := strings.IndexByte(addr, ':'); i > 0 && !strings.ContainsAny(addr[:i], "/?#.") {
		switch scheme := strings.ToLower(addr[:i]); scheme {
		case "http", "https", "ftp", "ws", "wss":
			addr = "//" + strings.TrimLeft(addr[i+1:], "/")
		case "javascript", "vbscript":
			return scheme, true
		default: // data:, mailto:, tel: load nothing
			return "", false
		}
	}
	if !strings.HasPrefix(addr, "//") {
		return "", false
	}
	host = strings.TrimLeft(addr, "/")
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return strings.TrimSuffix(foldText(host), "."), true
}

// urls finds addresses of domains that are denied, or not allowed; without lists, any.
type urls struct{ allowed, denied domains }

func newURLs(d *detectorSettings, _ *engine) (detector, error) {
	var u urls
	var err error
	if u.allowed, err = readDomains(d.AllowedDomains); err != nil {
		return nil, err
	}
	u.denied, err = readDomains(d.DeniedDomains)
	return &u, err
}

func (u *urls) detect(c *check, dst []finding) []finding {
	s := c.v.raw
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return dst
		}
		i += at
		start := i
		for start > 0 && (s[start-1]|0x20-'a' < 26 || s[start-1] == '+') {
			start--
		}
		end := i + 3
		for end < len(s) && s[end] > ' ' && !strings.ContainsRune("<>\"`|{}", rune(s[end])) {
			end++
		}
		if !c.w.pace.spendSteps(end - at) {
			return dst
		}
		at = end
		host, leaves := parseHost(s[start:end])
		if leaves && host != "" && u.refusesHost(host) {
			dst = append(dst, finding{start: start, end: end, score: 1})
		}
	}
}

func (u *urls) refusesHost(host string) bool {
	return u.denied.has(host) || !u.allowed.has(host) && (len(u.allowed) > 0 || len(u.denied) == 0)
}
