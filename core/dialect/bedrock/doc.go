// Package bedrock writes requests of Amazon Bedrock's Converse API and reads its
// answers, whole and streamed. It is the provider's side alone: no client of the
// gateway speaks it.
//
// The model stands in the URL, not in the body, and the bodies of converse and
// converse-stream are the same.
package bedrock
