// Package nested follows JSON text inside JSON strings, such as a tool's argument that is a
// serialized object. A [Scanner] finds the strings and numbers in any text; a [Cursor] says how
// often a value must be escaped at a place. Both only move forward, so a text in pieces gives the
// same result as the whole text.
//
// They are two machines because they answer different questions. The scanner must find strings in
// text that is not JSON, so it never gives up; the cursor must give up at the first byte that no
// JSON text has, or it would escape values in plain text.
package nested
