// Package anthropic implements Anthropic's APIs: Messages for clients and providers,
// token counting, and the list of models.
//
// A body that passes through is scanned in one pass and never rewritten as a whole:
// the gateway's changes are cuts in its bytes. Thinking blocks are signed over their
// text, so that text never reaches a link.
//
// Reference: https://platform.claude.com/docs/en/api/messages
package anthropic
