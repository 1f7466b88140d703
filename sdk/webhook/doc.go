// Package webhook is for receivers of Headgate's webhook guardrails: it checks
// that a call comes from the gateway, hands it over, and signs the reply. It
// imports the standard library alone. README.md tells the wire format to those
// who write a receiver in another language.
package webhook
