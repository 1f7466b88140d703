package node

import (
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
	"github.com/headgate-dev/headgate/providers/token"
)

// Limits of an exchange of tokens.
const (
	exchangeConnect = 5 * time.Second
	exchangeTime    = 20 * time.Second
)

// authorizeToolClient returns the client for calls to a server, with the token that is exchanged for it.
func authorizeToolClient(client upstream.Client, c *config.MCPServer) upstream.Client {
	t := &c.TokenExchange
	if t.URL == "" {
		return client
	}
	set, endpoint := token.Exchange{
		URL: t.URL, ClientID: t.ClientID, ClientSecret: t.ClientSecret.Reveal(), SubjectFile: t.SubjectTokenFile,
		SubjectType: string(t.SubjectTokenType), Audience: t.Audience, Resource: t.Resource, Scope: t.Scope,
	}, newExchangeClient(c.AllowPrivate)
	if t.Subject == config.MCPSubjectUser {
		return mcp.NewAuthorizedForUsers(client, func(subject string) token.Fetch {
			own := set
			own.Subject = subject
			return own.NewFetch(endpoint)
		})
	}
	return mcp.NewAuthorized(client, token.NewCache(set.NewFetch(endpoint)))
}

// newExchangeClient returns the client for a token endpoint. It passes the SSRF guard at each connection, uses no proxy, which could
// connect elsewhere, and follows no redirects: credentials go to the configured address alone.
func newExchangeClient(allowPrivate bool) *http.Client {
	dial := upstream.PublicDialer{AllowPrivate: allowPrivate, Timeout: exchangeConnect}
	return &http.Client{
		Timeout: exchangeTime,
		Transport: &http.Transport{
			DialContext: dial.Dial, TLSHandshakeTimeout: exchangeConnect, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
