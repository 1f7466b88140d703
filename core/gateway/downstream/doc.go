// Package downstream serves the connections of clients: timeouts, hang-ups, TLS sessions, and most requests and answers
// themselves.
//
// net/http serves any HTTP and takes about 7 µs of CPU for a request on which the gateway spends 35 µs. So plain
// requests, which are nearly all, are read and answered here: GET, or POST with a Content-Length, in HTTP/1.1, with a
// head that has exactly one reading. A connection that sends anything else is handed to net/http unchanged, with every
// byte read so far, and stays there. This package interprets requests as net/http would, which a fuzz target compares.
// Options.NetHTTP turns this off: then net/http reads all requests.
//
// net/http accepts requests whose end another program could see at a different byte. Its input therefore passes a
// framing check that refuses them with 400, over TLS too: see framing.go. The plain requests above have one reading by
// definition.
package downstream
