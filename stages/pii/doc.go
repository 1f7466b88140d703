// Package pii finds personal data in text (e-mail addresses, payment cards, keys, national numbers and more) as byte spans
// with a type and a confidence. It is also the stage that replaces them by placeholders.
//
// The engine makes one pass over the bytes. It stops only at triggers: bytes at
// which a value of a requested type can be recognised, in a context that the type
// declares (triggers.go). There it runs the types whose triggers match. A type is one
// row of a table (types.go and the types_ files). Most national numbers are a format and a
// check: format.go. Access keys are rows of key_rules.go.
//
// Files are named by what they find: email, phone, card, iban, ip, url, key, password,
// person, street, crypto, national. Files named number_ or alnum_ read groups of digits and
// letters for all types; candidates.go, merge.go and context.go choose among candidates;
// hold files decide what a stream holds back; stage.go, run.go, action.go and resolve.go are the stage.
//
// It may import the standard library, package core and what is below it, the
// phone number metadata of github.com/nyaruka/phonenumbers and the Keccak hash of
// golang.org/x/crypto.
package pii
