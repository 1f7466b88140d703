package admin

import "github.com/headgate-dev/headgate/core/records/store"

// ViewTenant returns a tenant as the API shows it. ViewTenant, ViewRoute and ViewKey serve the internal API, which shows the
// same records.
func ViewTenant(t *store.Tenant) Tenant { return viewTenant(t) }

// ViewRoute returns a stored route as the API shows it.
func ViewRoute(r *store.Route) Route { return viewRoute(r) }

// ViewKey returns a key as the API shows it, without its hash. tier is that of its tenant.
func ViewKey(k *store.Key, tier string) Key { return viewKey(k, tier) }
