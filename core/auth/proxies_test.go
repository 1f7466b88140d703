package auth_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestTheAddressOfAClientIsWhatATrustedProxySaysLast(t *testing.T) {
	trusted, err := auth.ParseProxies([]string{"10.0.0.0/8", "192.0.2.1", "2001:db8::/32"})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"no proxy":                             {"203.0.113.9:4711", nil, "203.0.113.9:4711"},
		"a client that claims to be forwarded": {"203.0.113.9:4711", []string{"198.51.100.1"}, "203.0.113.9:4711"},
		"one proxy":                            {"10.1.2.3:80", []string{"198.51.100.1"}, "198.51.100.1"},
		"a client that adds an entry":          {"10.1.2.3:80", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1"},
		"entries in two headers":               {"10.1.2.3:80", []string{"6.6.6.6", "198.51.100.1"}, "198.51.100.1"},
		"two proxies":                          {"10.1.2.3:80", []string{"198.51.100.1, 192.0.2.1"}, "198.51.100.1"},
		"proxies alone":                        {"10.1.2.3:80", []string{"10.9.9.9"}, "10.9.9.9"},
		"an entry with a port":                 {"10.1.2.3:80", []string{"198.51.100.1:999"}, "198.51.100.1:999"},
		"an entry that is not an address":      {"10.1.2.3:80", []string{"198.51.100.1, unknown"}, "10.1.2.3:80"},
		"a proxy that says nothing":            {"10.1.2.3:80", nil, "10.1.2.3:80"},
		"IPv6":                                 {"[2001:db8::1]:80", []string{"2001:4860::8"}, "2001:4860::8"},
		"IPv4 in IPv6":                         {"[::ffff:10.1.2.3]:80", []string{"198.51.100.1"}, "198.51.100.1"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{}}
		for _, v := range c.forwarded {
			r.Header.Add("X-Forwarded-For", v)
		}
		assert.Equal(t, c.want, trusted.FindClientAddress(r), name)
		assert.Equal(t, c.remote, auth.Proxies(nil).FindClientAddress(r), name)
	}
	for _, bad := range []string{"", "proxy.example.com", "10.0.0.0/33", "10.0.0.1:80"} {
		_, err := auth.ParseProxies([]string{bad})
		require.Error(t, err, bad)
	}
}
