package upstream

import (
	"os"
	"time"
)

// totalError is the timeout of a call that has taken its total time.
type totalError struct{}

// ErrTotal says that Timeouts.Total ran out. It comes with os.ErrDeadlineExceeded.
var ErrTotal error = totalError{}

func (totalError) Error() string { return "the total time ran out" }
func (totalError) Unwrap() error { return os.ErrDeadlineExceeded }
func (totalError) Timeout() bool { return true }

// timeUntil shortens a limit to the time until end. A limit of zero or less, and an end of zero, mean none.
func timeUntil(end time.Time, limit time.Duration) time.Duration {
	if end.IsZero() {
		return limit
	}
	if left := max(end.Sub(clock()), time.Nanosecond); limit <= 0 || left < limit {
		return left
	}
	return limit
}

// setEnd sets when the connection's next call must have ended. Deadlines that the call before has left may lie behind it.
func (c *conn) setEnd(end time.Time) {
	c.end = end
	if end.IsZero() {
		return
	}
	c.setRead(c.readBy)
	c.setWrite(c.writeBy)
}

// limitToEnd returns the earlier one of a deadline and the end of the call; the zero time means none.
func (c *conn) limitToEnd(t time.Time) time.Time {
	if !c.end.IsZero() && (t.IsZero() || t.After(c.end)) {
		return c.end
	}
	return t
}

// isSpent reports whether the call has taken its total time.
func (c *conn) isSpent() bool { return !c.end.IsZero() && !clock().Before(c.end) }

// timeoutCause returns the cause of a timeout.
func (c *conn) timeoutCause() error {
	if c.isSpent() {
		return ErrTotal
	}
	return os.ErrDeadlineExceeded
}
