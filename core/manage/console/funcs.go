package console

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/manage/console/chart"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// templateFuncs returns the functions that templates can call.
func (c *Console) templateFuncs() template.FuncMap {
	return template.FuncMap{
		"at": newMoment, "count": count, "usd": usd, "ms": ms, "micro": micro, "size": size, "join": strings.Join, "json": pretty,
		"ago": func(t any) (ago, error) { return newAgo(c.Now(), t) },
		"pct": percent,
		"or0": func(n *int64) int64 {
			if n == nil {
				return 0
			}
			return *n
		},
		"bar": chart.Bar, "dict": dict, "list": func(v ...string) []string { return v }, "options": options, "sentence": sentence,
		"plural": plural,
	}
}

// moment is a time on a page. The script shows it in the reader's zone.
type moment struct{ Time time.Time }

// Machine returns the time in RFC 3339.
func (m moment) Machine() string { return m.Time.UTC().Format(time.RFC3339) }

// Text returns the time in UTC, for readers without scripts.
func (m moment) Text() string { return m.Time.UTC().Format("2006-01-02 15:04:05 UTC") }

// newMoment converts a time, a pointer to one or an RFC 3339 text. It returns nil for none.
func newMoment(v any) (*moment, error) {
	switch t := v.(type) {
	case time.Time:
		if t.IsZero() {
			return nil, nil
		}
		return &moment{t}, nil
	case *time.Time:
		if t == nil || t.IsZero() {
			return nil, nil
		}
		return &moment{*t}, nil
	case string:
		if t == "" {
			return nil, nil
		}
		p, err := time.Parse(time.RFC3339Nano, t)
		return &moment{p}, err
	}
	return nil, fmt.Errorf("%T is not a time", v)
}

// ago is a time with its age.
type ago struct {
	*moment
	Ago string
}

func newAgo(now time.Time, v any) (ago, error) {
	m, err := newMoment(v)
	if m == nil || err != nil {
		return ago{}, err
	}
	d := now.Sub(m.Time)
	switch {
	case d < 0:
		return ago{m, "in " + longDuration(-d)}, nil
	case d < time.Second:
		return ago{m, "now"}, nil
	}
	return ago{m, longDuration(d) + " ago"}, nil
}

// longDuration writes a duration in its largest unit.
func longDuration(d time.Duration) string {
	day := 24 * time.Hour
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int64(d / u.of); n == 1 {
			return "1 " + u.name
		} else if n > 1 {
			return strconv.FormatInt(n, 10) + " " + u.name + "s"
		}
	}
	return "less than a second"
}

// count writes a whole number in groups of three.
func count(v any) string {
	s := fmt.Sprint(v)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// plural writes a number with its noun, in the plural unless it is 1.
func plural(n any, one string) string {
	text := count(n)
	if text == "1" {
		return "1 " + one
	}
	return text + " " + one + "s"
}

// usd writes an amount of money: in cents from one dollar on, below that with as many digits as it needs.
func usd(v any) (string, error) {
	var a money.Amount
	switch n := v.(type) {
	case money.Amount:
		a = n
	case *money.Amount:
		if n == nil {
			return "–", nil
		}
		a = *n
	case int64:
		a = money.Amount(n)
	default:
		return "", fmt.Errorf("%T is not an amount", v)
	}
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	if a == 0 || a >= money.USD {
		cents := (a + money.USD/200) / (money.USD / 100)
		return fmt.Sprintf("%s$%s.%02d", sign, count(int64(cents/100)), int64(cents%100)), nil
	}
	digits := fmt.Sprintf("%010d", int64(a))
	first := strings.IndexFunc(digits, func(c rune) bool { return c != '0' })
	digits = strings.TrimRight(digits[:min(len(digits), max(first+3, 2))], "0")
	for len(digits) < 2 {
		digits += "0"
	}
	return sign + "$0." + digits, nil
}

// ms writes milliseconds.
func ms(v any) string {
	switch n := v.(type) {
	case float64:
		return strconv.FormatFloat(n, 'f', 1, 64) + " ms"
	case time.Duration:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " ms"
	}
	return count(v) + " ms"
}

// micro writes a time in microseconds, or in milliseconds from one on.
func micro(v any) (string, error) {
	var d time.Duration
	switch n := v.(type) {
	case time.Duration:
		d = n
	case float64:
		d = time.Duration(n * float64(time.Microsecond))
	default:
		return "", fmt.Errorf("%T is not a time", v)
	}
	if d >= time.Millisecond {
		return ms(d), nil
	}
	return strconv.FormatFloat(float64(d)/1e3, 'f', 1, 64) + " µs", nil
}

// size writes a number of bytes.
func size(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return strconv.FormatInt(n, 10) + " B"
	case n < k*k:
		return strconv.FormatFloat(float64(n)/k, 'f', 1, 64) + " KiB"
	}
	return strconv.FormatFloat(float64(n)/k/k, 'f', 1, 64) + " MiB"
}

// pretty returns a value as indented JSON.
func pretty(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return string(b), err
}

// dict returns a map for a template: name, value, name, value.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		k, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a name", pairs[i])
		}
		out[k] = pairs[i+1]
	}
	return out, nil
}

func newNonce() string { return rand.Text() }

// usdText writes an amount of money, and usdPart draws it. Without one they write a dash.
func usdText(v any) string {
	text, err := usd(v)
	if err != nil {
		return "–"
	}
	return text
}

// amountText writes an amount as a field holds it, or "" for nil.
func amountText(a *money.Amount) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// percent writes a share in per cent.
func percent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + " %" }
