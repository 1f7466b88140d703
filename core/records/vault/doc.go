// Package vault exchanges personal data for placeholders and back. A placeholder is {{PII_<TYPE>_<hex>}}; its hex digits
// are a keyed digest of type and value, so the same value always gets the same placeholder within a tenant, and prompt
// caches, response caches and quoted earlier turns keep working.
//
// A value comes back only to a caller that the placeholder is bound to: a key of the lineage that brought the value, or
// the same end user. Values are sealed under a key of the tenant, which is itself wrapped by the installation's master
// key; deleting the tenant's key makes every copy of its values unreadable.
//
// It may import core/records/store, the standard library and golang.org/x/crypto.
package vault
