// Package gemini speaks Google's generateContent shape: as a client sends it, and
// as a provider answers. It imports core and its lower floor.
//
// The model and whether the answer is streamed stand in the path, not in the
// body: the proxy puts both in the head of the exchange before a scan.
//
// Shapes: https://ai.google.dev/api/generate-content
package gemini
