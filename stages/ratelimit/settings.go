package ratelimit

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// What a limit is counted by.
const (
	perTenant = "tenant"
	perKey    = "key"
	perModel  = "model"
)

// settings are the stage's block of the configuration.
type settings struct {
	// GlobalRequestsPerSecond limits the requests of all keys together.
	GlobalRequestsPerSecond int64 `yaml:"global_requests_per_second" min:"0" max:"1000000000"`
	// DefaultPerKeyRequestsPerSecond limits the requests of each key.
	DefaultPerKeyRequestsPerSecond int64 `yaml:"default_per_key_requests_per_second" min:"0" max:"1000000000"`
	// DefaultPerKeyTokensPerMinute limits the tokens of each key.
	DefaultPerKeyTokensPerMinute int64 `yaml:"default_per_key_tokens_per_minute" min:"0" max:"1000000000000"`
	// Lease is how long a slot for a concurrent request outlives a gateway that has died, if gateways share their
	// state. Default: 30s.
	Lease time.Duration `yaml:"lease" default:"30s" min:"1s" max:"24h"`
	// Limits are those that the short forms above cannot express.
	Limits []limit `yaml:"limits"`
}

// Defaults are the limits in the short form. 0: no limit.
type Defaults struct {
	GlobalRequestsPerSecond, PerKeyRequestsPerSecond, PerKeyTokensPerMinute int64
}

// Defaults returns them, and whether the stage limits anything at all.
func (s *Stage) Defaults() (d Defaults, enabled bool) { return s.defaults, len(s.rules) > 0 }

// limit is one entry of the list. It applies to exchanges that match each of its lists of patterns.
type limit struct {
	Name       string        `yaml:"name"`       // for refusals; default: derived from per
	Per        []string      `yaml:"per"`        // tenant, key, model: a counter for each; default: one counter for all
	Requests   int64         `yaml:"requests"`   // in each period
	Burst      int64         `yaml:"burst"`      // requests at once; default: requests
	Tokens     int64         `yaml:"tokens"`     // read and written, in each period
	Period     time.Duration `yaml:"period"`     // default: 1m
	Concurrent int64         `yaml:"concurrent"` // at the same time
	Tenants    []string      `yaml:"tenants"`    // patterns
	Keys       []string      `yaml:"keys"`       // patterns over ids and names
	Models     []string      `yaml:"models"`     // patterns for the client's name and the routed one
}

const (
	defaultLease = 30 * time.Second
	minPeriod    = 10 * time.Millisecond
	maxPeriod    = 31 * 24 * time.Hour
	maxRules     = 16
)

// buildRules returns the three short forms and the list together.
func (c *settings) buildRules() ([]limit, error) {
	var all []limit
	if n := c.GlobalRequestsPerSecond; n > 0 {
		all = append(all, limit{Requests: n, Period: time.Second})
	}
	if n := c.DefaultPerKeyRequestsPerSecond; n > 0 {
		all = append(all, limit{Per: []string{perKey}, Requests: n, Period: time.Second})
	}
	if n := c.DefaultPerKeyTokensPerMinute; n > 0 {
		all = append(all, limit{Per: []string{perKey}, Tokens: n, Period: time.Minute})
	}
	for i := range c.Limits {
		l := c.Limits[i]
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("limits[%d]: %w", i, err)
		}
		if l.Name != "" && slices.ContainsFunc(c.Limits[:i], func(o limit) bool { return o.Name == l.Name }) {
			return nil, fmt.Errorf("limits[%d]: duplicate name %q; names of limits must be unique", i, l.Name)
		}
		all = append(all, l)
	}
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	if c.Lease < time.Second || c.Lease > 24*time.Hour {
		return nil, errors.New("lease: write 1s to 24h")
	}
	if len(all) > maxRules {
		return nil, fmt.Errorf("limits: %d are too many; at most %d are allowed", len(all), maxRules)
	}
	return all, nil
}

func (l *limit) check() error {
	for i, p := range l.Per {
		if p != perTenant && p != perKey && p != perModel {
			return fmt.Errorf("per: %q is not one of tenant, key and model", p)
		}
		if slices.Contains(l.Per[:i], p) {
			return fmt.Errorf("per: duplicate %q", p)
		}
	}
	if l.Period == 0 {
		l.Period = time.Minute
	}
	switch {
	case l.Requests < 0 || l.Tokens < 0 || l.Concurrent < 0 || l.Burst < 0:
		return errors.New("a limit must not be negative")
	case l.Requests == 0 && l.Tokens == 0 && l.Concurrent == 0:
		return errors.New("no limit is set; write requests, tokens or concurrent")
	case l.Burst > 0 && l.Requests == 0:
		return errors.New("burst needs a limit of requests; set `requests`")
	case l.Period < minPeriod || l.Period > maxPeriod:
		return fmt.Errorf("period: write %v to %v", minPeriod, maxPeriod)
	}
	return nil
}
