// rate-limit is the compiled-in stage ratelimit as a plugin: it has the same settings, and passes the same cases
// (stages/ratelimit/ratelimittest).
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o rate-limit.wasm .
//
// A limit that is not counted for each tenant or key counts all tenants together: the link grants `scopes: [platform]`.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() {
	guest.Configure(configure)
	guest.Stage(judge)
}

func main() {}

// platform is the scope of the counters of a configuration that counts tenants together.
const platform = "platform"

func judge(p guest.Phase) error {
	if len(config.rules) == 0 || p != guest.Request && p != guest.Finish {
		return nil
	}
	if config.platform {
		if err := guest.Scope(platform); err != nil {
			return fmt.Errorf("a limit counts all tenants together: write grant: {scopes: [platform]}: %w", err)
		}
	}
	if p == guest.Finish {
		return settle()
	}
	return take()
}

// take takes from all limits of the caller, or refuses the request.
func take() error {
	c := readCaller()
	counters := config.listCounters(&c)
	if len(counters) == 0 {
		return nil
	}
	limits := make([]guest.Limit, len(counters))
	for i := range counters {
		limits[i] = counters[i].Limit
		if limits[i].Cost = 1; counters[i].unit == tokens {
			limits[i].Cost = c.estimate
		}
	}
	hold, err := guest.Take(limits)
	if err != nil {
		return err
	}
	for i := range counters {
		counters[i].Limit = limits[i]
	}
	setHeaders(counters)
	if hold == 0 {
		refuse(counters)
		return nil
	}
	kept := binary.LittleEndian.AppendUint64(nil, uint64(hold))
	for i := range counters {
		kept = append(kept, byte(counters[i].unit))
	}
	guest.Keep(kept)
	return nil
}

// settle replaces the tokens that were taken by those that were used. A request that was let through counts in any case.
func settle() error {
	kept := guest.Kept()
	if len(kept) < 8 {
		return nil // nothing was taken
	}
	spent, err := countUsedTokens()
	if err != nil {
		return err
	}
	used := make([]int64, len(kept)-8)
	for i := range used {
		if used[i] = 1; unit(kept[8+i]) == tokens {
			used[i] = spent
		}
	}
	_, err = guest.Settle(int64(binary.LittleEndian.Uint64(kept)), used...)
	return err
}

// countUsedTokens returns how many tokens the calls of the exchange used. An answer that no provider gave used none.
func countUsedTokens() (int64, error) {
	if calls, _ := guest.Field(abi.FieldAttempts); calls == "[]" {
		return 0, nil
	}
	var used struct{ Input, Output int64 }
	text, _ := guest.Field(abi.FieldUsage)
	if err := json.Unmarshal([]byte(text), &used); err != nil {
		return 0, err
	}
	return max(used.Input+used.Output, 0), nil
}
