package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// maxTokens limits accepted counts, so that sums do not overflow.
const maxTokens = 1 << 50

// readCount reads a number of tokens and returns 0 for any other value.
func readCount(s *splice.Scanner, doc []byte) int64 {
	if n := scan.ReadCount(s, doc); n <= maxTokens {
		return n
	}
	return 0
}
