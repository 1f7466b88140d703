// Package webhook calls a guard over HTTP: it turns a URL and a shared secret into a core.Stage. Calls and replies are
// signed (sdk/webhook has the wire format), the addresses that may be called are restricted, and a receiver that is
// slow, overloaded or broken costs an exchange no more than its timeout.
//
// An error names the link and the kind of fault. It never contains the URL, the secret, or text from the receiver or
// the client.
package webhook
