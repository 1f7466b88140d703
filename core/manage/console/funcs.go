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

// buildTemplateFuncs returns the functions that templates can call.
func (c *Console) buildTemplateFuncs() template.FuncMap {
	return template.FuncMap{
		"at": newMoment, "count": formatCount, "usd": formatUSD, "ms": formatMillis, "micro": formatMicro,
		"size": formatSize, "join": strings.Join,
		"json": formatJSON,
		"ago":  func(t any) (momentWithAge, error) { return newAgo(c.Now(), t) },
		"pct":  formatPercent,
		"or0": func(n *int64) int64 {
			if n == nil {
				return 0
			}
			return *n
		},
		"bar": chart.DrawBar, "dict": buildDict, "list": func(v ...string) []string { return v }, "options": newOptions,
		"sentence": capitalizeSentence,
		"plural":   formatPlural,
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

// momentWithAge is a time with its age.
type momentWithAge struct {
	*moment
	Ago string
}

func newAgo(now time.Time, v any) (momentWithAge, error) {
	m, err := newMoment(v)
	if m == nil || err != nil {
		return momentWithAge{}, err
	}
	d := now.Sub(m.Time)
	switch {
	case d < 0:
		return momentWithAge{m, "in " + formatLongDuration(-d)}, nil
	case d < time.Second:
		return momentWithAge{m, "now"}, nil
	}
	return momentWithAge{m, formatLongDuration(d) + " ago"}, nil
}

// formatLongDuration writes a duration in its largest unit.
func formatLongDuration(d time.Duration) string {
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

// formatCount writes a whole number in groups of three.
func formatCount(v any) string {
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

// formatPlural writes a number with its noun, in the plural unless it is 1.
func formatPlural(n any, one string) string {
	text := formatCount(n)
	if text == "1" {
		return "1 " + one
	}
	return text + " " + one + "s"
}

// formatUSD writes an amount of money: in cents from one dollar on, below that with as many digits as it needs.
func formatUSD(v any) (string, error) {
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
		return fmt.Sprintf("%s$%s.%02d", sign, formatCount(int64(cents/100)), int64(cents%100)), nil
	}
	digits := fmt.Sprintf("%010d", int64(a))
	first := strings.IndexFunc(digits, func(c rune) bool { return c != '0' })
	digits = strings.TrimRight(digits[:min(len(digits), max(first+3, 2))], "0")
	for len(digits) < 2 {
		digits += "0"
	}
	return sign + "$0." + digits, nil
}

// formatMillis writes milliseconds.
func formatMillis(v any) string {
	switch n := v.(type) {
	case float64:
		return strconv.FormatFloat(n, 'f', 1, 64) + " ms"
	case time.Duration:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " ms"
	}
	return formatCount(v) + " ms"
}

// formatMicro writes a time in microseconds, or in milliseconds from one on.
func formatMicro(v any) (string, error) {
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
		return formatMillis(d), nil
	}
	return strconv.FormatFloat(float64(d)/1e3, 'f', 1, 64) + " µs", nil
}

// formatSize writes a number of bytes.
func formatSize(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return strconv.FormatInt(n, 10) + " B"
	case n < k*k:
		return strconv.FormatFloat(float64(n)/k, 'f', 1, 64) + " KiB"
	}
	return strconv.FormatFloat(float64(n)/k/k, 'f', 1, 64) + " MiB"
}

// formatJSON returns a value as indented JSON.
func formatJSON(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return string(b), err
}

// buildDict returns a map for a template: name, value, name, value.
func buildDict(pairs ...any) (map[string]any, error) {
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

// formatUSDText writes an amount of money, and newUSDPart draws it. Without one they write a dash.
func formatUSDText(v any) string {
	text, err := formatUSD(v)
	if err != nil {
		return "–"
	}
	return text
}

// formatAmount writes an amount as a field holds it, or "" for nil.
func formatAmount(a *money.Amount) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// formatPercent writes a share in per cent.
func formatPercent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + " %" }
