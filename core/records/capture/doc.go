// Package capture keeps exchanges on disk, so that a chain can be tried on them later:
// see docs/replay.md. It is off unless the configuration asks for it.
//
// What is kept is the request as the client sent it and the answer as the provider gave
// it, both after a redaction of the recorder's own: no body is written that has not gone
// through it. Records are sealed with AES-256-GCM, one by one, under a key that follows
// from the master key.
//
// A folder holds segments, one for each hour in which something was kept:
//
//	capture-20261121T22Z-<8 hex digits of the process>.hgc
//
// A segment is the line "headgate capture 1\n" and records: the length of what follows,
// four bytes, big endian; a nonce of 12 bytes; the sealed JSON of a Record. The segment's
// name and the record's number, from 0, are sealed in as additional data, so that a
// record cannot be moved, and one that is taken out is noticed.
package capture
