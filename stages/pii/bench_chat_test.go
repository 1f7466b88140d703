package pii

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// chatWords are the words of a support desk, with a number in every dozen.
var chatWords = strings.Fields(`please review the following customer message and write a short polite reply that
 answers every question our records show the order left the warehouse on monday while the invoice says friday so the
 customer wants to know which date is right and whether the refund for the damaged part was already sent to the bank
 account on file also summarise the meeting notes list the open actions with an owner for each and flag anything that
 looks like a risk for the delivery in october the budget was 14500 in may and 15250 in june with 37 items open`)

// chatValues are sprinkled through it, one about every 60 words.
var chatValues = []string{
	"anna.k@example.org", "+49 30 901820", "4539 8245 5345 9855", "DE75 3704 0044 0532 0130 00",
	"198112189876", "j.doe+orders@mail.example.org", "(212) 555-0187", "GB29 NWBK 6016 1331 9268 19",
	"5425709660906571", "536-22-8726", "203.0.113.77", "Mr Erik Johansson, Storgatan 12, 111 22 Stockholm", "EMP-123456",
}

// chat makes a prompt of n bytes as the benchmark of the whole gateway sends it
// (cmd/bench): the same bytes every time, two turns of 4 KB in 8 KB.
func chat(n int) string {
	const turn = 4000
	var b strings.Builder
	r := rand.New(rand.NewPCG(7, uint64(n)))
	for b.Len() < n {
		end := min(n, b.Len()+turn)
		fmt.Fprintf(&b, "Message from %s, ticket %d: card %s, handled by EMP-123456. ", chatValues[0], b.Len(), chatValues[2])
		for w := 1; b.Len() < end; w++ {
			switch {
			case w%60 == 0:
				b.WriteString("Contact: " + chatValues[r.IntN(len(chatValues))] + ". ")
				continue
			default:
				b.WriteString(chatWords[r.IntN(len(chatWords))])
			}
			switch {
			case w%23 == 0:
				b.WriteString(".\n")
			case w%9 == 0:
				b.WriteString(", ")
			default:
				b.WriteByte(' ')
			}
		}
	}
	return b.String()[:n]
}
