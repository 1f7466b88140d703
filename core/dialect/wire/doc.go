// Package wire defines how one client shape is translated to another: a Translator reads a
// client's request into the neutral model of core/llm and writes answers back, a Wire does
// the same towards a provider.
package wire
