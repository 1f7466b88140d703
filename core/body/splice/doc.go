// Package splice cuts bytes into a JSON document so that every byte outside
// the cuts leaves exactly as it came: spacing, key order, number spelling and
// escapes are never re-encoded.
//
// It has three layers. [Scanner] reads a document in one pass, validates it
// and reports where each value lies. [ReadText] and [AppendCuts] translate between the
// raw bytes of a string, under any small number of escape levels, and the text
// a detector sees. [Apply] and [Append] put the replacements in.
//
// Besides the standard library the package imports only zerocopy.
package splice
