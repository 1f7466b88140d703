// Package chain runs the stages of a chain over an exchange: over its request, its target,
// and its answer, whole or streamed.
package chain
