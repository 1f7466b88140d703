package mcp

import "github.com/headgate-dev/headgate/core"

// Stored is the dialect of a call that was recorded. The headers of its message are not recorded: they were compared
// with the body when the message came in.
type Stored struct{ Call }

var _ core.Dialect = (*Stored)(nil)

// Scan checks the message and finds its texts. It reads no headers: a message that states no version in its body is of
// the legacy era.
func (s *Stored) Scan(x *core.Exchange) *core.Error { return s.scanMessage(x, true) }
