package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// computeBurst returns how much a counter lets through at once.
func (c *counter) computeBurst() int64 {
	if c.Burst > 0 {
		return c.Burst
	}
	return c.Max
}

// computeShare returns the part of a counter that is left.
func (c *counter) computeShare() float64 { return float64(c.Left) / float64(c.computeBurst()) }

// isTighter reports whether a smaller part of c is left than of other, or less of the same part.
func (c *counter) isTighter(other *counter) bool {
	mine, others := c.computeShare(), other.computeShare()
	return mine < others || mine == others && c.Left < other.Left
}

// setHeaders tells the client how the tightest counters of requests and of tokens stand, in OpenAI's headers.
func setHeaders(counters []counter) {
	for u, word := range []string{requests: "requests", tokens: "tokens"} {
		var tight *counter
		for i := range counters {
			c := &counters[i]
			if c.unit == unit(u) && (tight == nil || c.isTighter(tight)) {
				tight = c
			}
		}
		if tight == nil {
			continue
		}
		guest.Header("x-ratelimit-limit-"+word, strconv.FormatInt(tight.computeBurst(), 10))
		guest.Header("x-ratelimit-remaining-"+word, strconv.FormatInt(max(tight.Left, 0), 10))
		guest.Header("x-ratelimit-reset-"+word, tight.Reset.String())
	}
}

// refuse denies a request for which a counter has no room: of several, for the one with the longest wait.
func refuse(counters []counter) {
	var worst *counter
	var wait time.Duration
	for i := range counters {
		c := &counters[i]
		if !c.Short {
			continue
		}
		w := c.Wait
		if c.unit == places {
			w = time.Second // when a place comes free is not known
		}
		if w < 0 {
			period := time.Duration(c.rule.Period)
			text := fmt.Sprintf("rate limit reached: this request may take %d tokens, and %d are allowed in %s %s; "+
				"send a shorter prompt, or a lower limit for the answer", c.Cost, c.computeBurst(), formatWait(period), c.rule.describeShare())
			guest.DenyForGood(abi.CodeRateLimit, text, period)
			return
		}
		if worst == nil || w > wait {
			worst, wait = c, w
		}
	}
	noun := "requests"
	if worst.unit == tokens {
		noun = "tokens"
	} else if worst.Max == 1 {
		noun = "request"
	}
	in, again := "in "+formatWait(time.Duration(worst.rule.Period)), "try again in "+formatWait(wait)
	if worst.unit == places {
		in, again = "at the same time", "try again when one has ended"
	}
	text := fmt.Sprintf("rate limit reached: %d %s %s %s; %s", worst.Max, noun, in, worst.rule.describeShare(), again)
	guest.Deny(abi.CodeRateLimit, text, max(wait, time.Millisecond))
}

// formatWait writes a time in whole seconds, or in milliseconds below one second, rounded up.
func formatWait(d time.Duration) string {
	unit := time.Second
	if d < unit {
		unit = time.Millisecond
	}
	text := max((d + unit - 1).Truncate(unit), unit).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		return short + "m"
	}
	return text
}

// describeShare says who shares a rule's counters.
func (r *rule) describeShare() string {
	if len(r.Per) == 0 {
		return "for all"
	}
	return "for each " + strings.Join(r.Per, " and ")
}
