package dsl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ReadContext parses facts from a JSON object that describes a request. In a complete context, omitted inputs are
// absent; in a partial one, they are unknown. Nested objects may be written flat: {"key": {"tags": […]}} is
// {"key_tags": […]}.
func ReadContext(text []byte, whole bool, now time.Time) (*Facts, error) {
	var m map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("the context is not a JSON object: %w", simplifyJSONError(err))
	}
	return ParseContext(m, whole, now)
}

// simplifyJSONError says where JSON is malformed, without repeating it.
func simplifyJSONError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken at byte %d", syntax.Offset)
	}
	return errors.New("wrong kind of value")
}

// ParseContext is ReadContext for a decoded object.
func ParseContext(m map[string]any, whole bool, now time.Time) (*Facts, error) {
	f := &Facts{Now: now, Known: NewAttrSet(Clock)}
	if whole {
		f.Known, f.Whole = AllAttrs, true
	}
	c := &contextReader{f: f, day: -1, minute: -1}
	if err := c.readObject("", m); err != nil {
		return nil, err
	}
	if c.day >= 0 || c.minute >= 0 {
		f.Wall = WeekMinute(max(c.day, 0)*dayMinutes + max(c.minute, 0) + 1)
	}
	if f.Asked[1] == "" {
		f.Asked[1] = trimProvider(f.Asked[0])
	}
	return f, nil
}

// trimProvider returns a model's name without the part before its first slash.
func trimProvider(model string) string {
	_, after, ok := strings.Cut(model, "/")
	if !ok {
		return ""
	}
	return after
}

type contextReader struct {
	f           *Facts
	day, minute int
}

// nested are the objects whose fields may also be written flat.
var nested = []string{
	"tenant", "key", "user", "request", "agent", "tool", "tools", "messages", "tokens", "budget", "response", "model", "cost", "time",
}

func (c *contextReader) readObject(prefix string, m map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v, full := m[name], prefix+name
		if inner, ok := v.(map[string]any); ok && prefix == "" && slices.Contains(nested, name) {
			if err := c.readObject(name+"_", inner); err != nil {
				return err
			}
			continue
		}
		read, ok := contextKeys[full]
		if !ok {
			read, ok = contextKeys[shortNames[full]]
		}
		if !ok {
			known := slices.Sorted(maps.Keys(contextKeys))
			if near := suggestWord(full, slices.Concat(known, slices.Collect(maps.Keys(shortNames)))); near != "" {
				return fmt.Errorf("the context has the unknown key %q; did you mean %q?", full, near)
			}
			return fmt.Errorf("the context has the unknown key %q; known keys are %s", full, strings.Join(known, ", "))
		}
		if v == nil {
			continue // known to be nothing, as in a whole context
		}
		if err := read.set(c, v); err != nil {
			return fmt.Errorf("the context's %q: %w", full, err)
		}
		c.f.Known |= read.attrs
	}
	return nil
}

var (
	errText   = errors.New("write a text")
	errNumber = errors.New("write a number")
	errSwitch = errors.New("write true or false")
	errTexts  = errors.New("write a list of texts")
	errMap    = errors.New("write an object")
)
