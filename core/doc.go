// Package core holds the vocabulary and the contracts of the gateway: an
// Exchange passes a Chain of stages on its way to a provider and back.
//
// It imports only its own lower floor (splice, llm, upstream) and the standard
// library, so that every other package can import it. The order in which things
// happen stands in core/gateway/proxy; the words are explained in docs/architecture.md.
package core
