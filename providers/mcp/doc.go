// Package mcp calls servers of the Model Context Protocol over streamable HTTP.
//
// A [Server] sends one message per POST and returns the answer as an [Answer]: messages one by one, of which the last is
// the response. JSON and server-sent events look the same to the caller.
//
//	Send ──POST──► 202                       ─► Accepted
//	               200 application/json      ─► Next: the response
//	               200 text/event-stream     ─► Next: a notification … the response
//	                    │ legacy server ends the stream early
//	                    └──GET, Last-Event-ID──► Next goes on
//	               4xx, 5xx with JSON-RPC    ─► Next: the response, an error
//	               anything else             ─► StatusError
//
// Every wait and every size has a limit, because a server is not trusted: it may be slow, send without end, or answer
// twice. Addresses are checked when they are dialled, redirects are not followed, and no error contains text from the
// server.
//
// The caller owns the sessions of the legacy era and passes their ids: a Server keeps no state of its callers.
package mcp
