// Package payload is a body and its texts. A dialect lists the segments of text that a body
// contains; stages read them, decoded on demand, and edit them. A Payload collects the edits
// of all links of a phase in one sorted list per body and writes the new body once:
//
//	Raw ── Scan ──▶ Segments ── Text ──▶ decoded text ── Apply ──▶ edit list ── Flush ──▶ new Raw
//
// Every byte outside the edits stays as it was received. Package core lends these types to
// stages under the names core.Payload, core.Segment and so on.
package payload
