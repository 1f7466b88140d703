package guest

import "time"

// Deny refuses the exchange. code is stable, see the codes in wasm/abi; "" is
// abi.CodeContentFilter. message is what the client reads. retry tells it when to come
// again; 0: not said.
func Deny(code, message string, retry time.Duration) {
	deny(code, message, uint32(min(max(retry.Milliseconds(), 0), 1<<31)))
}

// Respond answers the request with a text, in the client's own shape. The provider is
// not asked. The manifest must name the phase request, which alone has answers.
func Respond(text string) { respond(text) }

// Edit puts a text in the place of the bytes [start, end) of text i. Offsets are those
// of the text as Read gives it: edits of one call do not move each other.
func Edit(i, start, end int, with string) { edit(uint32(i), uint32(start), uint32(end), with) }

// Redact puts a placeholder of a type, such as EMAIL, in the place of the bytes
// [start, end) of text i. The manifest must ask for the capability redact.
func Redact(i, start, end int, typ string) { redact(uint32(i), uint32(start), uint32(end), typ) }

// SetModel asks for another model, in the phase Request. The manifest must ask for the
// capability patch.
func SetModel(model string) { setModel(model) }

// CapTokens limits the tokens of the answer, in the phase Request; as SetModel.
func CapTokens(n int64) { capTokens(n) }

// Header adds a header to the answer. Its name begins with x- and is of small letters,
// digits and dashes.
func Header(name, value string) { annotate(name, value) }

// Note notes one of the manifest's labels in the records of the exchange.
func Note(label string) { annotate(label, "") }
