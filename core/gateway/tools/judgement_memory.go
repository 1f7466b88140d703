package tools

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Limits of what is remembered of the judgements of a server's definitions.
const (
	maxJudges  = 64   // different sets of links that judge callers
	maxRefused = 1024 // refused definitions per set of links
	maxPassed  = 4096 // tools that have passed since there were more refusals
)

// Judgement is what the links that judge a caller have said of a list of tools. Names are those of the list, of members too.
type Judgement struct {
	Judges  string    // all links that judge the caller, as Chain.ListJudges lists them
	Refused []Refusal // must not be called
	Passed  []string  // may be called
	Links   []string  // those that have let Passed pass: not all judge every list, and one that fails may be skipped
}

// Refusal is a refused definition of a tool, and the link that has refused it.
type Refusal struct{ Tool, Link string }

// judgementMemory is what links have said of a server's definitions. A link may judge some callers only, so that what it says counts for
// callers under the same links, and neither for others nor after the links were changed.
type judgementMemory struct {
	some atomic.Bool // something was refused
	mu   sync.RWMutex
	by   map[string]*verdicts // by Judgement.Judges
	// forgot is true once verdicts were dropped: callers whose links are not in by may call no tool before they have listed it.
	forgot bool
	clock  uint64
}

// verdicts are what one set of links has said.
type verdicts struct {
	refused map[string][]string // names of tools to the links that have refused them
	// partial is true if tools may have been refused that are not in refused. Then only those in passed may be called.
	partial bool
	missing []string // links that have refused tools that are not in refused
	passed  map[string]bool
	used    uint64 // the clock of the last list
}

// RecordJudgement remembers a judgement.
func (s *Server) RecordJudgement(j *Judgement) {
	for i := range j.Refused {
		r := &j.Refused[i]
		if holder, own := s.FindHolder(r.Tool); holder != nil && holder.history != nil {
			holder.history.judged.recordRefusal(j.Judges, own, r.Link)
		}
	}
	for _, name := range j.Passed {
		if holder, own := s.FindHolder(name); holder != nil && holder.history != nil {
			holder.history.judged.recordPass(j, own)
		}
	}
}

// Refuses reports whether a guard has refused a definition of the server since this process has used it.
func (s *Server) Refuses() bool { return s.history != nil && s.history.judged.some.Load() }

// IsRefusedByGuard reports whether a guard of these links has refused the definition of a tool when it was listed last, as far as
// this process has seen.
func (s *Server) IsRefusedByGuard(judges, tool string) bool {
	if !s.Refuses() {
		return false
	}
	d := &s.history.judged
	d.mu.RLock()
	defer d.mu.RUnlock()
	v := d.by[judges]
	if v == nil {
		return d.forgot
	}
	return v.refuses(tool)
}

// IsRefusedForSome reports whether IsRefusedByGuard is true for callers under any links, among them those of a chain that was changed.
func (s *Server) IsRefusedForSome(tool string) bool {
	if !s.Refuses() {
		return false
	}
	d := &s.history.judged
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, v := range d.by {
		if v.refuses(tool) {
			return true
		}
	}
	return false
}

func (v *verdicts) refuses(tool string) bool {
	return v.refused[tool] != nil || v.partial && !v.passed[tool]
}

// recordRefusal notes that a link has refused a tool.
func (d *judgementMemory) recordRefusal(judges, tool, link string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.open(judges)
	delete(v.passed, tool)
	links, known := v.refused[tool]
	if !known && len(v.refused) >= maxRefused {
		v.partial = true
		if !slices.Contains(v.missing, link) {
			v.missing = append(v.missing, link)
		}
	} else if !slices.Contains(links, link) {
		v.refused[strings.Clone(tool)] = append(links, link)
	}
	d.some.Store(true)
}

// recordPass notes that links have let a tool pass. It lifts what they have refused, and not what other links have.
func (d *judgementMemory) recordPass(j *Judgement, tool string) {
	if !d.some.Load() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.by[j.Judges] == nil && !d.forgot {
		return
	}
	v := d.open(j.Judges)
	has := func(link string) bool { return slices.Contains(j.Links, link) }
	if links, refused := v.refused[tool]; refused {
		if links = slices.DeleteFunc(links, has); len(links) > 0 {
			v.refused[tool] = links
			return
		}
		delete(v.refused, tool)
	}
	lacks := func(link string) bool { return !has(link) }
	if v.partial && len(v.passed) < maxPassed && !slices.ContainsFunc(v.missing, lacks) {
		v.passed[strings.Clone(tool)] = true
	}
}

// open returns what a set of links has said. If there are too many sets, it drops the one that has judged no list for longest.
func (d *judgementMemory) open(judges string) *verdicts {
	d.clock++
	v := d.by[judges]
	if v == nil {
		if d.by == nil {
			d.by = map[string]*verdicts{}
		}
		if len(d.by) >= maxJudges {
			oldest := ""
			for name, o := range d.by {
				if oldest == "" || o.used < d.by[oldest].used {
					oldest = name
				}
			}
			delete(d.by, oldest)
			d.forgot = true
		}
		v = &verdicts{refused: map[string][]string{}, passed: map[string]bool{}, partial: d.forgot}
		d.by[judges] = v
	}
	v.used = d.clock
	return v
}
