// Package rest is the administrative REST API: huma operations on gin over admin.Service. It contains no rules about
// records; it parses requests, authenticates callers and writes answers.
//
// Each record has a file with its operations, which Mount lists. crud.go declares the five operations of an entity:
// create, list, get, update and delete. The OpenAPI document is generated from the declarations. Every answer carries
// X-Trace-ID. Answers with one record carry its ETag for If-Match of a later change. A POST may carry an Idempotency-Key
// (idempotency.go). Lists without a limit are streamed; lists with one have pages (list.go).
package rest
