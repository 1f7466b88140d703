package cache

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Where answers are stored.
const (
	storeMemory = "memory" // in this process
	storeShared = "shared" // in the gateway's state store, which nodes share through Redis
)

// settings are the stage's block of the configuration. Sizes are in bytes.
type settings struct {
	Store         string        `yaml:"store"`            // memory or shared
	TTL           time.Duration `yaml:"ttl"`              // how long an answer is reused
	MaxBytes      int64         `yaml:"max_bytes"`        // of all answers in memory
	MaxTenant     int64         `yaml:"max_tenant_bytes"` // of one tenant's answers in memory
	MaxEntry      int64         `yaml:"max_entry_bytes"`  // of one answer; a larger one is not stored
	Wait          time.Duration `yaml:"wait"`             // how long a request waits for an equal one in progress
	SharedTimeout time.Duration `yaml:"shared_timeout"`   // of one call to the shared store
	// MaxTemperature is the highest temperature of a request that is answered from the cache. A request without a
	// temperature has the provider's default, which counts as 1.
	MaxTemperature *float64 `yaml:"max_temperature"`
	// SingleOnly excludes requests for more than one answer.
	SingleOnly bool `yaml:"single_only"`
	// Tools are globs of server/tool. Results of these tools are reused, if their trusted definitions say that they are
	// read-only. Empty: no result of a tool is.
	Tools []string `yaml:"tools"`
	// Generation is part of every key. Changing it makes the answers in the shared store unreachable.
	Generation string `yaml:"generation"`
}

const (
	defaultTTL           = time.Hour
	defaultMaxBytes      = 64 << 20
	defaultMaxEntry      = 1 << 20
	defaultWait          = 10 * time.Second
	defaultSharedTimeout = 250 * time.Millisecond
)

// complete sets defaults and refuses invalid settings.
func (c *settings) complete() error {
	switch c.Store {
	case "":
		c.Store = storeMemory
	case storeMemory, storeShared:
	default:
		return fmt.Errorf("store %q: write %s or %s", c.Store, storeMemory, storeShared)
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{{"ttl", &c.TTL, defaultTTL}, {"wait", &c.Wait, defaultWait}, {"shared_timeout", &c.SharedTimeout, defaultSharedTimeout}} {
		if *d.value < 0 {
			return fmt.Errorf("%s is negative: write a time such as %s", d.name, d.usual)
		}
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.MaxTenant == 0 {
		c.MaxTenant = c.MaxBytes
	}
	if c.MaxEntry == 0 {
		c.MaxEntry = min(defaultMaxEntry, c.MaxTenant)
	}
	for _, glob := range c.Tools {
		if server, tool, ok := strings.Cut(glob, "/"); !ok || server == "" || tool == "" || strings.Contains(tool, "/") {
			return fmt.Errorf("tools: %q names no tool of a server: write server/tool, such as search/find_*", glob)
		}
	}
	switch {
	case len(c.Tools) > 0 && c.Store == storeShared:
		return errors.New("tools: results are stored as servers sent them, and the shared store is not encrypted; write store: memory")
	case c.MaxBytes < 0 || c.MaxTenant < 0 || c.MaxEntry < 0:
		return errors.New("max_bytes, max_tenant_bytes and max_entry_bytes are sizes in bytes: write 1 or more")
	case c.MaxTenant > c.MaxBytes:
		return fmt.Errorf("max_tenant_bytes (%d) is more than max_bytes (%d): write less", c.MaxTenant, c.MaxBytes)
	case c.MaxEntry > c.MaxTenant:
		return fmt.Errorf("max_entry_bytes (%d) is more than max_tenant_bytes (%d): write less", c.MaxEntry, c.MaxTenant)
	case c.MaxTemperature != nil && (*c.MaxTemperature < 0 || *c.MaxTemperature > 2):
		return errors.New("max_temperature: write a number from 0 to 2, or omit it")
	}
	return nil
}
