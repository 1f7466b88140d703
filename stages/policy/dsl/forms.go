package dsl

import (
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// readUsers reads patterns of end users. None of them matches a request without a user.
func readUsers(r *reader, e entry) []Test {
	return []Test{
		{Attr: User, Op: OpIn, Globs: r.readGlobs(e)},
		{Attr: User, Op: OpNotIn, Globs: []Glob{NewGlob("")}},
	}
}

func readUserMissing(r *reader, e entry) []Test {
	op := OpNotIn
	if r.readBoolean(e) {
		op = OpIn
	}
	return []Test{{Attr: User, Op: op, Globs: []Glob{NewGlob("")}}}
}

// readWithin reads a duration: 30d, or in the form of Go. An expired key does not authenticate, so there is no lower bound.
func readWithin(r *reader, e entry) []Test {
	s := r.readText(e)
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if d, err = time.ParseDuration(days + "h"); err == nil && d < math.MaxInt64/24 {
			d *= 24
		}
	}
	if err != nil || d <= 0 {
		r.addInvalid(e.value, "%s: %q is not a span of time; write it as 30d or 12h", e.key, s)
		return nil
	}
	return []Test{{Attr: KeyExpiry, Op: OpRange, Range: Range{Hi: d.Seconds(), HasHi: true}}}
}

// readConfidence is true if a finding has it. It also applies to the rule's other conditions on personal data; see
// parseConditions.
func readConfidence(r *reader, e entry) []Test {
	return []Test{{Attr: PIIConfidence, Op: OpAny, MinScore: float32(r.readNumber(e, 0, 1))}}
}

// readScores reads {label: {gte: 0.8}}, or {label: 0.8}, which means the same.
func readScores(r *reader, e entry) []Test {
	var out []Test
	for _, label := range r.readMapping(e.value, e.key) {
		t := Test{Attr: DetectorScore, Key: label.key, Op: OpRange}
		if label.value.Kind == yaml.ScalarNode {
			t.Range = Range{Lo: r.readNumber(entry{e.key + "." + label.key, label.at, label.value}, 0, 1), HasLo: true}
			out = append(out, t)
			continue
		}
		bounds := r.readMapping(label.value, e.key+"."+label.key)
		for _, b := range bounds {
			v := r.readNumber(b, 0, 1)
			switch b.key {
			case "gte", "gt":
				t.Range.Lo, t.Range.HasLo, t.Range.OpenLo = v, true, b.key == "gt"
			case "lte", "lt":
				t.Range.Hi, t.Range.HasHi, t.Range.OpenHi = v, true, b.key == "lt"
			default:
				r.addUnknown(b, CodeInvalid, "comparison", []string{"gte", "gt", "lte", "lt"})
			}
		}
		if len(bounds) == 0 {
			r.addInvalid(label.value, "%s.%s has nothing to compare with; write {gte: 0.8}", e.key, label.key)
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		r.addInvalid(e.value, "%s is empty; write %s: {prompt_injection: {gte: 0.8}}", e.key, e.key)
	}
	return out
}

var dayNames = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// readWindow reads {days, from, to, tz}.
func readWindow(r *reader, e entry) []Test {
	w := &Window{Zone: time.UTC, Days: [7]bool{true, true, true, true, true, true, true}, To: dayMinutes}
	var err error
	for _, kid := range r.readMapping(e.value, e.key) {
		switch kid.key {
		case "days":
			w.Days = [7]bool{}
			for _, day := range r.readTexts(kid) {
				i := slices.Index(dayNames[:], day)
				if i < 0 {
					r.addInvalid(kid.value, "time.window.days: %q is not a day; write %s", day, strings.Join(dayNames[:], ", "))
					continue
				}
				w.Days[i] = true
			}
		case "from":
			w.From = r.readClock(kid)
		case "to":
			w.To = r.readClock(kid)
		case "tz":
			name := r.readText(kid)
			if w.Zone, err = time.LoadLocation(name); err != nil || name == "" || name == "Local" {
				r.addInvalid(kid.value, "time.window.tz: %q is not a time zone; write a name such as Europe/Berlin", name)
				w.Zone = time.UTC
			}
		default:
			r.addUnknown(kid, CodeUnknownCondition, "time.window key", []string{"days", "from", "to", "tz"})
		}
	}
	if w.From == w.To {
		r.addInvalid(e.value, "time.window: from and to are equal; leave both out for the whole day")
	}
	return []Test{{Attr: Clock, Op: OpWindow, Window: w}}
}
