package budget

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// question is the maximum cost of a call, and the counters that must have room for it.
type question struct {
	limits []core.Limit
	whose  []counter

	in, out int64 // prices per token
	fixed   int64 // price of the call itself
	priced  bool
	input   int64 // maximum tokens of the prompt
	exact   bool  // the tokenizer counted them
	history int64 // additional tokens: earlier answers that are sent back with a repeated call
	output  int64 // maximum tokens of one answer
	more    int64 // additional tokens: thinking before an answer
	answers int64
	capped  bool // the answer is limited to output
	cut     bool // that is less than the client requested
}

// fillQuestion finds the budgets that apply to a call of the exchange's target, and what it can cost.
func (s *Stage) fillQuestion(x *core.Exchange, q *question) error {
	money := s.findCounters(x, q)
	if len(q.limits) == 0 {
		return nil
	}
	if x.Head.Task.IsPeer() { // its own price, and no tokens
		if s.calls != nil {
			q.fixed = s.calls.PriceCall(x.Target.Provider, x.Target.Model)
		}
		q.exact, q.cut = true, true
		return nil
	}
	if s.prices != nil {
		q.in, q.out, q.priced = s.prices.FindPerToken(x.Target.Provider, x.Target.Model)
	}
	if money && !q.priced {
		return fmt.Errorf(
			"the price of %s/%s is unknown, so the cost of a call is too; write one under pricing",
			x.Target.Provider,
			x.Target.Model,
		)
	}
	if x.Head.Task.IsBounded() { // the dialect says what a call can use
		if p := s.findPrice(&x.Target); p != nil {
			q.in, q.out, q.fixed = 0, 0, min(p.ComputeCost(x.Head.MaxUsage).Total(), bound.MaxUnits)
		}
		q.exact, q.cut, q.answers = true, true, 1
		q.input, q.output = x.Head.MaxUsage.Input, x.Head.MaxUsage.Output
		return nil
	}
	q.answers = max(x.Head.AnswersPerPrompt, 1)
	switch x.Head.Task {
	case llm.TaskAnswer:
		s.boundAnswer(x, q)
	case llm.TaskCompact:
		q.output = x.Head.MaxUsage.Output
	}
	q.history = q.output * int64(len(x.Appended)) // each is the answer to an earlier attempt, and is sent back
	q.input = bound.BoundInput(x) + q.history
	return nil
}

// findPrice returns the price of a target's model, or nil if it is unknown.
func (s *Stage) findPrice(t *core.TargetRef) *price.Price {
	if s.prices == nil {
		return nil
	}
	return s.prices.FindPrice(t.Provider, t.Model)
}

// findCounters finds the counters of the budgets that apply to an exchange. It reports whether one of them counts money.
func (s *Stage) findCounters(x *core.Exchange, q *question) (money bool) {
	*q = question{limits: q.limits[:0], whose: q.whose[:0]}
	now := s.now()
	for _, a := range s.listAccounts() {
		if !a.Fits(x) {
			continue
		}
		for k, l := range a.listLimits(now) {
			l.Period = s.Hold
			m := k == 0 && a.Limit >= 0
			money = money || m
			q.limits, q.whose = append(q.limits, l), append(q.whose, counter{a, m})
		}
	}
	return money
}

// boundAnswer determines the length of the longest answer.
func (s *Stage) boundAnswer(x *core.Exchange, q *question) {
	if q.output = bound.BoundOutput(x, s.cap); q.output == 0 {
		q.output, q.capped = s.DefaultOutput, true
	}
	q.more = bound.BoundThinking(x)
}

// estimateCost sets what is taken from each counter.
func (q *question) estimateCost() {
	written := bound.Multiply(q.output+q.more, q.answers)
	for i := range q.limits {
		l := &q.limits[i]
		if q.whose[i].money {
			l.Cost = min(q.fixed+bound.Multiply(q.in, q.input)+bound.Multiply(q.out, written), bound.MaxUnits)
		} else {
			l.Cost = min(q.input+written, bound.MaxUnits)
		}
	}
}

// crowds reports whether the bound by bytes would come within a tenth of a limit, as far as this gateway knows, and
// takes so much of what is left that concurrent requests would be refused because of it.
func (q *question) crowds() bool {
	for i := range q.limits {
		l := &q.limits[i]
		left := q.whose[i].findLastSeen().Load()
		if left != unknown && left-l.Cost < l.Max/10 && left/crowdedShare < l.Cost {
			return true
		}
	}
	return false
}

// crowdedShare sets which share of what is left a request may hold by its bytes alone: one in so many. Fewer concurrent
// requests than that need not be counted.
const crowdedShare = 16

// reserveCost takes what the call can cost. If there is no room for the bound by bytes, it counts the prompt; if there
// is no room for the requested answer either, it shortens the answer to what fits.
func (s *Stage) reserveCost(ctx context.Context, x *core.Exchange, q *question) (ok bool, err error) {
	q.estimateCost()
	if !q.exact && q.crowds() {
		q.count(x)
	}
	for {
		if ok, err = s.state.Take(ctx, q.limits); err != nil {
			return false, err
		}
		for i := range q.limits {
			q.whose[i].findLastSeen().Store(q.limits[i].Left)
		}
		if ok {
			return true, nil
		}
		if !q.exact {
			if before := q.input; q.count(x) < before {
				continue
			}
		}
		if q.cut || !s.shorten(x, q) {
			return false, nil
		}
	}
}

// count replaces the bound by bytes with the tokenizer's count.
func (q *question) count(x *core.Exchange) int64 {
	q.exact, q.input = true, bound.CountInput(x)+q.history
	q.estimateCost()
	return q.input
}

// shorten cuts the answer to what every counter has room for, and reports whether that is enough for an answer.
func (s *Stage) shorten(x *core.Exchange, q *question) bool {
	if s.MinOutput == 0 || x.Head.Task != llm.TaskAnswer {
		return false
	}
	output := q.output
	for i := range q.limits {
		l := &q.limits[i]
		room := l.Left - q.input
		if q.whose[i].money {
			if room = l.Left - bound.Multiply(q.in, q.input); q.out > 0 {
				room /= q.out
			} else if room >= 0 {
				continue
			}
		}
		output = min(output, room/q.answers-q.more)
	}
	if output < s.MinOutput || output >= q.output {
		return false
	}
	q.output, q.capped, q.cut = output, true, true
	q.estimateCost()
	return true
}

// chooseExhausted returns the budget that had no room, or the most exhausted of several.
func (q *question) chooseExhausted() *account {
	worst := -1
	for i := range q.limits {
		if q.limits[i].Short && (worst < 0 || q.limits[i].PctLeft() < q.limits[worst].PctLeft()) {
			worst = i
		}
	}
	return q.whose[worst].account
}
