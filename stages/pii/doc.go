// Package pii finds personal data in text: e-mail addresses, payment cards,
// national numbers and the like, as byte spans with a type and a confidence.
//
// The engine makes one pass over the bytes. A class table picks the few bytes
// at which a value can be recognised (a digit, an '@', a ':'), and only there
// the detectors of the requested types run. A detector is one row of the table
// in types.go plus one file holding its rules.
//
// It may import the standard library and the phone number metadata of
// github.com/nyaruka/phonenumbers, and, once it is a stage, package core.
package pii
