// Package audit is the append-only log of what the gateway did. Records are chained: the hash of each covers the hash of
// the one before it. They are stored in segments, one for each batch of the store's writer: a segment carries the hash
// of its last record and a signature over it, and each record a short keyed tag, so that a change, a gap, another order
// or a cut-off end is found, and Verify names the first record that does not hold.
//
// What it cannot find: records that an attacker with the signing key forged, and the whole database put back to an
// older copy of itself. Who must rule out the second keeps a head (see Report) outside of the machine.
//
// It may import core/records/store and the standard library.
package audit
