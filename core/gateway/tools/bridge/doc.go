// Package bridge lets clients of one era of the Model Context Protocol use servers of the other, and joins several servers
// into one.
//
//	client modern ──► [ToLegacy] ──► session, server request ◄─► input_required ──► legacy server
//	client legacy ──► [ToModern] ──► _meta, input_required  ◄─► server request ──► modern server
//	client of either era ──► [Join] ──► lists of all members
//
// Each is a [tools.Upstream] around another. On both sides of the chain, messages are in the client's era, so that stages
// see all of them.
//
// A modern call at which a legacy server asks something waits: the client gets input_required with a sealed state, and its
// next call goes on where the first stopped. The state names the waiting call; the call itself, a connection, belongs to the
// node that holds it. A session of a legacy client with a modern server needs no state in the gateway: its id is the sealed
// description that the client gave of itself.
package bridge
