package route

import "time"

// begin is the time at which a clock is first read; nil is the system's.
func begin(now func() time.Time) time.Time {
	if now == nil {
		return time.Now()
	}
	return now()
}

// since is the time that has passed on a clock. Of the system's it reads the monotonic part alone, which is half the
// price: three times a call.
func since(now func() time.Time, start time.Time) time.Duration {
	if now == nil {
		return time.Since(start)
	}
	return max(0, now().Sub(start))
}
