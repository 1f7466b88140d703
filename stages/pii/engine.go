package pii

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// Match is one value found. Start and End are byte offsets of the text given
// to Detect, End exclusive, both on rune boundaries; characters that hide
// inside a value, such as zero-width spaces, belong to the span. Score is the
// confidence from 0 to 1.
type Match struct {
	Start, End int
	Type       string
	Score      float32
}

// Options select what an engine looks for. The zero value means the types
// of the default pack, their own thresholds, and international phone numbers only.
type Options struct {
	// Types and Packs name the types, and groups of types, to find. If both are empty: the eighteen default types.
	Types []string
	Packs []string
	// Threshold overrides the required confidence, 0 to 1, by type name.
	Threshold map[string]float32
	// Region is the ISO 3166 two-letter country whose national phone numbers
	// count without a context word; "" means none.
	Region string
	// Custom are the operator's types, and Allow the values that are not findings.
	Custom []Custom
	Allow  Allow
}

// Engine finds the types for which it was created. It is immutable and safe for
// concurrent use.
type Engine struct {
	numbers numberTable
	marks   markTable
	region  string
	// national is how many digits a national number of the region has, with
	// the trunk prefix or the country code that may precede it.
	national struct{ min, max int }
	phone    *detector // the row of PHONE
	email    *detector // the row of EMAIL
	password *detector // the row of PASSWORD
	pool     *sync.Pool

	stops   [256]uint8 // 1 for the bytes at which the scanner stops
	lower   bool       // no stop is a small letter
	near    bool       // findNear finds all stops
	wide    bool       // there are types beyond the first six
	lone    int        // the least digits of a number without separators; 0 with types beyond the first six
	leads   bool       // there are types whose values start with a group of letters
	hosts   bool       // URL
	formats [runChars + 1][]shape
	digits  int        // the least digits of a format, when all are digits only; else below 1
	words   wordFilter // of all types
	loose   [looseTypes]*detector
	allow   *allowList
	custom  *customTypes
}

// NewEngine builds an engine. It fails when a type or the region is unknown,
// or a threshold lies outside 0 to 1.
func NewEngine(o Options) (*Engine, error) {
	e := &Engine{region: o.Region, pool: &sync.Pool{New: func() any { return new(scan) }}}
	if o.Region != "" {
		code := phonenumbers.GetCountryCodeForRegion(o.Region)
		if code == 0 {
			return nil, fmt.Errorf("region %q: not an ISO 3166 country code with phone numbers", o.Region)
		}
		e.national.min = int(callingCodes[code].min)
		e.national.max = min(15, int(callingCodes[code].max)+3)
	}
	on, err := selectTypes(o.Types, o.Packs)
	if err != nil {
		return nil, err
	}
	for name, t := range o.Threshold {
		if !isType(name) {
			return nil, fmt.Errorf("threshold for pii type %q: unknown, have %s", name, strings.Join(ListTypes(), ", "))
		}
		if !(t >= 0 && t <= 1) {
			return nil, fmt.Errorf("threshold for pii type %q: %v is not between 0 and 1", name, t)
		}
	}
	var rows []*detector
	for i, d := range builtin {
		if !on[i] {
			continue
		}
		if t, ok := o.Threshold[d.name]; ok {
			d.threshold = t
		}
		rows = append(rows, &d)
		e.add(&d)
	}
	e.compile(rows)
	if !e.wide {
		e.lone = e.countLoneDigits()
	}
	if e.custom, err = newCustomTypes(o.Custom); err != nil {
		return nil, err
	}
	e.allow, err = newAllowList(o.Allow)
	return e, err
}

// add adds a row of the table.
func (e *Engine) add(d *detector) {
	switch d.name {
	case "PHONE":
		e.phone = d
	case "EMAIL":
		e.email = d
	case "PASSWORD":
		e.password = d
	case typeURL:
		e.hosts = true
	}
	if k := slices.Index(looseNames[:], d.name); k >= 0 {
		e.loose[k] = d
	}
	e.words.add(d)
	e.wide = e.wide || d.row >= len(coreTypes)
	for i, f := range d.formats {
		s := makeShape(d, i, f)
		s.quiet = d.spoken && d.threshold > spokenScore
		e.formats[len(s.chars)] = append(e.formats[len(s.chars)], s)
		e.leads = e.leads || s.chars[0] != '9'
		if n := len(s.chars); bits.OnesCount32(s.nines) < n {
			e.digits = -1
		} else if e.digits == 0 || e.digits > n {
			e.digits = n
		}
	}
}

