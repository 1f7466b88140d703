package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// unit is what a counter counts.
type unit byte

const (
	requests unit = iota
	tokens
	places
)

// counter is one counter of a rule for a caller.
type counter struct {
	guest.Limit
	rule *rule
	unit unit
}

// caller is what rules go by.
type caller struct {
	tenant, id, lineage, name, model, bare string
	estimate                               int64 // tokens
}

func readCaller() (c caller) {
	for f, to := range map[abi.Field]*string{
		abi.FieldTenant: &c.tenant, abi.FieldKeyID: &c.id, abi.FieldLineage: &c.lineage, abi.FieldKeyName: &c.name,
		abi.FieldModel: &c.model, abi.FieldBareModel: &c.bare,
	} {
		*to, _ = guest.Field(f)
	}
	var reserve struct{ Estimate int64 }
	text, _ := guest.Field(abi.FieldReserve)
	if json.Unmarshal([]byte(text), &reserve) == nil {
		c.estimate = reserve.Estimate
	}
	return c
}

// listCounters lists the counters of the rules that apply to a caller.
func (s *settings) listCounters(c *caller) (out []counter) {
	for i := range s.rules {
		r := &s.rules[i]
		if !r.applies(c) {
			continue
		}
		name := r.Name
		if name == "" {
			name = strconv.Itoa(i)
		}
		key, period := name+":"+r.buildShareKey(c), time.Duration(r.Period)
		if r.Requests > 0 {
			out = append(out, counter{guest.Limit{Kind: guest.Rate, Key: key, Max: r.Requests, Burst: r.Burst, Period: period}, r, requests})
		}
		if r.Tokens > 0 {
			out = append(out, counter{guest.Limit{Kind: guest.Rate, Key: "t:" + key, Max: r.Tokens, Period: period}, r, tokens})
		}
		if r.Concurrent > 0 {
			out = append(out, counter{guest.Limit{Kind: guest.Concurrent, Key: key, Max: r.Concurrent, Period: time.Duration(s.Lease)}, r, places})
		}
	}
	return out
}

func (r *rule) applies(c *caller) bool {
	return fits(r.Tenants, match.MatchesGlob, c.tenant) && fits(r.Keys, match.MatchesGlob, c.lineage, c.id, c.name) &&
		fits(r.Models, match.MatchesModel, c.model, c.bare)
}

// fits reports whether one of the patterns matches one of the names, or there are no patterns.
func fits(patterns []string, matches func(pattern, name string) bool, names ...string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n != "" && matches(p, n) })
	})
}

// maxKeyLength leaves room for what the host puts before a key.
const maxKeyLength = 128

// buildShareKey is the part of a counter's key that says for whom it counts. Long ones are hashed: clients choose the names of models.
func (r *rule) buildShareKey(c *caller) string {
	var b strings.Builder
	for _, per := range r.Per {
		switch per {
		case "tenant":
			b.WriteString(c.tenant)
		case "key":
			b.WriteString(c.tenant + "/" + c.lineage)
		case "model":
			b.WriteString(strings.ToLower(c.bare))
		}
		b.WriteByte('|')
	}
	if b.Len() <= maxKeyLength {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}
