package proxy

import "time"

// Reason and OneLine are exported for tests.
var (
	Reason  = formatReason
	OneLine = truncateLine
)

// SetKeepAlive changes how long a client waits for a comment.
func (p *Proxy) SetKeepAlive(d time.Duration) { p.keepAlive = d }
