package guest

import (
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Deny refuses the exchange. code is stable, see the codes in wasm/abi; "" is
// abi.CodeContentFilter. The client reads message. retry tells it when to try again;
// 0 omits that.
func Deny(code, message string, retry time.Duration) {
	deny(code, message, convertRetry(retry))
}

// DenyForGood is Deny for a request that can never pass: clients are told not to send it again.
func DenyForGood(code, message string, retry time.Duration) {
	deny(code, message, convertRetry(retry)|abi.NoRetry)
}

func convertRetry(d time.Duration) uint32 {
	return uint32(min(max(d.Milliseconds(), 0), int64(abi.NoRetry-1)))
}

// Respond answers the request with a text, in the client's own shape, without a call to
// the provider. The manifest must name the phase request: no other phase can answer.
func Respond(text string) { respond(text) }

// Edit replaces the bytes [start, end) of text i. Offsets refer to the text as Read
// returns it: edits of one call do not shift each other.
func Edit(i, start, end int, with string) { edit(uint32(i), uint32(start), uint32(end), with) }

// Redact replaces the bytes [start, end) of text i by a placeholder of a type, such as
// EMAIL. The manifest must request the capability redact.
func Redact(i, start, end int, typ string) { redact(uint32(i), uint32(start), uint32(end), typ) }

// SetModel changes the model of the request, in the phase Request. The manifest must
// request the capability patch.
func SetModel(model string) { setModel(model) }

// CapTokens limits the tokens of the answer, in the phase Request. It needs what SetModel needs.
func CapTokens(n int64) { capTokens(n) }

// Header adds a header to the answer. Its name starts with x- and consists of
// lower-case letters, digits and dashes.
func Header(name, value string) { annotate(name, value) }

// Note adds one of the manifest's labels to the records of the exchange.
func Note(label string) { annotate(label, "") }
