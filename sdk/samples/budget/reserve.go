package main

import (
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// call is a call that was made.
type call struct{ Cost bool }

func readCalls() (calls []call, err error) {
	return calls, json.Unmarshal([]byte(readText(abi.FieldAttempts)), &calls)
}

// reserve holds what a call of the target can cost, or refuses it.
func reserve() error {
	w, err := readWork()
	if err != nil {
		return err
	}
	calls, err := readCalls()
	if err != nil {
		return err
	}
	if err := w.settleUnused(calls); err != nil {
		return err
	}
	warnOfWindow()
	q := new(question)
	if err := q.readBudgets(); err != nil {
		return err
	}
	if len(q.limits) == 0 {
		return w.keep()
	}
	if err := q.readCost(); err != nil {
		return err
	}
	id, err := q.take()
	if err != nil {
		return err
	}
	q.setHeaders()
	if id == 0 {
		w.Refused = q.refuse()
		return w.keep()
	}
	h := hold{ID: id, Calls: len(calls)}
	for i := range q.limits {
		p, r := part{Money: q.money[i]}, &q.records[q.of[i]]
		if r.Soft > 0 {
			p.Soft, p.Key, p.ID, p.Max, p.Ends = r.Soft, q.limits[i].Key, r.ID, q.limits[i].Max, r.Ends
		}
		h.Parts, h.Costs = append(h.Parts, p), append(h.Costs, q.limits[i].Cost)
	}
	w.Holds, w.Refused = append(w.Holds, h), ""
	if q.capped {
		guest.CapTokens(q.most.Output)
	}
	return w.keep()
}

// settleUnused settles the last hold with nothing if its call was not made, or cost nothing.
func (w *work) settleUnused(calls []call) error {
	if len(w.Holds) == 0 {
		return nil
	}
	last := w.Holds[len(w.Holds)-1]
	for _, c := range calls[min(last.Calls, len(calls)):] {
		if c.Cost {
			return nil // settled at the end
		}
	}
	w.Holds = w.Holds[:len(w.Holds)-1]
	_, err := guest.Settle(last.ID, make([]int64, len(last.Parts))...)
	return err
}

// settle replaces what was held with what the exchange cost: all of it with the first hold.
func settle() error {
	w, err := readWork()
	if err != nil {
		return err
	}
	if w.Refused != "" && readText(abi.FieldOutcome) == "blocked" {
		_ = guest.Threshold(w.Refused, 100) // the event is lost, the refusal is not
	}
	calls, err := readCalls()
	if err != nil {
		return err
	}
	var used struct {
		Input, Output int64
		Reported      bool
	}
	if err := json.Unmarshal([]byte(readText(abi.FieldUsage)), &used); err != nil {
		return err
	}
	// If the gateway failed before it counted, the most that the calls can cost is assumed.
	crashed := readText(abi.FieldOutcome) == "crashed" && len(calls) > 0 && used.Input+used.Output == 0 && !used.Reported
	cost, priced := int64(0), readText(abi.FieldCost) != ""
	if priced {
		if cost, err = strconv.ParseInt(readText(abi.FieldCost), 10, 64); err != nil {
			return err
		}
	}
	for k, h := range w.Holds {
		actual := make([]int64, len(h.Parts))
		for i, p := range h.Parts {
			switch {
			case crashed || k == 0 && p.Money && !priced:
				actual[i] = h.Costs[i]
			case k > 0:
			case p.Money:
				actual[i] = max(cost, 0)
			default:
				actual[i] = max(used.Input+used.Output, 0)
			}
		}
		if _, err := guest.Settle(h.ID, actual...); err != nil {
			return err
		}
		if err := h.notify(); err != nil {
			return err
		}
	}
	return nil
}
