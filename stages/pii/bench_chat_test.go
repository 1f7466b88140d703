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
	"anna.lindqvist@example.com", "+46 70 174 06 05", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00",
	"198112189876", "j.doe+orders@mail.example.org", "(202) 555-0143", "GB82 WEST 1234 5698 7654 32",
	"5555555555554444", "078-05-1120", "192.0.2.44", "Mr Erik Johansson, Storgatan 12, 111 22 Stockholm", "EMP-123456",
}

// chat makes a prompt of n bytes as the benchmark of the whole gateway sends it
// (cmd/bench): the same bytes every time.
func chat(n int) string { return strings.Join(chatTurns(n), "")[:n] }

// chatTurns are the messages of the prompt, of some 4 KB each.
func chatTurns(n int) (turns []string) {
	const turn = 4000
	r := rand.New(rand.NewPCG(7, uint64(n)))
	opening := fmt.Sprintf("Message from %s, ticket SEQ0000004711: card %s, handled by EMP-123456. ", chatValues[0], chatValues[2])
	for left := n; left > 0; left -= turn {
		var b strings.Builder
		b.WriteString(opening)
		for w := 1; b.Len() < min(left, turn); w++ {
			if w%60 == 0 {
				b.WriteString("Contact: " + chatValues[r.IntN(len(chatValues))] + ". ")
				continue
			}
			b.WriteString(chatWords[r.IntN(len(chatWords))])
			switch {
			case w%23 == 0:
				b.WriteString(".\n")
			case w%9 == 0:
				b.WriteString(", ")
			default:
				b.WriteByte(' ')
			}
		}
		turns = append(turns, b.String())
		opening = "Ticket SEQ0000004711. "
	}
	return turns
}
