package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// record is a budget that applies to the exchange.
type record struct {
	ID, Name, Period string
	Soft             int64
	Starts, Ends     int64
	Money, Tokens    *struct{ Limit int64 }
}

// question is what a call can cost at most, and the counters that must have room for it.
type question struct {
	records []record
	limits  []guest.Limit
	of      []int  // the record of each
	money   []bool // it counts money

	most struct {
		Input, Output, Thinking, Answers, Appended int64
		Exact                                      bool
		Cost                                       *int64
	}
	in, out int64 // prices of a token
	fixed   int64 // price of the call
	history int64 // tokens of answers that are sent back
	capped  bool  // the answer has to be limited to most.Output
	cut     bool  // which is less than the client asked for
}

var errNoBudgets = errors.New("the gateway does not say which budgets apply: its store does not answer")

// readBudgets reads the budgets that apply, and makes their counters.
func (q *question) readBudgets() error {
	if err := json.Unmarshal([]byte(readText(abi.FieldBudgets)), &q.records); err != nil {
		return errNoBudgets
	}
	for i := range q.records {
		r := &q.records[i]
		key := r.ID + ":" + strconv.FormatInt(r.Starts, 10)
		if r.Money != nil {
			q.add(i, key+":usd", r.Money.Limit, true)
		}
		if r.Tokens != nil {
			q.add(i, key+":tokens", r.Tokens.Limit, false)
		}
	}
	if len(q.limits) > abi.MaxLimits {
		return fmt.Errorf("%d budget counters apply, but a plugin can take from at most %d at once", len(q.limits), abi.MaxLimits)
	}
	return nil
}

// add adds a counter of a record.
func (q *question) add(record int, key string, most int64, money bool) {
	ends := time.UnixMilli(q.records[record].Ends)
	q.limits = append(q.limits, guest.Limit{Kind: guest.Spend, Key: key, Max: most, Period: config.hold, Ends: ends})
	q.of, q.money = append(q.of, record), append(q.money, money)
}

// readCost finds out what the call can cost.
func (q *question) readCost() error {
	if err := json.Unmarshal([]byte(readText(abi.FieldReserve)), &q.most); err != nil {
		return err
	}
	var price struct {
		Input  int64 `json:"input_token"`
		Output int64 `json:"output_token"`
	}
	known := json.Unmarshal([]byte(readText(abi.FieldPrice)), &price) == nil
	q.in, q.out = price.Input, price.Output
	if q.most.Cost != nil {
		q.in, q.out, q.fixed, known = 0, 0, *q.most.Cost, true
	}
	for _, money := range q.money {
		if money && !known {
			return fmt.Errorf("the price of %s/%s is unknown, so the cost of a call is too", readText(abi.FieldProvider), readText(abi.FieldTarget))
		}
	}
	q.cut = q.most.Exact
	if !q.most.Exact && q.most.Output == 0 && readText(abi.FieldTask) == "answer" {
		q.most.Output, q.capped = config.DefaultOutput, true
	}
	q.history = q.most.Output * q.most.Appended
	q.most.Input += q.history
	return nil
}

// maxUnits is the most that a counter takes.
const maxUnits = int64(1) << 52

// multiply multiplies two amounts, at most to maxUnits.
func multiply(a, b int64) int64 {
	if a > 0 && b > maxUnits/a {
		return maxUnits
	}
	return a * b
}

// estimateCost sets what is taken from each counter.
func (q *question) estimateCost() {
	written := multiply(q.most.Output+q.most.Thinking, q.most.Answers)
	for i := range q.limits {
		n := q.most.Input + written
		if q.money[i] {
			n = q.fixed + multiply(q.in, q.most.Input) + multiply(q.out, written)
		}
		q.limits[i].Cost = min(n, maxUnits)
	}
}

// take takes what the call can cost. Without room for the bound by bytes it has the prompt counted; without room for the answer either,
// it shortens the answer to what fits.
func (q *question) take() (id int64, err error) {
	for {
		q.estimateCost()
		if id, err = guest.Take(q.limits); err != nil || id > 0 {
			return id, err
		}
		if !q.most.Exact {
			before := q.most.Input
			counted, err := strconv.ParseInt(readText(abi.FieldInputCount), 10, 64)
			if err != nil {
				return 0, err
			}
			if q.most.Exact, q.most.Input = true, counted+q.history; q.most.Input < before {
				continue
			}
		}
		if q.cut || !q.shorten() {
			return 0, nil
		}
	}
}

// shorten cuts the answer to what every counter has room for, and reports whether that is enough for an answer.
func (q *question) shorten() bool {
	if config.MinOutput == 0 || readText(abi.FieldTask) != "answer" {
		return false
	}
	output := q.most.Output
	for i := range q.limits {
		room := q.limits[i].Left - q.most.Input
		if q.money[i] {
			room = q.limits[i].Left - multiply(q.in, q.most.Input)
			if q.out == 0 && room >= 0 {
				continue
			}
			room /= max(q.out, 1)
		}
		output = min(output, room/max(q.most.Answers, 1)-q.most.Thinking)
	}
	if output < config.MinOutput || output >= q.most.Output {
		return false
	}
	q.most.Output, q.capped, q.cut = output, true, true
	return true
}
