package ratelimit

import (
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Names of the header lines that OpenAI's clients read, as net/http writes them.
var headerNames = [...][3]string{
	requests: {"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	tokens:   {"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
}

// appendHeaders appends the state of the tightest limit on requests and of the tightest on tokens.
func (w *work) appendHeaders(dst []core.Field) []core.Field {
	for u := requests; u <= tokens; u++ {
		tightest := -1
		for i := range w.limits {
			if w.plan.units[i] == u && (tightest < 0 || isTighter(&w.limits[i], &w.limits[tightest])) {
				tightest = i
			}
		}
		if tightest < 0 {
			continue
		}
		l, names := &w.limits[tightest], &headerNames[u]
		dst = append(dst,
			core.Field{Name: names[0], Value: strconv.FormatInt(findBurst(l), 10)},
			core.Field{Name: names[1], Value: strconv.FormatInt(max(l.Left, 0), 10)},
			core.Field{Name: names[2], Value: l.Reset.Truncate(time.Millisecond).String()})
	}
	return dst
}

// findBurst returns how much a limit passes at once.
func findBurst(l *core.Limit) int64 {
	if l.Burst > 0 {
		return l.Burst
	}
	return l.Max
}

// isTighter reports whether a smaller share is left of a than of b. If the shares are equal, the absolute amounts decide.
func isTighter(a, b *core.Limit) bool {
	x, y := float64(a.Left)/float64(findBurst(a)), float64(b.Left)/float64(findBurst(b))
	return x < y || x == y && a.Left < b.Left
}

// patience is how long a client should wait for a free slot of a limit on concurrent requests. When one becomes free is
// unknown.
const patience = time.Second

// newRefusal returns the error of a request that a limit has no room for. Of several limits, it names the one with the
// longest wait.
func (w *work) newRefusal() *core.Error {
	worst, wait := -1, time.Duration(0)
	for i := range w.limits {
		l := &w.limits[i]
		if !l.Short {
			continue
		}
		t := l.Wait
		if l.Kind == core.Concurrent {
			t = patience
		}
		if t < 0 {
			return w.newTooLargeError(i)
		}
		if worst < 0 || t > wait {
			worst, wait = i, t
		}
	}
	e := &core.Error{Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: max(wait, time.Millisecond)}
	l, r := &w.limits[worst], w.plan.rules[worst]
	n, noun := strconv.FormatInt(l.Max, 10), " requests"
	if l.Max == 1 {
		noun = " request"
	}
	switch w.plan.units[worst] {
	case concurrent:
		e.Public = "rate limit reached: " + n + noun + " at the same time " + r.describeShare() + "; try again when one has ended"
	case tokens:
		e.Public = "rate limit reached: " + n + " tokens in " + formatWait(r.Period) + " " + r.describeShare() +
			"; try again in " + formatWait(wait)
	default:
		e.Public = "rate limit reached: " + n + noun + " in " + formatWait(r.Period) + " " + r.describeShare() +
			"; try again in " + formatWait(wait)
	}
	return e
}

// newTooLargeError returns the error of a request that would exceed the limit even after any wait.
func (w *work) newTooLargeError(i int) *core.Error {
	l, r := &w.limits[i], w.plan.rules[i]
	return &core.Error{
		Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: r.Period, NoRetry: true,
		Public: "rate limit reached: this request may take " + strconv.FormatInt(l.Cost, 10) + " tokens, and " +
			strconv.FormatInt(findBurst(l), 10) +
			" are allowed in " + formatWait(r.Period) + " " + r.describeShare() + "; send a shorter prompt, or a lower limit for the answer",
	}
}

// formatWait formats a time in whole seconds, or in milliseconds if it is less than a second. It rounds up, as Retry-After
// does, so that a client that returns after that time passes.
func formatWait(d time.Duration) string {
	unit := time.Second
	if d < unit {
		unit = time.Millisecond
	}
	s := max((d + unit - 1).Truncate(unit), unit).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

// describeShare returns who shares a limit.
func (l *limit) describeShare() string {
	if len(l.Per) == 0 {
		return "for all"
	}
	return "for each " + strings.Join(l.Per, " and ")
}
