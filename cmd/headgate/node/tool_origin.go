package node

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/store"
)

// digestOrigin returns a digest of what identifies a server of tools and the gateway towards it.
func digestOrigin(parts ...any) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(parts) // strings and lists of strings
	return hex.EncodeToString(h.Sum(nil))
}

// digestFileOrigin is digestOrigin for a server of the file.
func digestFileOrigin(c *config.MCPServer) string {
	list := func(values map[string]config.Secret) (out []string) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			out = append(out, name, values[name].Reveal())
		}
		return out
	}
	return digestOrigin(c.URL, list(c.Headers), c.Command, c.Args, list(c.Env), c.FromOpenAPI.Document,
		string(c.TokenExchange.Subject), c.TokenExchange.URL, c.TokenExchange.ClientID, c.TokenExchange.SubjectTokenFile,
		c.TokenExchange.Audience, c.TokenExchange.Resource, c.TokenExchange.Scope)
}

// digestStoredOrigin is digestOrigin for a server that is a record, with its opened headers.
func digestStoredOrigin(r *store.MCPServer, header []upstream.Field) string {
	var list []string
	for _, h := range header {
		list = append(list, h.Name, h.Value)
	}
	return digestOrigin(r.URL, list, r.OpenAPIURL)
}
