package budget

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// question is what a call can cost, and the counters that must have room for it.
type question struct {
	limits []core.Limit
	whose  []counter

	in, out int64 // prices of a token
	priced  bool
	input   int64 // tokens of the prompt, at most
	exact   bool  // they were counted by the tokenizer
	history int64 // tokens beside them: answers that are sent back, to be given again
	output  int64 // tokens of one answer, at most
	more    int64 // tokens beside them: what is thought before an answer
	answers int64
	capped  bool // the answer is to be no longer than output
	cut     bool // which is shorter than what was asked for
}

// ask finds the budgets that hold for a call of the exchange's target, and what it
// can cost.
func (s *Stage) ask(x *core.Exchange, q *question) error {
	money := s.fitting(x, q)
	if len(q.limits) == 0 {
		return nil
	}
	if s.prices != nil {
		q.in, q.out, q.priced = s.prices.PerToken(x.Target.Provider, x.Target.Model)
	}
	if money && !q.priced {
		return fmt.Errorf(
			"the price of %s/%s is unknown, so the cost of a call is too; write one under pricing",
			x.Target.Provider,
			x.Target.Model,
		)
	}
	q.answers = max(x.Head.Each, 1)
	if x.Head.Task == llm.TaskAnswer {
		s.bound(x, q)
	}
	q.history = q.output * int64(len(x.Appended)) // each is the answer to one that is sent back with it
	q.input = inputBound(x) + q.history
	return nil
}

// fitting finds the counters of the budgets that hold for an exchange, and whether
// one of them is of money.
func (s *Stage) fitting(x *core.Exchange, q *question) (money bool) {
	*q = question{limits: q.limits[:0], whose: q.whose[:0]}
	now := s.now()
	for _, a := range s.accounts() {
		if !a.Fits(x) {
			continue
		}
		for k, l := range a.limits(now) {
			l.Period = s.Hold
			m := k == 0 && a.Limit >= 0
			money = money || m
			q.limits, q.whose = append(q.limits, l), append(q.whose, counter{a, m})
		}
	}
	return money
}

// bound finds the longest answer.
func (s *Stage) bound(x *core.Exchange, q *question) {
	if q.output = x.Head.MaxTokens; q.output == 0 {
		q.output = s.cap
	}
	if c := x.TokenCap(); c > 0 && (q.output == 0 || c < q.output) {
		q.output = c
	}
	if q.output == 0 {
		q.output, q.capped = s.DefaultOutput, true
	}
	// A translation to one of these shapes adds to the limit what is thought before.
	if w := x.Target.Wire; x.Head.Effort != "" && (w == "anthropic.messages" || w == "bedrock.converse") && x.Dialect != w {
		q.more = thinkingTokens
	}
}

// cost sets what is taken from each counter.
func (q *question) cost() {
	written := times(q.output+q.more, q.answers)
	for i := range q.limits {
		l := &q.limits[i]
		if q.whose[i].money {
			l.Cost = min(times(q.in, q.input)+times(q.out, written), mostUnits)
		} else {
			l.Cost = min(q.input+written, mostUnits)
		}
	}
}

// crowds reports whether the bound by bytes would come within a tenth of a limit, as far
// as this gateway knows, and takes so much of what is left that requests at the same
// time would be refused for it.
func (q *question) crowds() bool {
	for i := range q.limits {
		l := &q.limits[i]
		left := q.whose[i].last().Load()
		if left != unknown && left-l.Cost < l.Max/10 && left/crowdedShare < l.Cost {
			return true
		}
	}
	return false
}

// crowdedShare is the part of what is left that a request may hold by its bytes alone:
// fewer requests at once than that do not have to be counted.
const crowdedShare = 16

// hold takes what the call can cost. Where there is no room for the bound by bytes
// the prompt is counted, and where there is none for the answer as asked for, it is
// cut down to what there is room for.
func (s *Stage) hold(ctx context.Context, x *core.Exchange, q *question) (ok bool, err error) {
	q.cost()
	if q.crowds() {
		q.count(x)
	}
	for {
		if ok, err = s.state.Take(ctx, q.limits); err != nil {
			return false, err
		}
		for i := range q.limits {
			q.whose[i].last().Store(q.limits[i].Left)
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

// count puts the tokenizer's count in the place of the bytes.
func (q *question) count(x *core.Exchange) int64 {
	q.exact, q.input = true, countedInput(x)+q.history
	q.cost()
	return q.input
}

// shorten cuts the answer down to what every counter has room for, and reports
// whether that is enough for an answer.
func (s *Stage) shorten(x *core.Exchange, q *question) bool {
	if s.LeastOutput == 0 || x.Head.Task != llm.TaskAnswer {
		return false
	}
	output := q.output
	for i := range q.limits {
		l := &q.limits[i]
		room := l.Left - q.input
		if q.whose[i].money {
			if room = l.Left - times(q.in, q.input); q.out > 0 {
				room /= q.out
			} else if room >= 0 {
				continue
			}
		}
		output = min(output, room/q.answers-q.more)
	}
	if output < s.LeastOutput || output >= q.output {
		return false
	}
	q.output, q.capped, q.cut = output, true, true
	q.cost()
	return true
}

// short is the budget that had no room: the one that is used up the most.
func (q *question) short() *account {
	worst := -1
	for i := range q.limits {
		if q.limits[i].Short && (worst < 0 || q.limits[i].PctLeft() < q.limits[worst].PctLeft()) {
			worst = i
		}
	}
	return q.whose[worst].account
}
