// Package pii finds personal data in text: e-mail addresses, payment cards,
// keys, national numbers and the like, as byte spans with a type and a
// confidence; and it is the stage that puts placeholders in their place.
//
// The engine makes one pass over the bytes. A class table picks the few bytes
// at which a value can be recognised (a digit, an '@', a ':', and for the types
// beyond the first six a capital, '_', '-', '.', '=' and quotes), and only there
// the detectors of the requested types run, as far as the bytes around let them
// hope (gates.go). A detector is one row of a table
// (types.go and the types_ files). Most national numbers are a format and a
// check: format.go. Access keys are rows of keyrules.go.
//
// It may import the standard library, package core and what is below it, the
// phone number metadata of github.com/nyaruka/phonenumbers, the Keccak hash of
// golang.org/x/crypto and, for custom words,
// github.com/petar-dambovaliev/aho-corasick.
package pii
