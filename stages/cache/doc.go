// Package cache is the stage that answers a request with the stored answer to an equal one. Two requests are equal if
// their tenant, shape and body are. The body is compared as changed by the links before this one: after the PII stage,
// the cache stores placeholders only, and each reader gets the values that belong to them on the way out.
//
// Results of tools are reused only for tools that the settings list and whose trusted definitions say that they are read-only.
// The proxy says what such a result depends on, in core.Exchange.Reuse.
//
// An answer is stored after it was delivered completely, whole or as a stream, and is returned in the same form only:
// see docs/cache.md.
package cache
