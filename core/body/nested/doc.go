// Package nested follows JSON text that itself stands in a string of JSON text,
// as in a tool's argument that is a serialized object, and tells how often a
// value that is put into it has to be escaped. It goes forward only, so that a
// text in pieces gives what the whole gives.
package nested
