// Package ollama writes requests of Ollama's own chat API and reads its answers,
// whole and streamed. It is the provider's side alone: no client of the gateway
// speaks it.
package ollama
