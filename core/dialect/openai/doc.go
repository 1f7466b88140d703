// Package openai implements OpenAI's APIs for clients and providers: chat
// completions, Responses, embeddings and, for clients only, legacy completions.
//
// If client and provider use the same API, a body is scanned in one pass and never
// rewritten as a whole: the gateway's changes are cuts in its bytes.
//
// Reference: https://platform.openai.com/docs/api-reference
package openai
