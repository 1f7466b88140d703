// Package anthropic speaks Anthropic's shapes: Messages as a client sends them
// and as a provider answers, the counting of tokens, and the list of models. It
// imports core and its lower floor.
//
// What passes through is read in one pass over its bytes and never re-written as
// a whole: what the gateway changes is cut into it. Thinking blocks are sealed by
// a signature over their text, so no text of theirs is ever shown to a link.
//
// Shapes: https://platform.claude.com/docs/en/api/messages
package anthropic
