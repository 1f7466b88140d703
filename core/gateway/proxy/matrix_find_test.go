package proxy_test

import (
	"bytes"
	"encoding/json"
	"strings"
)

// hello is the text of most requests and answers.
const hello = "Grüße, 世界"

func (m mark) values(doc any) (found []string) {
	for _, path := range m {
		found = append(found, find(doc, strings.Split(path, "."))...)
	}
	return found
}

// find returns the values at a path. Text and JSON are returned as written. A container that is requested as text,
// although another path leads into it, is skipped.
func find(v any, path []string) (found []string) {
	if len(path) == 0 {
		switch x := v.(type) {
		case string:
			return []string{x}
		case []any, nil:
			return nil
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // it was decoded
		return []string{strings.TrimSpace(b.String())}
	}
	key, filter, filtered := strings.Cut(strings.TrimSuffix(path[0], "]"), "[")
	switch x := v.(type) {
	case string:
		var inner any
		if key == "#" && json.Unmarshal([]byte(x), &inner) == nil {
			return find(inner, path[1:])
		}
	case map[string]any:
		if sub, ok := x[key]; ok {
			return find(sub, path[1:])
		}
	case []any:
		if key != "*" {
			return nil
		}
		k, want, _ := strings.Cut(filter, "=")
		for _, sub := range x {
			if m, ok := sub.(map[string]any); filtered && (!ok || m[k] != want) {
				continue
			}
			found = append(found, find(sub, path[1:])...)
		}
	}
	return found
}
