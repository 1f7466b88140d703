// Package openai speaks OpenAI's shapes: chat completions as a client sends
// them and as a provider answers. It imports core and its lower floor.
//
// Bodies are read in one pass over their bytes and never re-written as a whole:
// what the gateway changes is cut into them.
//
// Shapes: https://platform.openai.com/docs/api-reference/chat
package openai
