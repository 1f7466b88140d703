package proxy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const matrixImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

// mark is where a wire carries something: paths into the body, whose values are concatenated. * selects every element,
// [k=v] the elements with that member, and # the JSON inside a string.
type mark []string

// marks are the places where a wire carries the features.
type marks struct {
	system, user                       mark
	tools, names, args, ids            mark // of tools, and of calls
	results, resultIDs, image, kind    mark
	schema, effort                     mark
	free                               mark // a tool with free text: its name, a call's input, the result
	seen                               mark // an image in a result
	imageValue, kindValue, effortValue string
}

// missing returns the parts of a feature that the body lacks.
func (m *marks) missing(t *testing.T, feature, body string, system bool) (names []string) {
	var doc any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	require.NoError(t, d.Decode(&doc), body)
	want := func(name string, at mark, values ...string) {
		if got := at.values(doc); fmt.Sprint(got) != fmt.Sprint(values) || len(at) == 0 {
			names = append(names, fmt.Sprintf("%s (%q, not %q)", name, got, values))
		}
	}
	if system {
		want("system", m.system, "Be brief.")
	}
	switch feature {
	case "detour":
		want("user", m.user, "Rome")
		want("tools", m.tools, "get_weather")
		want("effort", m.effort, m.effortValue)
	case "tools":
		want("user", m.user, "Is it warm in Oslo?", "Rome")
		want("tools", m.tools, "get_weather")
		want("calls", m.names, "get_weather")
		want("arguments", m.args, `{"input":"Oslo"}`)
		want("results", m.results, "4 degrees")
		want("ids", m.resultIDs, m.ids.values(doc)...)
	case "custom":
		want("user", m.user, "Count.", "SELECT 2")
		if len(m.free) > 0 && len(m.tools.values(doc)) == 0 {
			want("free text", m.free, "sql", "SELECT 1", "1")
			break
		}
		want("tools", m.tools, "sql")
		want("arguments", m.args, `{"input":"SELECT 1"}`)
		want("results", m.results, "1")
	case "seen":
		want("results", m.results, "4 degrees")
		if at := m.seen; len(at) > 0 {
			want("image", at, m.imageValue)
		} else {
			want("image", m.image, m.imageValue)
		}
	case "parallel":
		want("user", m.user, "How are Oslo and Lima?", "Rome")
		want("tools", m.tools, "get_weather", "get_time")
		want("calls", m.names, "get_weather", "get_time")
		want("arguments", m.args, `{"input":"Oslo"}`, `{"input":"Lima"}`)
		want("results", m.results, "4 degrees", "noon")
		want("ids", m.resultIDs, m.ids.values(doc)...)
	case "images":
		want("user", m.user, "Red?")
		want("image", m.image, m.imageValue)
		if m.kindValue != "" {
			want("media type", m.kind, m.kindValue)
		}
	case "structured":
		want("user", m.user, `{"city":"Paris"}`)
		want("schema", m.schema, `{"city":{"type":"string"}}`)
	case "unknown":
		want("user", m.user, hello)
		want("unknown", mark{"x_unknown.a.*"}, "1.50", "é")
	case "reasoning":
		want("user", m.user, hello)
		want("effort", m.effort, m.effortValue)
	default:
		want("user", m.user, hello)
	}
	return names
}
