// Package mcp reads and writes the messages of the Model Context Protocol: JSON-RPC 2.0 between
// a client, which is an agent, and a server, which offers tools, prompts and resources.
//
// # A call is the dialect of its exchange
//
// The dialects of models are values without state, since their bodies say all that an answer
// needs. A JSON-RPC answer repeats the id of its request, and a result can only be read by
// someone who knows the method. So each exchange has its own [Call], which Scan fills:
//
//	client ──POST──► Call.Scan ──► chain ──► Call.ReplaceID ──► server
//	                 (form, era, method, name, texts)            │
//	client ◄── chain ◄── Call.ScanResponse (whole) ◄─────────────┤
//	client ◄── chain ◄── Call.ScanEvent (what comes before it) ◄─┘
//
// A response is always judged whole, also when it arrives as the last event of a stream: the
// texts of a result are complete, and a link may need several of them for its verdict.
// [Call.ReadForm] finds it, and ScanEvent refuses it.
//
// # Eras
//
// Since the revision 2026-07-28 each request states its version in its body, and repeats
// version, method and name in headers, which must agree (specification, "Streamable HTTP",
// "Server Validation"). Before, a client opened a session with initialize. [Call.Era] says which
// rules hold for a call; the client may choose others with its next message.
//
// # Texts
//
// Arguments are shown to the guards whole: each string, each name of a member and each number
// with six digits or more. So is structured content. In results, contents and definitions each
// string is a text unless it is an identifier that is spelled like one ([scan.Leaves]). Files
// of text in base64 are decoded. Errors of a server are texts too: a model reads them.
package mcp
