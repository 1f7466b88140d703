package scan_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// scans remembers scans for one tenant.
type scans struct {
	kept map[payload.Sum]string
	hits int
}

func (*scans) Hash(d payload.Domain, b []byte) (s payload.Sum) {
	sum := sha256.Sum256(append([]byte{byte(d)}, b...))
	copy(s[:], sum[:])
	return s
}

func (m *scans) RecallScan(dst []byte, of payload.Sum) ([]byte, bool) {
	v, ok := m.kept[of]
	if ok {
		m.hits++
	}
	return append(dst, v...), ok
}

func (m *scans) StoreScan(of payload.Sum, value []byte) {
	if _, ok := m.kept[of]; !ok {
		m.kept[of] = string(value)
	}
}

// found is all that a scan leaves of a request.
type found struct {
	head     core.Head
	segments []core.Segment
	marks    string
	err      string
	hosted   string
}

func scanWith(d core.Dialect, m payload.ScanMemory, body string) (f found, x *core.Exchange) {
	x = &core.Exchange{Dialect: d.Name()}
	x.Request.Raw = []byte(body)
	x.Request.Lists.Memory = m
	if e := d.Scan(x); e != nil {
		f.err = fmt.Sprint(e.Public, e.Param, e.Code)
	}
	f.head, f.segments, f.marks = x.Head, x.Request.Segments, fmt.Sprint(x.Request.Marks, x.Request.Tied)
	if f.head.File != nil {
		f.err += f.head.File.Public
		f.head.File = nil
	}
	if x.Hosted != nil {
		f.hosted = fmt.Sprint(x.Hosted.Tools)
	}
	return f, x
}

// listed writes lists of random elements, of which some are wrong, odd or of a kind that is not remembered.
type listed struct{ *rand.Rand }

func (r listed) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r listed) text() string {
	unit := r.pick("some text ", `a line\n`, `\u00e9\"`, "é", "7")
	return `"` + strings.Repeat(unit, r.IntN(r.pickSize())/len(unit)) + `"`
}

func (r listed) pickSize() int { return []int{8, 100, 3000, 30000}[r.IntN(4)] }

func (r listed) message(d string, odd int) string {
	role := r.pick("user", "assistant")
	if r.IntN(odd) == 0 {
		return r.pick(`{"role":"user"}`, `7`, `{"role":"wizard","content":"x"}`,
			`{"role":"user","content":"a","content":"b"}`,
			`{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}`,
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":`+r.text()+`}}]}`,
			`{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":`+
				r.text()+`}}]}`,
			`{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"text/plain",`+
				`"data":"aGkgdGhlcmU="}}]}`,
			`{"role":"user","content":"x","a strange name":`+r.text()+`}`, `{"role":"user","content":"`+"\x01"+`"}`)
	}
	switch {
	case r.IntN(3) == 0:
		return r.pick(`{"role":"`, `{ "role": "`) + role + `","content":` + r.text() + `}`
	case d == anthropic.MessagesName:
		return `{"content":[{"type":"text","text":` + r.text() + `},{"type":"text","text":` + r.text() +
			`,"cache_control":{"type":"ephemeral"}},` +
			r.pick(`{"type":"tool_use","id":"toolu_01A0000000000000","name":"f","input":{"path":`+r.text()+`,"n":123456}}`,
				`{"type":"tool_result","tool_use_id":"t","content":`+r.text()+`}`,
				`{"type":"tool_result","tool_use_id":"not plain at all","content":[{"type":"text","text":`+r.text()+`}]}`) + `],"role":"` + role + `"}`
	case r.IntN(2) == 0:
		return `{"role":"assistant","content":` + r.text() + `,"tool_calls":[{"id":"c","type":"function","function":` +
			`{"name":"f","arguments":"{\"a\":\"` + strings.Repeat("b", r.IntN(300)) + `\"}"}}]}`
	}
	return `{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":` + r.text() + `}]}`
}

func (r listed) tool(odd int) string {
	if r.IntN(odd) == 0 {
		return r.pick(`{"name":"f\u0041"}`, `{"type":"web_search_20250305","name":"w"}`, `{"description":"no name"}`, `{"name":"no name"}`,
			`{"name":"f","name":"g"}`)
	}
	schema := `{"type":"object","properties":{"p":{"type":"string","description":` + r.text() + `}}}`
	return fmt.Sprintf(`{"name":"f%d","description":%s,"input_schema":%s}`, r.IntN(100), r.text(), schema)
}

