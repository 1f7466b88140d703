package wasm

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func handleRule(c *talk, i *instance, stack []uint64) {
	id, reason := readBytes(i, stack[0], stack[1]), readBytes(i, stack[2], stack[3])
	c.charge(i, min(len(reason), abi.MaxMessage))
	switch {
	case c.phase == abi.PhaseFinish:
		endWithBreach("it reported a rule of an exchange that has ended")
	case len(id) > abi.MaxKeyLen || !isPlainRule(id):
		endWithBreach("the id of a rule is not of letters, digits, dots, dashes, slashes and underscores, or is too long")
	case c.more.rules == abi.MaxRules:
		endWithBreach("it reports more rules than it may")
	}
	c.more.rules++
	c.findings = append(c.findings, core.Finding{Label: string(id), Kind: core.FoundPolicy, Score: 1})
	c.more.reason = strings.TrimSpace(stripControls(string(reason[:min(len(reason), abi.MaxMessage)]), abi.MaxMessage))
}

func isPlainRule(id []byte) bool {
	for _, b := range id {
		if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("._-/", b) >= 0) {
			return false
		}
	}
	return len(id) > 0
}
