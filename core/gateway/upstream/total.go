package upstream

import (
	"os"
	"time"
)

// totalError is the timeout of a call that has exceeded its total time.
type totalError struct{}

// ErrTotal means that Timeouts.Total was exceeded. It comes with os.ErrDeadlineExceeded.
var ErrTotal error = totalError{}

func (totalError) Error() string { return "the total time ran out" }
func (totalError) Unwrap() error { return os.ErrDeadlineExceeded }
func (totalError) Timeout() bool { return true }

// measureTimeLeft shortens a limit to the time until end. A limit of zero or less, or a zero end, means none.
func measureTimeLeft(end time.Time, limit time.Duration) time.Duration {
	if end.IsZero() {
		return limit
	}
	if left := max(end.Sub(readClock()), time.Nanosecond); limit <= 0 || left < limit {
		return left
	}
	return limit
}

// setEnd sets the deadline of the connection's next call. Deadlines that the previous call left may be later.
func (c *conn) setEnd(end time.Time) {
	c.end = end
	if end.IsZero() {
		return
	}
	c.setReadDeadline(c.readBy)
	c.setWriteDeadline(c.writeBy)
}

// limitToEnd returns the earlier of a deadline and the end of the call; the zero time means none.
func (c *conn) limitToEnd(t time.Time) time.Time {
	if !c.end.IsZero() && (t.IsZero() || t.After(c.end)) {
		return c.end
	}
	return t
}

// isSpent reports whether the call has used up its total time.
func (c *conn) isSpent() bool { return !c.end.IsZero() && !readClock().Before(c.end) }

// findTimeoutCause returns the cause of a timeout.
func (c *conn) findTimeoutCause() error {
	if c.isSpent() {
		return ErrTotal
	}
	return os.ErrDeadlineExceeded
}
