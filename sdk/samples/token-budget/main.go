// token-budget is a sample stage in Go: it gives each key a number of tokens a day. It
// reserves the maximum that a request may use, and replaces the reservation by the
// actual usage at the end, so that concurrent requests cannot overspend.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -o token-budget.wasm .
//
// The manifest lies beside it, in manifest.yaml: pack it into the module, or copy it
// into the plugins folder as token-budget.wasm.yaml.
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func init() {
	guest.Configure(configure)
	guest.Stage(judge)
}

func main() {}

// settings are those of the link.
type settings struct {
	TokensPerDay int64 `json:"tokens_per_day"`
	// Answer is held for an answer whose client sets no limit.
	Answer int64 `json:"answer_tokens"`
}

var config settings

func configure(b []byte) error {
	config = settings{TokensPerDay: 100_000, Answer: 1000}
	if err := json.Unmarshal(b, &config); err != nil {
		return errors.New("settings: write tokens_per_day: 100000")
	}
	if config.TokensPerDay <= 0 || config.Answer < 0 {
		return errors.New("settings: tokens_per_day must be positive, and answer_tokens not negative")
	}
	return nil
}

func judge(p guest.Phase) error {
	switch p {
	case guest.Request:
		return reserveTokens()
	case guest.Finish:
		return settle()
	}
	return nil
}

const day = 24 * time.Hour

// reserveTokens takes what the request may use.
func reserveTokens() error {
	now := time.UnixMilli(guest.Now()).UTC()
	key, _ := guest.Field(abi.FieldKeyID)
	ends := now.Truncate(day).Add(day)
	most := readNumber(abi.FieldMaxTokens)
	if most == 0 {
		most = config.Answer
	}
	limits := []guest.Limit{{
		Kind: guest.Spend, Key: key + now.Format(":2006-01-02"), Cost: readNumber(abi.FieldEstimate) + most, Max: config.TokensPerDay, Ends: ends,
	}}
	id, err := guest.Take(limits)
	if err != nil {
		return err
	}
	guest.Header("x-tokens-left-today", strconv.FormatInt(max(limits[0].Left, 0), 10))
	if id == 0 {
		guest.Deny(abi.CodeQuota, "the tokens of this key for today are used up", ends.Sub(now))
		return nil
	}
	guest.Keep(binary.LittleEndian.AppendUint64(nil, uint64(id)))
	return nil
}

// settle replaces the reservation by the actual usage.
func settle() error {
	kept := guest.Kept()
	if len(kept) != 8 {
		return nil // nothing was held
	}
	var used struct{ Input, Output int64 }
	text, _ := guest.Field(abi.FieldUsage)
	if err := json.Unmarshal([]byte(text), &used); err != nil {
		return err
	}
	_, err := guest.Settle(int64(binary.LittleEndian.Uint64(kept)), used.Input+used.Output)
	return err
}

func readNumber(f abi.Field) int64 {
	text, _ := guest.Field(f)
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
