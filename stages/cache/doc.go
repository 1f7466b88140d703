// Package cache is the stage that answers a request from the answer to an equal
// one. Two requests are equal when tenant, shape and body are, the body as the
// links before this one have made it: placed after the PII stage it keeps
// placeholders only, and each reader gets back what is his on the way out.
//
// An answer is kept when it was served to its end, whole or as a stream, and is
// given in the form in which it was asked for: see docs/cache.md.
package cache
