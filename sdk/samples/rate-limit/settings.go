package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// settings are those of the link, in the words of the compiled-in stage.
type settings struct {
	Global    int64 `json:"global_requests_per_second"`
	PerKey    int64 `json:"default_per_key_requests_per_second"`
	KeyTokens int64 `json:"default_per_key_tokens_per_minute"`
	// Lease is how long a place outlives a gateway that has died. Default: 30s.
	Lease  duration `json:"lease"`
	Limits []rule   `json:"limits"`

	rules    []rule
	platform bool // some rule counts tenants together
}

// rule is an entry of limits. It is for exchanges that fit each of its lists of patterns.
type rule struct {
	Name       string   `json:"name"`
	Per        []string `json:"per"` // tenant, key, model
	Requests   int64    `json:"requests"`
	Burst      int64    `json:"burst"`
	Tokens     int64    `json:"tokens"`
	Period     duration `json:"period"` // default: 1m
	Concurrent int64    `json:"concurrent"`
	Tenants    []string `json:"tenants"`
	Keys       []string `json:"keys"`
	Models     []string `json:"models"`
}

// duration is written like 1m30s.
type duration time.Duration

func (d *duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return errors.New("a time is written like 1m30s")
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}

var config settings

func configure(b []byte) error {
	s := settings{Lease: duration(30 * time.Second)}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if lease := time.Duration(s.Lease); lease < time.Second || lease > 24*time.Hour {
		return errors.New("lease: write 1s to 24h")
	}
	for _, short := range []rule{
		{Requests: s.Global, Period: duration(time.Second)},
		{Requests: s.PerKey, Period: duration(time.Second), Per: []string{"key"}},
		{Tokens: s.KeyTokens, Period: duration(time.Minute), Per: []string{"key"}},
	} {
		if short.Requests < 0 || short.Tokens < 0 {
			return errors.New("a limit must not be negative")
		}
		if short.Requests+short.Tokens > 0 {
			s.rules = append(s.rules, short)
		}
	}
	names := map[string]bool{}
	for i, r := range s.Limits {
		if err := r.check(); err != nil {
			return fmt.Errorf("limits[%d]: %w", i, err)
		}
		if r.Name != "" && names[r.Name] {
			return fmt.Errorf("limits[%d]: duplicate name %q; each limit needs a name of its own", i, r.Name)
		}
		names[r.Name] = true
		s.rules = append(s.rules, r)
	}
	return s.use()
}

// use makes the settings those in force.
func (s *settings) use() error {
	counters := 0
	for i := range s.rules {
		r := &s.rules[i]
		s.platform = s.platform || !slices.Contains(r.Per, "tenant") && !slices.Contains(r.Per, "key")
		for _, n := range []int64{r.Requests, r.Tokens, r.Concurrent} {
			if n > 0 {
				counters++
			}
		}
	}
	if counters > abi.MaxLimits {
		return fmt.Errorf("limits: they need %d counters, but a plugin can take from at most %d at once", counters, abi.MaxLimits)
	}
	config = *s
	return nil
}

// check checks a rule and completes it.
func (r *rule) check() error {
	for i, per := range r.Per {
		if !slices.Contains([]string{"tenant", "key", "model"}, per) {
			return fmt.Errorf("per: %q is not one of tenant, key and model", per)
		}
		if slices.Contains(r.Per[:i], per) {
			return fmt.Errorf("per: duplicate %q", per)
		}
	}
	if r.Period == 0 {
		r.Period = duration(time.Minute)
	}
	if min(r.Requests, r.Tokens, r.Concurrent, r.Burst) < 0 {
		return errors.New("a limit must not be negative")
	}
	if r.Requests+r.Tokens+r.Concurrent == 0 {
		return errors.New("no limit is set; write requests, tokens or concurrent")
	}
	if r.Burst > 0 && r.Requests == 0 {
		return errors.New("burst needs a limit of requests")
	}
	if p := time.Duration(r.Period); p < 10*time.Millisecond || p > 31*24*time.Hour {
		return errors.New("period: write 10ms to 744h")
	}
	return nil
}
