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

// funcs are what templates call.
func (c *Console) funcs() template.FuncMap {
	return template.FuncMap{
		"at": at, "count": count, "usd": usd, "ms": ms, "micro": micro, "size": size, "join": strings.Join, "json": pretty,
		"ago": func(t any) (ago, error) { return since(c.Now(), t) },
		"pct": func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + " %" },
		"or0": func(n *int64) int64 {
			if n == nil {
				return 0
			}
			return *n
		},
		"bar": chart.Bar, "dict": dict, "list": func(v ...string) []string { return v }, "options": options, "sentence": sentence,
	}
}

// moment is a time in a page: the script writes it in the reader's zone.
type moment struct{ Time time.Time }

// Machine is the time for programs.
func (m moment) Machine() string { return m.Time.UTC().Format(time.RFC3339) }

// Text is the time for people, until the script writes their own.
func (m moment) Text() string { return m.Time.UTC().Format("2006-01-02 15:04:05 UTC") }

// at is a time, or nil when there is none.
func at(v any) (*moment, error) {
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
	return nil, fmt.Errorf("%T is no time", v)
}

// ago is a time and how long ago it was.
type ago struct {
	*moment
	Ago string
}

func since(now time.Time, v any) (ago, error) {
	m, err := at(v)
	if m == nil || err != nil {
		return ago{}, err
	}
	d := now.Sub(m.Time)
	switch {
	case d < 0:
		return ago{m, "in " + span(-d)}, nil
	case d < time.Second:
		return ago{m, "now"}, nil
	}
	return ago{m, span(d) + " ago"}, nil
}

// span is a duration in its largest unit.
func span(d time.Duration) string {
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

// usd is an amount of money: cents where it is a dollar or more, else as many digits as it needs.
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
		return "", fmt.Errorf("%T is no amount", v)
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

// micro writes a short time in microseconds, or in milliseconds where it is longer.
func micro(v any) (string, error) {
	var d time.Duration
	switch n := v.(type) {
	case time.Duration:
		d = n
	case float64:
		d = time.Duration(n * float64(time.Microsecond))
	default:
		return "", fmt.Errorf("%T is no time", v)
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

// pretty is a value as JSON that is read.
func pretty(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return string(b), err
}

// dict is a map for a template: name, value, name, value.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		k, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("%v is no name", pairs[i])
		}
		out[k] = pairs[i+1]
	}
	return out, nil
}

func nonce() string { return rand.Text() }
