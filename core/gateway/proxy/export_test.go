package proxy

import "time"

// Reason and OneLine are exported for tests.
var (
	Reason  = formatReason
	OneLine = truncateLine
)

// SetKeepAlive changes how long a client waits for a comment.
func (p *Proxy) SetKeepAlive(d time.Duration) { p.keepAlive = d }

// SetListenCheck changes how often a stream without end checks that its caller may still listen.
func (p *Proxy) SetListenCheck(d time.Duration) { p.listenCheck = d }

// CountSubscriptions returns the number of subscriptions of all legacy sessions.
func (p *Proxy) CountSubscriptions() int {
	p.subscribed.mu.Lock()
	defer p.subscribed.mu.Unlock()
	return p.subscribed.all
}
