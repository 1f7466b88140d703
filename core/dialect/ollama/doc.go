// Package ollama encodes requests of Ollama's own chat API and decodes its answers,
// whole and streamed. It is for providers only.
package ollama
