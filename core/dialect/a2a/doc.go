// Package a2a reads and writes the messages of the Agent2Agent protocol (A2A): JSON-RPC 2.0 between a client, which
// is often an agent itself, and an agent that works on tasks.
//
// # A call is the dialect of its exchange
//
//	client ──POST──► Call.Scan ──► chain ──► agent
//	                 (version, operation, texts)│
//	client ◄── chain ◄── Call.ScanResponse ◄────┤ one response
//	client ◄── chain ◄── Call.ScanEvent ◄───────┘ a stream of responses, the last of which Call.Peek finds
//
// # Versions
//
// Two versions are read: 0.3, with methods such as message/send and objects that name their kind, and 1.0, with methods such as
// SendMessage and members that name it. The method decides which rules hold; the header A2A-Version must not disagree. Nothing
// is translated: an agent is sent what its client speaks.
//
// # Texts
//
// Text parts are texts of a message. Data parts are shown string by string, files of text are decoded. In answers the same holds
// for messages of a status, for artifacts and for the history; agents are not trusted, so that all of it is the result of a tool.
// The text of an artifact that arrives in pieces is one text. Everything else in a stream is judged as it comes, whole.
//
// # Identifiers
//
// [Call.ReplaceIDs] replaces the ids of tasks and contexts, so that each caller can have its own.
package a2a
