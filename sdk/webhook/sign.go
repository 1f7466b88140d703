package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Headers of a call and, but for HeaderPrevious, of its reply.
const (
	// HeaderTimestamp holds the time of the call, in seconds since 1970 UTC.
	HeaderTimestamp = "Headgate-Timestamp"
	// HeaderNonce holds 32 hex digits that are never used twice.
	HeaderNonce = "Headgate-Nonce"
	// HeaderSignature holds the signature, v1= and 64 hex digits.
	HeaderSignature = "Headgate-Signature"
	// HeaderPrevious holds a signature under the secret that is being replaced,
	// until receivers have the new one.
	HeaderPrevious = "Headgate-Signature-Previous"
)

// Headers of an event beside those of a call. They are not signed: the body says
// the same.
const (
	HeaderEvent    = "Headgate-Event"
	HeaderDelivery = "Headgate-Delivery"
	// HeaderAttempt counts the calls of one delivery from 1.
	HeaderAttempt = "Headgate-Attempt"
)

// Direction tells what is signed, so that a call cannot be sent back as its own
// reply.
type Direction string

// Directions.
const (
	Call  Direction = "call"
	Reply Direction = "reply"
	Told  Direction = "event" // an event, which has no signed reply
)

// scheme begins a signature. Another algorithm would have another one.
const scheme = "v1="

// Sign gives the signature of a body: HMAC-SHA256 under the secret over
//
//	headgate-webhook-v1 LF direction LF timestamp LF nonce LF body
//
// A reply is signed with the timestamp and the nonce of its call, which ties it
// to that call.
func Sign(secret string, d Direction, timestamp int64, nonce string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	head := make([]byte, 0, 96)
	head = append(head, "headgate-webhook-v1\n"...)
	head = append(append(head, d...), '\n')
	head = append(strconv.AppendInt(head, timestamp, 10), '\n')
	head = append(append(head, nonce...), '\n')
	_, _ = m.Write(head) // a hash never fails
	_, _ = m.Write(body)
	return scheme + hex.EncodeToString(m.Sum(nil))
}

// Matches compares a signature with the right one, in constant time.
func Matches(secret string, d Direction, timestamp int64, nonce string, body []byte, signature string) bool {
	return secret != "" && hmac.Equal([]byte(Sign(secret, d, timestamp, nonce, body)), []byte(strings.ToLower(signature)))
}
