// budget is the compiled-in stage budget as a plugin: it keeps the budgets of the gateway's records with counters of its own, reserves
// what a call can cost before it is made, and settles what it cost. It passes the stage's own cases (stages/budget/budgettest).
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o budget.wasm .
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() {
	guest.Configure(configure)
	guest.Stage(judge)
}

func main() {}

// settings are those of the link, in the words of the compiled-in stage.
type settings struct {
	DefaultOutput int64  `json:"default_output_tokens"`
	MinOutput     int64  `json:"least_output_tokens"`
	WindowPct     int64  `json:"context_window_warning_pct"`
	HoldText      string `json:"hold"`

	hold time.Duration
}

var config settings

func configure(b []byte) error {
	s := settings{DefaultOutput: 4096, MinOutput: 16, WindowPct: 80, HoldText: "1m"}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	var err error
	if s.hold, err = time.ParseDuration(s.HoldText); err != nil || s.hold < time.Second || s.hold > 24*time.Hour {
		return errors.New("hold: write 1s to 24h")
	}
	switch {
	case s.DefaultOutput < 1:
		return errors.New("default_output_tokens: write 1 or more")
	case s.MinOutput < 0:
		return errors.New("least_output_tokens: write 0 or more")
	case s.WindowPct < 0 || s.WindowPct > 100:
		return errors.New("context_window_warning_pct: write 0 to 100")
	}
	config = s
	return nil
}

func judge(p guest.Phase) error {
	// The budgets of the platform count all tenants together; ids of records are unique, so one set of keys holds all.
	if err := guest.Scope("platform"); err != nil {
		return fmt.Errorf("write grant: {scopes: [platform]}: %w", err)
	}
	switch p {
	case guest.Request:
		return reportStanding()
	case guest.Target:
		if readText(abi.FieldTask) == "count" {
			return nil
		}
		return reserve()
	case guest.Finish:
		return settle()
	}
	return nil
}

// work is what the stage keeps for an exchange.
type work struct {
	Holds []hold `json:"h,omitempty"`
	// Refused is the budget that had no room for the last call.
	Refused string `json:"r,omitempty"`
}

// hold is what was taken for one call.
type hold struct {
	ID    int64   `json:"i"`
	Calls int     `json:"c"` // that were made before
	Parts []part  `json:"p"`
	Costs []int64 `json:"t"`
}

// part is one counter of a hold.
type part struct {
	Money bool   `json:"m,omitempty"`
	Soft  int64  `json:"s,omitempty"`
	Key   string `json:"k,omitempty"` // with Soft
	ID    string `json:"b,omitempty"` // of the budget, with Soft
	Max   int64  `json:"x,omitempty"`
	Ends  int64  `json:"e,omitempty"`
}

func readWork() (w work, err error) {
	if kept := guest.Kept(); len(kept) > 0 {
		err = json.Unmarshal(kept, &w)
	}
	return w, err
}

func (w *work) keep() error {
	b, err := json.Marshal(w)
	if err == nil {
		guest.Keep(b)
	}
	return err
}

func readText(f abi.Field) string {
	s, _ := guest.Field(f)
	return s
}