// A scan without a memory is the oracle.
func TestAScanWithAMemoryFindsWhatOneWithoutItFinds(t *testing.T) {
	for _, d := range []core.Dialect{anthropic.Messages{}, openai.Chat{}} {
		m := &scans{kept: map[payload.Sum]string{}}
		refused, ends := 0, map[string]string{}
		for seed := range uint64(24) {
			r := listed{rand.New(rand.NewPCG(seed, 19))}
			odd := []int{1 << 30, 12, 60}[seed%3]
			var tools, messages []string
			for range r.IntN(12) {
				tools = append(tools, r.tool(odd))
			}
			sep := r.pick(",", " ,\n")
			for turn := range 10 {
				for range 1 + r.IntN(6) {
					messages = append(messages, r.message(d.Name(), odd))
				}
				sent := messages
				if turn%4 == 3 { // the client has changed or dropped its last messages
					sent = append(messages[:max(0, len(messages)-r.IntN(5)):len(messages)], r.message(d.Name(), odd))
				}
				head := `"model":"m","max_tokens":10,`
				lists := `"tools":[` + strings.Join(tools, sep) + `],"messages":[` + strings.Join(sent, sep) + `]`
				if seed%5 == 4 {
					lists = `"messages":[` + strings.Join(sent, sep) + `],"tools":[` + strings.Join(tools, sep) + `]`
				}
				body := "{" + head + lists + "}"
				want, _ := scanWith(d, nil, body)
				for range 2 {
					got, x := scanWith(d, m, body)
					require.True(t, reflect.DeepEqual(want, got), "%s, seed %d, turn %d", d.Name(), seed, turn)
					bounds := ""
					for _, b := range x.Request.Lists.Beginnings {
						bounds += fmt.Sprint(b.Span, b.First, b.End, b.Blocks)
					}
					if known, ok := ends[body]; ok && bounds != "" && turn%4 != 3 {
						require.Equal(t, known, bounds, "%s, seed %d, turn %d: where a beginning ends follows from the body", d.Name(), seed, turn)
					}
					ends[body] = bounds
				}
				if want.err != "" {
					refused++
				}
			}
		}
		assert.Greater(t, m.hits, 100, d.Name())
		assert.Greater(t, refused, 20, d.Name())
	}
}

func TestTheBeginningOfAConversationIsReadOnce(t *testing.T) {
	m := &scans{kept: map[payload.Sum]string{}}
	var messages []string
	for i := range 100 {
		text := fmt.Sprint(i, strings.Repeat(" some text", 100))
		if i%2 == 0 {
			text = fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"toolu_01A%021d","content":"%s"}]`, i, text)
		} else {
			text = `"` + text + `"`
		}
		messages = append(messages, `{"role":"user","content":`+text+`}`)
	}
	body := `{"model":"m","max_tokens":1,"messages":[` + strings.Join(messages, ",") + `]}`
	for range 3 {
		_, x := scanWith(anthropic.Messages{}, m, body)
		require.Len(t, x.Request.Lists.Beginnings, 1)
	}
	_, x := scanWith(anthropic.Messages{}, m, body)
	assert.Less(t, len(x.Request.Lists.Elements), 25, "messages that were read")
	assert.Len(t, x.Request.Segments, 150, "identifiers of more than 16 digits count as texts")
	for name, other := range map[string]string{
		"another shape": body,
		"another text":  strings.Replace(body, "some", "same", 1),
	} {
		d := core.Dialect(anthropic.Messages{})
		if name == "another shape" {
			d = openai.Chat{}
		}
		_, x := scanWith(d, m, other)
		assert.Len(t, x.Request.Lists.Elements, 100, name)
	}
}

// A refused file hides those behind it in a scan, and a list that hid files must not be remembered as one without.
func TestAListBehindARefusedFileIsNotRemembered(t *testing.T) {
	const refused = `{"type":"document","source":{"type":"url","url":"https://example.com/a.pdf"}}`
	messages := []string{`{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}}]}`}
	for i := range 60 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"%d%s"}`, i, strings.Repeat(" some text", 100)))
	}
	list := `"messages":[` + strings.Join(messages, ",") + `]}`
	m := &scans{kept: map[payload.Sum]string{}}
	for _, body := range []string{
		`{"model":"m","max_tokens":1,"system":[` + refused + `],` + list,
		`{"model":"m","max_tokens":1,` + list,
	} {
		want, _ := scanWith(anthropic.Messages{}, nil, body)
		got, _ := scanWith(anthropic.Messages{}, m, body)
		assert.Contains(t, want.err, "cannot be judged")
		assert.Equal(t, want, got)
	}
}
