package shadow

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Limits of what the log keeps and does.
const (
	maxQueue    = 128      // findings that wait for redaction; further ones are counted and have no context
	maxText     = 64 << 10 // bytes of a text that is redacted; a finding in a longer one has no context
	maxOfOne    = 8        // findings of one verdict that become examples
	maxLabels   = 64       // per link; further ones are counted under otherLabel
	maxPerTick  = 50       // contexts per second
	otherLabel  = "other"
	contextSize = 120 // bytes before and after a finding
	matchSize   = 240 // bytes of a finding that are shown
)

// Log keeps the results of links in shadow mode. Safe for concurrent use; a nil Log ignores calls.
type Log struct {
	most      atomic.Int64 // examples per link; 0 turns the log off
	redactors atomic.Pointer[[]core.Stage]
	queue     chan draft
	stopped   chan struct{}
	done      chan struct{}
	stop      sync.Once
	now       func() time.Time

	second, taken atomic.Int64 // contexts in the current second

	mu     sync.Mutex
	links  map[string]*results
	number int64 // of the newest example
	// settings are digests of the settings of links by name, and cleared is when the results of a link were forgotten. Exchanges
	// that were received earlier may have been judged by the settings before, and are not counted.
	settings map[string]string
	cleared  map[string]time.Time
}

// draft is a finding whose context is not redacted yet.
type draft struct {
	Example
	text       string // the whole text; "" if it has no context
	start, end int
	personal   []core.Finding // all personal data that the link found in the text
}

// Open starts a log, which is off until SetLimit turns it on.
func Open() *Log {
	l := &Log{
		queue: make(chan draft, maxQueue), stopped: make(chan struct{}), done: make(chan struct{}), now: time.Now,
		links: map[string]*results{}, cleared: map[string]time.Time{},
	}
	go l.run()
	return l
}

// SetLimit sets how many of the newest examples of each link are kept. 0 turns the log off and forgets all results.
func (l *Log) SetLimit(most int) {
	if l == nil {
		return
	}
	l.most.Store(int64(most))
	if most == 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		clear(l.links)
	}
}

func (l *Log) isOff() bool { return l == nil || l.most.Load() == 0 }

// SetRedactors sets the stages that redact contexts. Each is asked about a text in the request phase, and its edits are applied.
// Until it is called, findings are kept without context. The caller closes the stages.
func (l *Log) SetRedactors(all []core.Stage) {
	if l != nil {
		l.redactors.Store(&all)
	}
}

// Watch takes the findings of a link in shadow mode about a whole body. It retains copies of their texts until they are redacted.
func (l *Log) Watch(x *core.Exchange, link string, p core.Phase, body *core.Payload, v *core.Verdict) {
	if l.isOff() {
		return
	}
	for i := range min(len(v.Findings), maxOfOne) {
		f := &v.Findings[i]
		d := draft{Example: newExample(x, link, p, v.Action), start: f.Start, end: f.End}
		d.Label = strings.Clone(f.Label)
		if f.Segment >= 0 && f.Segment < len(body.Segments) && l.takesContext() {
			d.Path = body.Segments[f.Segment].Path()
			if text := body.ReadText(f.Segment); len(text) <= maxText && f.Start <= f.End && f.Start >= 0 && f.End <= len(text) {
				d.text = strings.Clone(text)
				d.personal = listPersonal(v.Findings, f.Segment)
			}
		}
		l.enqueue(d)
	}
	if len(v.Findings) == 0 && v.Action > core.Pass {
		l.enqueue(draft{Example: newExample(x, link, p, v.Action)})
	}
}

func newExample(x *core.Exchange, link string, p core.Phase, a core.Action) Example {
	e := Example{Link: link, At: x.Received, Exchange: strings.Clone(x.ID), Phase: p, Action: a, Model: strings.Clone(x.Head.Model)}
	if x.Principal != nil {
		e.Tenant = x.Principal.Tenant
	}
	return e
}

// listPersonal returns the findings of personal data in one segment.
func listPersonal(all []core.Finding, segment int) (out []core.Finding) {
	for i := range all {
		if f := &all[i]; f.Segment == segment && f.IsPII() {
			c := *f
			c.Label = strings.Clone(f.Label)
			out = append(out, c)
		}
	}
	return out
}

// takesContext reports whether another context may be kept in this second.
func (l *Log) takesContext() bool {
	if now := l.now().Unix(); l.second.Swap(now) != now {
		l.taken.Store(0)
	}
	return l.taken.Add(1) <= maxPerTick
}

func (l *Log) enqueue(d draft) {
	select {
	case l.queue <- d:
	default: // the counts of the exchange still have it
	}
}

func (l *Log) run() {
	defer close(l.done)
	for {
		select {
		case d := <-l.queue:
			l.keep(l.finish(&d))
		case <-l.stopped:
			return
		}
	}
}

// finish returns the example of a draft with its redacted context, or without one if redaction fails.
func (l *Log) finish(d *draft) Example {
	e := d.Example
	redactors := l.redactors.Load()
	if d.text == "" || redactors == nil {
		return e
	}
	spans, ok := findSpans(context.Background(), *redactors, e.Tenant, d.text)
	if !ok {
		return e
	}
	for i := range d.personal {
		f := &d.personal[i]
		spans = append(spans, span{f.Start, f.End, "[" + f.Label + "]"})
	}
	e.Before, e.Match, e.After = cutContext(d.text, d.start, d.end, mergeSpans(spans, len(d.text)))
	e.HasContext = true
	return e
}

// Add counts an exchange that has ended for every link in shadow mode that judged it.
func (l *Log) Add(x *core.Exchange) {
	if l.isOff() || !slices.ContainsFunc(x.Visits, func(v core.Visit) bool { return v.Shadow }) {
		return
	}
	list := listJudgements(x)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range list {
		if !l.isStale(list[i].link, x.Received) {
			l.find(list[i].link).count(&list[i])
		}
	}
	kept := 0
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Shadow && f.Segment < 0 {
			e := newExample(x, f.Link, f.Phase, core.Pass)
			e.Label, e.Streamed = strings.Clone(f.Label), true
			l.keepLocked(e)
			if kept++; kept == maxOfOne {
				break
			}
		}
	}
}

// find returns the results of a link. The caller holds l.mu.
func (l *Log) find(link string) *results {
	r := l.links[link]
	if r == nil {
		r = &results{since: l.now(), labels: map[string]int64{}}
		l.links[strings.Clone(link)] = r
	}
	return r
}

func (l *Log) keep(e Example) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keepLocked(e)
}

func (l *Log) keepLocked(e Example) {
	most := int(l.most.Load())
	if most == 0 || l.isStale(e.Link, e.At) {
		return
	}
	l.number++
	e.Number = l.number
	l.find(e.Link).add(e, most)
}

// Close ends the log. Findings that wait are dropped.
func (l *Log) Close() {
	if l == nil {
		return
	}
	l.stop.Do(func() { close(l.stopped) })
	<-l.done
}
