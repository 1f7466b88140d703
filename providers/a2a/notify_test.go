package a2a

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// nameServer answers every name with one address.
type nameServer netip.Addr

func (n nameServer) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.Addr(n)}, nil
}

// newNotifier returns a notifier for these addresses, for which every name has the address of loopback.
func newNotifier(t *testing.T, allowPrivate bool, urls ...string) *Notifier {
	t.Helper()
	dial := upstream.PublicDialer{AllowPrivate: allowPrivate, Resolver: nameServer(netip.MustParseAddr("127.0.0.1"))}
	client := upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
	t.Cleanup(func() { _ = client.Close() })
	n, err := NewNotifier(NotifierSettings{URLs: urls, AllowPrivate: allowPrivate, Client: client})
	require.NoError(t, err)
	return n
}

func TestNotificationsGoToRegisteredAddressesAndPathsBelowThem(t *testing.T) {
	n := newNotifier(t, false, "https://hooks.example.com/a2a", "https://other.example.com:8443")
	for url, allowed := range map[string]bool{
		"https://hooks.example.com/a2a":                      true,
		"https://hooks.example.com/a2a/":                     true,
		"https://hooks.example.com/a2a/x?key=1":              true,
		"https://HOOKS.example.com/a2a/x":                    true,
		"https://other.example.com:8443":                     true,
		"https://other.example.com:8443/x":                   true,
		"https://hooks.example.com/a2ab":                     false,
		"https://hooks.example.com/":                         false,
		"https://hooks.example.com":                          false,
		"https://hooks.example.com/a2a/../admin":             false,
		"https://hooks.example.com/a2a/%2e%2e/admin":         false,
		"https://hooks.example.com/a2a/%252e%252e/admin":     false,
		"https://hooks.example.com/a2a\\..\\admin":           false,
		"http://hooks.example.com/a2a":                       false,
		"https://hooks.example.com:8443/a2a":                 false,
		"https://hooks.example.com.evil.example/a2a":         false,
		"https://hooks.example.com@evil.example/a2a":         false,
		"https://user@hooks.example.com/a2a":                 false,
		"https://hooks.example.com/a2a#x":                    false,
		"https://other.example.com/x":                        false,
		"//hooks.example.com/a2a":                            false,
		"/a2a":                                               false,
		"https:hooks.example.com/a2a":                        false,
		"https://evil.example/https://hooks.example.com/a2a": false,
		"\x00": false,
		"":     false,
	} {
		assert.Equal(t, allowed, n.Allows(url), "%q", url)
	}
}

func TestANameThatMeansAPrivateAddressIsNotCalled(t *testing.T) {
	called := make(chan string, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.Host
		w.Header().Set("Location", "http://169.254.169.254/")
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(s.Close)
	address := "http://hooks.example.com:" + s.URL[len("http://127.0.0.1:"):]
	to := &dialect.PushTarget{URL: address + "/x"}

	public := newNotifier(t, true, address)
	public.set.Client = newNotifier(t, false, "https://hooks.example.com").set.Client // an address that is registered, and a dialer that guards
	_, err := public.Notify(t.Context(), to, []byte("{}"))
	var refused upstream.RefusedAddress
	require.ErrorAs(t, err, &refused)
	assert.Empty(t, called)

	status, err := newNotifier(t, true, address).Notify(t.Context(), to, []byte("{}"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusFound, status, "redirects are not followed")
	assert.Len(t, called, 1)

	_, err = newNotifier(t, true, address).Notify(t.Context(), &dialect.PushTarget{URL: s.URL}, []byte("{}"))
	require.ErrorIs(t, err, ErrNotRegistered)
	assert.Len(t, called, 1)
}

func TestAddressesThatMustNotBeCalledCannotBeRegistered(t *testing.T) {
	for _, url := range []string{"http://hooks.example.com/", "https://127.0.0.1/", "https://10.0.0.1/", "hooks.example.com", ""} {
		_, err := NewNotifier(NotifierSettings{URLs: []string{url}})
		require.Error(t, err, url)
		assert.NotContains(t, err.Error(), "hooks.example.com", "an address may be a secret")
	}
}
