// Package bedrock encodes requests of Amazon Bedrock's Converse API and decodes its
// answers, whole and streamed. It is for providers only.
//
// The model is in the URL and not in the body. Converse and ConverseStream have the
// same request body.
package bedrock
