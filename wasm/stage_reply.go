package wasm

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// retryRoles are the roles of messages that a stage may put behind a request.
var retryRoles = map[uint32]llm.Role{
	uint32(abi.RoleSystem): llm.System, uint32(abi.RoleUser): llm.User, uint32(abi.RoleAssistant): llm.Assistant,
}

func handleRetry(c *talk, i *instance, stack []uint64) {
	text := readBytes(i, stack[1], stack[2])
	role, known := retryRoles[uint32(stack[0])]
	c.charge(i, min(len(text), abi.MaxRetryText))
	switch {
	case c.phase != abi.PhaseResponse || !c.waits:
		endWithBreach("it asked the model again where the answer does not wait: only a whole or withheld answer can be replaced")
	case !known:
		endWithBreach("it asked the model again for a role other than system, user or assistant")
	case len(text) == 0 || c.more.messageBytes+len(text) > abi.MaxRetryText || !utf8.Valid(text):
		endWithBreach("it asked the model again with a text that is empty, too long or not UTF-8")
	case len(c.more.messages) == abi.MaxRetry:
		endWithBreach("it asked the model again with more messages than it may")
	}
	if len(c.more.messages) == 0 {
		c.setAction(core.Retry)
	}
	c.more.messageBytes += len(text)
	c.more.messages = append(c.more.messages, llm.Message{Role: role, Parts: []llm.Part{{Kind: llm.TextPart, Text: string(text)}}})
}

func handleRespondBody(c *talk, i *instance, stack []uint64) {
	switch {
	case c.phase != abi.PhaseRequest:
		endWithBreach("it responded in a phase other than the request's")
	case uint32(stack[1]) == 0 || uint32(stack[1]) > abi.MaxBody:
		endWithBreach("it responded with a body that is empty or longer than it may be")
	}
	body := readBytes(i, stack[0], stack[1])
	c.charge(i, len(body))
	if c.s.services.Reply == nil {
		endWithBreach("it responded with a body where nothing can check one")
	}
	c.setAction(core.Answer)
	c.more.body = append([]byte(nil), body...)
}
