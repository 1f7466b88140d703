package core

import "time"

// Principal is the caller: the authenticated tenant and key, and the end user that the request names, if any. Exchanges
// share it; it is immutable.
type Principal struct {
	Tenant    string // tenant id
	KeyID     string // id of the gateway key
	KeyPrefix string // its leading characters, the only part that logs may show
	KeyName   string
	// Lineage ties a rotated key to its successors, so that what was bound to
	// the old key stays bound. It is the KeyID of the first key.
	Lineage string
	// User is a digest that distinguishes the users of one key whose tokens the client sends beside it; empty: it sends none.
	User      string
	Scopes    []string // empty: unrestricted
	Models    []string // patterns of the models that it may ask for; empty: all
	Tier      string   // premium, standard or bulk
	Region    string   // where the tenant's requests should stay; empty for anywhere
	Suspended bool     // the tenant may read, but start nothing new

	// The operator's tags and metadata of the key and its tenant, for policies.
	Tags, TenantTags         []string
	Metadata, TenantMetadata map[string]any
	ExpiresAt                time.Time // of the key; zero: never
}

// Allows reports whether the principal may use endpoints of the scope. A key
// without scopes is unrestricted.
func (p *Principal) Allows(scope string) bool {
	if len(p.Scopes) == 0 {
		return true
	}
	for _, s := range p.Scopes {
		if s == scope {
			return true
		}
	}
	return false
}
