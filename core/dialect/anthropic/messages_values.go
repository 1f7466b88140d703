package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// maxTokens bounds what a provider may claim, so that sums do not overflow.
const maxTokens = 1 << 50

// readCount reads a number of tokens; anything else is none.
func readCount(s *splice.Scanner, doc []byte) int64 {
	if n := scan.Count(s, doc); n <= maxTokens {
		return n
	}
	return 0
}
