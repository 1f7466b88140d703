// Package openapi presents an HTTP API, described by an OpenAPI document, as a server of the Model Context Protocol: each
// operation that the operator allows becomes a tool.
//
//	document ──► operations, allow-listed ──► tools/list: name, description, JSON Schema of the arguments
//	tools/call ──► path, query, header, body, each escaped ──► HTTP API ──► text and structured content
//
// The document describes, and decides nothing: the address and the credentials come from the configuration alone. A value
// in a path can neither leave its segment nor be decoded into one that does. The package speaks the modern era; package
// bridge serves clients of the legacy era.
package openapi
