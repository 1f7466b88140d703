// Package figures counts what detectors find in texts, with confidence intervals, and compares the counts with those of a file in the
// repository, so that a test fails when a detector becomes worse.
package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Share counts trials and those of them that hit.
type Share struct{ Hits, N int }

// Add counts a trial.
func (s *Share) Add(hit bool) {
	if s.N++; hit {
		s.Hits++
	}
}

// ComputeInterval returns the 95 % Wilson interval of the share.
func (s *Share) ComputeInterval() (low, high float64) {
	const z = 1.96
	n, p := float64(s.N), float64(s.Hits)/float64(s.N)
	mid, wide := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (mid-wide)/(1+z*z/n)), min(1, (mid+wide)/(1+z*z/n))
}

// String returns the share with its interval.
func (s *Share) String() string {
	if s.N == 0 {
		return "none"
	}
	low, high := s.ComputeInterval()
	return fmt.Sprintf("%6.2f %%  (%5.2f to %5.2f)  %d of %d", 100*float64(s.Hits)/float64(s.N), 100*low, 100*high, s.Hits, s.N)
}

// A Table has shares by the kind of text.
type Table map[string]*Share

// Add counts a trial of a kind.
func (t Table) Add(kind string, hit bool) {
	if t[kind] == nil {
		t[kind] = new(Share)
	}
	t[kind].Add(hit)
}

// ListKinds returns the kinds in order.
func (t Table) ListKinds() []string { return slices.Sorted(maps.Keys(t)) }
