// Package license reads licence files and decides what an installation may do with its licence or without one.
//
// A licence is a text that a person can read, with an Ed25519 signature over exactly its bytes: see docs/license.md. No
// state of a licence blocks anything on the data plane.
//
// It imports only the standard library.
package license
