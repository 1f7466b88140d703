package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// computeShare returns how much of a counter is left, in per cent.
func computeShare(l *guest.Limit) float64 {
	if l.Max <= 0 {
		return 0
	}
	return min(max(100*float64(l.Left)/float64(l.Max), 0), 100)
}

// formatPercent writes a share with at most one decimal place, rounded down.
func formatPercent(p float64) string { return strconv.FormatFloat(math.Floor(p*10)/10, 'f', -1, 64) }

// setHeaders tells how the tightest budget stands: its share, and for how many tokens of the target it still pays.
func (q *question) setHeaders() {
	pct, left := 100.0, int64(math.MaxInt64)
	for i := range q.limits {
		n := q.limits[i].Left
		pct = min(pct, computeShare(&q.limits[i]))
		if q.money[i] {
			dear := max(q.in, q.out)
			if dear == 0 {
				continue
			}
			n /= dear
		}
		left = min(left, n)
	}
	if left != math.MaxInt64 {
		guest.Header("x-budget-remaining-tokens", strconv.FormatInt(max(left, 0), 10))
	}
	guest.Header("x-budget-remaining-pct", formatPercent(pct))
}

// reportStanding sets headers with the state of the budgets before a call. A store that does not answer refuses the call itself, but
// not these lines.
func reportStanding() error {
	q := new(question)
	if q.readBudgets() != nil || len(q.limits) == 0 {
		return nil
	}
	if _, err := guest.Take(q.limits); err == nil {
		q.setHeaders()
	}
	return nil
}

// refuse denies the call, and returns the id of the budget that is used up the most of those without room.
func (q *question) refuse() string {
	worst := -1
	for i := range q.limits {
		if q.limits[i].Short && (worst < 0 || computeShare(&q.limits[i]) < computeShare(&q.limits[worst])) {
			worst = i
		}
	}
	r := &q.records[q.of[worst]]
	hint := ""
	if q.most.Output > 0 && q.limits[worst].Left > 0 {
		hint = "; a shorter prompt or a lower limit for the answer may fit"
	}
	guest.Deny(abi.CodeQuota, "the "+strings.ToLower(r.Period)+" budget "+strconv.Quote(r.Name)+" has no room for this request"+hint+
		"; it resets on "+time.UnixMilli(r.Ends).UTC().Format("2006-01-02 15:04 MST"), 0)
	return r.ID
}

// warnOfWindow warns of a prompt that fills the target's context window. The prompt is counted only if its bytes could be too many.
func warnOfWindow() {
	size, err := strconv.ParseInt(readText(abi.FieldWindow), 10, 64)
	if err != nil || size <= 0 || config.WindowPct == 0 {
		return
	}
	q := new(question)
	if err := q.readCost(); err != nil || q.most.Input <= size*config.WindowPct/100 {
		return
	}
	n, err := strconv.ParseInt(readText(abi.FieldPromptTokens), 10, 64)
	if used := 100 * float64(n) / float64(size); err == nil && used > float64(config.WindowPct) {
		guest.Header("x-context-window-warning", "true")
		guest.Header("x-context-window-utilization", formatPercent(used))
	}
}

// notify emits an event for each counter that has reached its soft limit, once in its period.
func (h *hold) notify() error {
	for i := range h.Parts {
		p := &h.Parts[i]
		if p.Soft == 0 {
			continue
		}
		ends := time.UnixMilli(p.Ends)
		look := []guest.Limit{{Kind: guest.Spend, Key: p.Key, Max: p.Max, Period: config.hold, Ends: ends}}
		if _, err := guest.Take(look); err != nil {
			return err
		}
		if look[0].Spent < p.Max/100*p.Soft {
			continue
		}
		told := "soft:" + p.Key
		if _, ok, err := guest.Get(told); err != nil || ok {
			return err
		}
		if err := guest.Put(told, []byte{1}, 30*24*time.Hour); err != nil {
			return err
		}
		_ = guest.Threshold(p.ID, int(100*float64(look[0].Spent)/float64(p.Max)))
	}
	return nil
}
