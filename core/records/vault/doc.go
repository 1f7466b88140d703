// Package vault exchanges personal data for placeholders and back. A placeholder is {{PII_<TYPE>_<hex>}}. Its hex
// digits are a keyed digest of type and value, so within a tenant the same value always has the same placeholder;
// prompt caches, response caches and quoted earlier turns keep working.
//
// A value is restored only for callers that its placeholder is bound to: a key of the lineage that sent the value, or
// the same end user. Values are sealed under a key of the tenant, which the installation's master key wraps. Deleting
// the tenant's key makes every copy of its values unreadable.
//
// It may import core/records/store, the standard library and golang.org/x/crypto.
package vault
