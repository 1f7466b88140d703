// Package cohere writes requests of Cohere's chat API, version 2, and reads its
// answers, whole and streamed. It is the provider's side alone: no client of the
// gateway speaks it.
package cohere
