// Package cohere encodes requests of Cohere's chat API, version 2, and decodes its
// answers, whole and streamed. It is for providers only.
package cohere
