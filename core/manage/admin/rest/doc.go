// Package rest is the administrative REST API: huma operations on gin over admin.Service. It decides nothing about
// records; it reads requests, asks who sends them, and writes answers.
//
// Each record has a file with its operations, listed in Mount. An operation is declared once, with its path, its
// permission and its errors, and the OpenAPI document is made of that. Every answer carries X-Trace-Id. Answers with one
// record carry its ETag, which If-Match of a later change names. A POST may carry an Idempotency-Key (idempotency.go).
// Lists without a limit are written as they are read; with one they have pages (list.go).
package rest
