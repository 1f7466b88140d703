// Package scan holds the readers that the dialects share: a request and its
// first error, the strings of members that a dialect does not know, the data of
// a streamed event, and single values. Each vendor's folder adds the members
// that it knows.
//
// The readers work on the bytes of a body through a [splice.Scanner] and
// allocate only for strings that contain escapes.
package scan
