package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The values that each prompt contains at least once. All are invented; the card is a published test number that passes
// the Luhn check.
const (
	promptEmail    = "anna.lindqvist@example.com"
	promptCard     = "4111 1111 1111 1111"
	promptEmployee = "EMP-123456"
)

// promptSizes are the names of prompts and the sizes of their whole bodies, in bytes. A prompt is within a few dozen
// bytes of its size.
var promptSizes = map[string]int{"1k": 1 << 10, "8k": 8 << 10, "100k": 100 << 10}

// messageBytes is the length, in bytes, at which long prompts are split into turns: they are conversations.
const messageBytes = 4000

var promptWords = strings.Fields(`please review the following customer message and write a short polite reply that
 answers every question our records show the order left the warehouse on monday while the invoice says friday so the
 customer wants to know which date is right and whether the refund for the damaged part was already sent to the bank
 account on file also summarise the meeting notes list the open actions with an owner for each and flag anything that
 looks like a risk for the delivery in october the budget was 14500 in may and 15250 in june with 37 items open`)

// promptPersonal is scattered through the prose, about one per 60 words.
var promptPersonal = []string{
	promptEmail, "+46 70 174 06 05", promptCard, "DE89 3704 0044 0532 0130 00",
	"198112189876", "j.doe+orders@mail.example.org", "(202) 555-0143", "GB82 WEST 1234 5698 7654 32",
	"5555555555554444", "078-05-1120", "192.0.2.44", "Mr Erik Johansson, Storgatan 12, 111 22 Stockholm", promptEmployee,
}

type promptMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type promptBody struct {
	Model         string          `json:"model"`
	Messages      []promptMessage `json:"messages"`
	Temperature   float64         `json:"temperature"`
	MaxTokens     int             `json:"max_tokens"`
	Stream        bool            `json:"stream,omitempty"`
	StreamOptions *streamOptions  `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// buildPrompt builds a chat completion body, or the request of an agent: the same bytes for the same arguments. The first
// piece of personal data in it is email, so that the upstream's echo of the first placeholder must reach the client as
// email.
func buildPrompt(size string, stream bool, email string) ([]byte, error) {
	if size == promptTool {
		return buildToolCall(email)
	}
	if n, ok := agentSizes[size]; ok {
		return buildAgentPrompt(n, stream, email)
	}
	n, ok := promptSizes[size]
	if !ok {
		return nil, fmt.Errorf("no prompt of size %q: want 1k, 8k, 100k, agent_75k, agent_150k, agent_300k, agent_600k or %s", size, promptTool)
	}
	p := promptBody{Model: "gpt-4o-mini", Temperature: 0.2, MaxTokens: 256, Messages: []promptMessage{
		{"system", "You are a careful assistant of the support desk. Answer in at most three sentences."},
	}}
	if stream {
		p.Stream, p.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	r := rand.New(rand.NewPCG(7, uint64(n))) // the bytes have to be the same every time
	left := n - 300
	opening := fmt.Sprintf("Message from %s, ticket %s: card %s, handled by %s. ", email, seqMark, promptCard, promptEmployee)
	for turn := 0; left > 0; turn++ {
		take := min(left, messageBytes)
		role := "user"
		if turn%2 == 1 && left > messageBytes {
			role = "assistant"
		}
		p.Messages = append(p.Messages, promptMessage{role, generateProse(opening, take, r)})
		opening = "Ticket " + seqMark + ". "
		left -= take
	}
	return json.Marshal(p)
}

// generateProse writes about n bytes, after an opening that is always complete.
func generateProse(opening string, n int, r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(opening)
	for w := 1; b.Len() < n; w++ {
		if w%60 == 0 {
			b.WriteString("Contact: " + promptPersonal[r.IntN(len(promptPersonal))] + ". ")
			continue
		}
		b.WriteString(promptWords[r.IntN(len(promptWords))])
		switch {
		case w%23 == 0:
			b.WriteString(".\n")
		case w%9 == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
