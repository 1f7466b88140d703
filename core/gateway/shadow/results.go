package shadow

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Example is one finding of a link in shadow mode.
type Example struct {
	Number   int64 // unique in this process
	Link     string
	Label    string // "" for a verdict without findings
	At       time.Time
	Exchange string // the id of the exchange
	Tenant   string
	Model    string
	Phase    core.Phase
	Action   core.Action // what the link would have done with the body
	Path     string      // of the text in the body
	Streamed bool        // found in a streamed answer

	// Before, Match and After are the redacted text around the finding and the finding itself. HasContext is false if there is
	// none.
	Before, Match, After string
	HasContext           bool
	// Mark says whether a reader has judged the finding: MarkRight, MarkWrong, or "".
	Mark string
}

// Marks of examples.
const (
	MarkRight = "right"
	MarkWrong = "wrong"
)

// Text returns the whole context.
func (e *Example) Text() string { return e.Before + e.Match + e.After }

// Result is what a link in shadow mode would have done.
type Result struct {
	Since    time.Time // when counting began
	Judged   int64     // exchanges
	Stopped  int64     // exchanges that it would have refused or changed
	Faults   int64     // exchanges in which it failed
	Labels   []LabelCount
	Examples []Example // newest first
}

// LabelCount is how many exchanges had findings of one label, and how the marked examples of it were judged.
type LabelCount struct {
	Label        string
	Count        int64
	Right, Wrong int
}

// results are those of one link. The log's mutex guards them.
type results struct {
	since                   time.Time
	judged, stopped, faults int64
	labels                  map[string]int64
	examples                []Example // oldest first
}

// judgement is what a link in shadow mode said of an exchange.
type judgement struct {
	link           string
	stopped, fault bool
	labels         []string // of its findings, each once
}

// listJudgements returns the judgement of each link that judged an exchange in shadow mode. A request may have thousands of findings, so
// the log's mutex is not held meanwhile.
func listJudgements(x *core.Exchange) (list []judgement) {
	for i := range x.Visits {
		v := &x.Visits[i]
		if !v.Shadow {
			continue
		}
		at := slices.IndexFunc(list, func(j judgement) bool { return j.link == v.Link })
		if at < 0 {
			at, list = len(list), append(list, judgement{link: v.Link})
		}
		list[at].stopped = list[at].stopped || v.Action > core.Pass
		list[at].fault = list[at].fault || v.Fault != 0
	}
	known := map[[2]string]struct{}{}
	for i := range x.Findings {
		f := &x.Findings[i]
		if !f.Shadow {
			continue
		}
		key := [2]string{f.Link, f.Label}
		if _, ok := known[key]; ok {
			continue
		}
		known[key] = struct{}{}
		if at := slices.IndexFunc(list, func(j judgement) bool { return j.link == f.Link }); at >= 0 {
			list[at].labels = append(list[at].labels, f.Label)
		}
	}
	return list
}

// count counts an ended exchange.
func (r *results) count(j *judgement) {
	r.judged++
	if j.stopped {
		r.stopped++
	}
	if j.fault {
		r.faults++
	}
	for _, label := range j.labels {
		if _, known := r.labels[label]; !known {
			if label = strings.Clone(label); len(r.labels) >= maxLabels {
				label = otherLabel
			}
		}
		r.labels[label]++
	}
}

// add keeps an example, and at most limit of them: the oldest unmarked one is dropped first, or else the oldest.
func (r *results) add(e Example, limit int) {
	for len(r.examples) >= limit {
		at := max(slices.IndexFunc(r.examples, func(e Example) bool { return e.Mark == "" }), 0)
		r.examples = slices.Delete(r.examples, at, at+1)
	}
	r.examples = append(r.examples, e)
}

// Read returns the results of a link; ok is false if it has judged nothing.
func (l *Log) Read(link string) (out Result, ok bool) {
	if l == nil {
		return out, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.links[link]
	if r == nil {
		return out, false
	}
	out = Result{Since: r.since, Judged: r.judged, Stopped: r.stopped, Faults: r.faults, Examples: slices.Clone(r.examples)}
	slices.Reverse(out.Examples)
	for _, label := range slices.Sorted(maps.Keys(r.labels)) {
		c := LabelCount{Label: label, Count: r.labels[label]}
		for i := range r.examples {
			if e := &r.examples[i]; e.Label == label {
				c.Right += countBool(e.Mark == MarkRight)
				c.Wrong += countBool(e.Mark == MarkWrong)
			}
		}
		out.Labels = append(out.Labels, c)
	}
	slices.SortStableFunc(out.Labels, func(a, b LabelCount) int { return cmp.Compare(b.Count, a.Count) })
	return out, true
}

func countBool(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Mark marks an example as right or wrong, or removes its mark. It returns false if the example is no longer kept.
func (l *Log) Mark(link string, number int64, mark string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.links[link]
	if r == nil {
		return false
	}
	at := slices.IndexFunc(r.examples, func(e Example) bool { return e.Number == number })
	if at >= 0 {
		r.examples[at].Mark = mark
	}
	return at >= 0
}
