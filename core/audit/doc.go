// Package audit is the append-only log of what the gateway did. Each record carries the hash of itself and of the
// record before it, and a signature over that hash, so that a change, a gap, another order or a cut-off end is found
// and named by Verify.
//
// What it cannot find: records that an attacker with the signing key forged, and the whole database put back to an
// older copy of itself. Who must rule out the second keeps a head (see Report) outside of the machine.
//
// It may import core/store and the standard library.
package audit