// compile builds the tables of the triggers of some types, and the bytes at which the scanner stops: all digits, which
// formats and coded '@'s contain too, and the bytes of the triggers.
func (e *Engine) compile(rows []*detector) {
	for _, d := range rows {
		for k := range d.triggers {
			switch tr := &d.triggers[k]; {
			case tr.at == digits09:
				e.numbers.add(d, tr)
			case e.wide || !tr.beside:
				e.marks.add(d, tr)
			}
		}
	}
	for i := range e.stops {
		if isDigitByte(byte(i)) || e.marks.at[i] != 0 {
			e.stops[i] = 1
		}
	}
	e.lower, e.near = hasNoneSmall(&e.stops), isAllNear(&e.stops)
}

// ListTypes lists the built-in types, in the order of the table.
func ListTypes() []string {
	names := make([]string, len(builtin))
	for i, d := range builtin {
		names[i] = d.name
	}
	return names
}

func isType(name string) bool { return findRow(name) >= 0 }

// Detect appends the matches in text to dst, sorted and without overlaps:
// the longer wins, then the more certain. It allocates nothing without a match, and takes time linear in the text.
func (e *Engine) Detect(dst []Match, text string) []Match {
	return e.DetectFrom(dst, text, 0)
}

// DetectFrom is Detect for a text whose first from bytes were processed before: they serve as context, and no match starts
// in them. A stream that keeps at least ContextBytes of released text, and releases only what Hold allows, finds exactly
// the matches of the whole text.
func (e *Engine) DetectFrom(dst []Match, text string, from int) []Match {
	s := e.pool.Get().(*scan)
	s.clearLimits()
	dst = s.run(e, dst, text, from)
	e.releaseScan(s)
	return dst
}

// errTooMany is what DetectWithin returns when there are more matches than its caller allows.
var errTooMany = errors.New("more values than allowed")

// DetectWithin is DetectFrom with limits. It fails with errTooMany if there are more than limit matches, and returns limit
// of them. It fails with the error of core.CheckWork within 64 KiB of text.
func (e *Engine) DetectWithin(ctx context.Context, dst []Match, text string, from, limit int) ([]Match, error) {
	s := e.pool.Get().(*scan)
	s.limitScan(ctx, limit)
	base := len(dst)
	dst = s.run(e, dst, text, from)
	err := s.stopped
	e.releaseScan(s)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return dst[:base], err
	}
	if len(dst)-base > limit {
		return dst[:base+limit], errTooMany
	}
	return dst, nil
}

// DetectAll is Detect with all types that claim the same bytes: a number can satisfy the check digits of two countries. The
// match of Detect comes first, then the others.
func (e *Engine) DetectAll(dst []Match, text string) []Match {
	s := e.pool.Get().(*scan)
	defer e.releaseScan(s)
	s.clearLimits()
	s.claiming, s.claims = true, s.claims[:0]
	taken := s.run(e, nil, text, 0)
	s.claiming = false
	for _, m := range taken {
		first := len(dst)
		dst = append(dst, m)
		for _, c := range s.claims {
			if c.Start == m.Start && c.End == m.End && !slices.ContainsFunc(dst[first:], func(o Match) bool { return o.Type == c.Type }) {
				dst = append(dst, c.Match)
			}
		}
	}
	return dst
}

// keepClaims bounds the buffer of a pooled scan after a text full of candidates.
const keepClaims = 1024

func (e *Engine) releaseScan(s *scan) {
	if cap(s.claims) > keepClaims {
		s.claims = nil
	}
	if cap(s.own) > keepClaims {
		s.own = nil
	}
	s.e, s.v.s, s.v.raw, s.dst = nil, "", "", nil
	s.before.text, s.before.known, s.ctx = "", nil, nil
	e.pool.Put(s)
}
