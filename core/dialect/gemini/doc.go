// Package gemini implements Google's generateContent API for clients and providers.
//
// Model and method are in the path and not in the body: the proxy puts the model and
// whether to stream into the head of the exchange before a scan.
//
// Reference: https://ai.google.dev/api/generate-content
package gemini
