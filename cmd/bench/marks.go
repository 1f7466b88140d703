package main

import (
	"bytes"
	"time"
)

// seqMark is a place in a prompt where the load generator writes a running number, so that no two requests are alike
// and no cache hits by accident. Its letters stay and its digits change: a bare number of that length might be detected
// as a card or a phone number and be redacted.
const seqMark = "SEQ0000000000"

// seqDigits is how many digits of a mark are rewritten.
const seqDigits = 10

// renumbering says which marks of a prompt get a new number.
type renumbering string

const (
	renumberAll   renumbering = "all"   // nothing in the prompt was seen before
	renumberFirst renumbering = "first" // one message is new, the rest is a history seen before; agents' prompts have only one mark, in the last message
)

// findMarks returns the offsets of the digits of the marks to renumber.
func findMarks(b []byte, r renumbering) []int {
	var at []int
	for i := 0; ; {
		j := bytes.Index(b[i:], []byte(seqMark))
		if j < 0 {
			return at
		}
		i += j + len(seqMark)
		at = append(at, i-seqDigits)
		if r == renumberFirst {
			return at
		}
	}
}

// writeSequence writes n, modulo 10^10, at each of the offsets.
func writeSequence(b []byte, at []int, n uint64) {
	for _, i := range at {
		v := n
		for j := i + seqDigits - 1; j >= i; j-- {
			b[j] = byte('0' + v%10)
			v /= 10
		}
	}
}

// chooseFirstNumber returns the running number with which a load starts: a thousand numbers for each millisecond of the
// clock, so that consecutive loads never share one below a million requests per second. It wraps after 10^7 ms, about
// 2.8 hours.
func chooseFirstNumber(now time.Time) uint64 {
	return uint64(now.UnixMilli()) % 1e7 * 1000
}
