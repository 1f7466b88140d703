// Package webhook asks a guard over HTTP: it makes a core.Stage of a URL and a
// shared secret. Calls and replies are signed (sdk/webhook has the wire format),
// the addresses that may be called are restricted, and a receiver that is slow,
// crowded or broken costs an exchange no more than its timeout.
//
// An error names the link and the kind of fault. It never holds the URL, the
// secret, or anything that the receiver or the client wrote.
package webhook
