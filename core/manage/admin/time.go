package admin

import "time"

// ParseTime parses a time in ISO 8601: a date, which means its first moment in UTC, or a date with a time and a zone. "" is
// the zero time. The error names the field.
func ParseTime(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 1 && t.Year() < 10000 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, newInvalidValueError(field, "write a date, as 2026-01-31, or a time with its zone, as 2026-01-31T12:00:00Z")
}
