// Package openai speaks OpenAI's shapes, as a client sends them and as a provider
// answers: chat completions, Responses, embeddings, and for clients alone legacy
// completions. It imports core and its lower floor.
//
// Where both sides speak one shape, bodies are read in one pass over their bytes
// and never re-written as a whole: what the gateway changes is cut into them.
//
// Shapes: https://platform.openai.com/docs/api-reference
package openai
