package admin

import "github.com/headgate-dev/headgate/core/records/store"

// ViewTenant, ViewRoute and ViewKey are records as the API shows them, for the internal API, which shows the same.
func ViewTenant(t *store.Tenant) Tenant { return viewTenant(t) }

// ViewRoute is a stored route as the API shows it.
func ViewRoute(r *store.Route) Route { return viewRoute(r) }

// ViewKey is a key as the API shows it: without its hash.
func ViewKey(k *store.Key) Key { return viewKey(k) }
