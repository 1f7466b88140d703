// Package chain runs the stages of a chain over an exchange: over its request, over each
// target that is tried, and over its answer, whole or streamed.
//
// # Whole bodies
//
// phases.go holds the flow, rewrite.go what happens to edits. For each link in turn:
//
//	callStage → addFindings → rewrite (check the edits, mint placeholders, Payload.Apply) → Decision
//
// Each link reads the texts as the links before it have left them. Payload collects the
// edits of all links in one sorted list and writes them into the body once, in
// Payload.Flush, when the phase ends. Links in shadow mode are asked last and see the body
// as it was before the first edit.
//
// # Streams
//
// A Stream takes one event of an answer at a time and returns what may be sent to the
// client now:
//
//	event ──scan──► deltas ──► parts ──► link n ──► … ──► link 1 ──► cleared text ──► event
//	(dialect)       (text)     (one per   │                  │        (replaces the    (to the
//	                            run of    └ tail: context    └ tail    delta's text)    client)
//	                            text)       │ held │ new
//
// event.go reads an event and writes it again: each delta belongs to a part (a choice's content, the arguments of one tool call), and
// feedText runs its new text through the links. feed_json.go feeds JSON text string by string. In feed.go the links run in series, and
// each passes on only the text that it has cleared. Per part and link a tail (part.go) keeps the text that was sent, for context, and the
// text that is held back. Events that are about held text wait in a queue (queue.go, beside.go). When a part ends (close.go) its held
// text is judged and released, before the event that ends it.
//
// # States of a stream
//
// stream_state.go names them:
//
//	stream  running ──End, or the last event──► ended: all parts are closed, no link is asked again
//
//	part    open ──its choice, its tool call or the stream ends──► closed
//	          ▲                                                      │
//	          └───────────── next string of a JSON text ─────────────┘
//
//	JSON    blank ──structure──► values ──number longer than 64──► digits
//	          │                     ▲                                 │
//	          │                     └───────── end of number ─────────┘
//	          └─────prose──► the rest of the part is plain text
//
//	link    judging  ──nothing to see, or failed under on_fault: pass──► passing
//	        watching ──objects or fails (shadow mode)──────────────────► retired
//
//	finding placed ◄──end cleared── growing        unknown: its text was sent already
//
// A link that blocks, or fails under on_fault: block, ends the stream with an error.
//
// # Taps, repeats, findings
//
// A stage that is a Tapper, such as the cache, cuts the chain in two streams: the links
// behind it make whole events, the tap sees them, and the links in front read them again:
//
//	provider ──► Stream (links behind) ──► tap ──► Stream (links in front) ──► client
//
// A dialect that repeats at the end of a stream what it has sent in pieces needs the
// transcript of what the client was sent (transcript.go). Links that want to know what the
// links before them found get it through trackedFinding (part.go).
package chain
