package chain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

func TestWhatAStreamRepeatsIsWhatTheClientWasSent(t *testing.T) {
	kinds := []string{"output_text", "refusal", "reasoning_summary_text", "custom_tool_call_input"}
	for name, c := range chains(t) {
		t.Run(name, func(t *testing.T) {
			for k, text := range streamedTexts {
				kind := kinds[k%len(kinds)]
				want, refused := wholeParts(t, c, says{kind, []string{text}})
				for _, pieces := range choppings(text) {
					r := repeat(t, c, openai.Responses{}, toldIn(says{kind, pieces}))
					if refused != nil {
						require.NotNil(t, r.err, "%q", pieces)
						assert.NotContains(t, r.out, "12345678", "nothing of what is refused was sent")
						continue
					}
					require.Nil(t, r.err, "%q", pieces)
					if text == "" {
						continue
					}
					require.Equal(t, want["0.0"][0], r.pieces["0.0"], "%q", pieces)
					for _, w := range r.wholes["0.0"] {
						require.Equal(t, r.pieces["0.0"], w, "%q", pieces)
					}
					for _, so := range r.so {
						require.True(t, strings.HasPrefix(r.pieces["0.0"], so["0.0"]))
					}
				}
			}
		})
	}
}

func TestArgumentsThatAreRepeatedAreTheArgumentsThatWereSent(t *testing.T) {
	for name, c := range chains(t) {
		t.Run(name, func(t *testing.T) {
			for _, args := range []string{
				`{"to":"` + token + `"}`, `{"a":[{"b":[1,"` + token + `",true]}],"n":12345678,"s":"99999999"}`, `{"a":"\u00e9\ud83d\ude00 \"` + token + `"}`, `{}`, `{"a":"{{PII_EMAIL_0a1b"}`,
			} {
				want, refused := wholeParts(t, c, says{"function_call_arguments", []string{args}})
				for _, pieces := range argChoppings(args) {
					r := repeat(t, c, openai.Responses{}, toldIn(says{"function_call_arguments", pieces}))
					if refused != nil {
						require.NotNil(t, r.err, "%q", pieces)
						continue
					}
					require.Nil(t, r.err, "%q", pieces)
					require.JSONEq(t, want["0.0"][0], r.pieces["0.0"], "%q", pieces)
					for _, w := range r.wholes["0.0"] {
						require.Equal(t, r.pieces["0.0"], w, "%q", pieces)
					}
				}
			}
		})
	}
}

func TestManyPartsAreRepeatedEachWithItsOwnText(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()), link("restore", restoring(map[string]string{token: `a"b`}).stage()))
	for n := 1; n < 12; n++ {
		cut := func(s string) []string { return cutText(s, func() int { return n }) }
		parts := []says{
			{"reasoning_summary_text", cut("thinks of " + token + " and 12345678")},
			{"output_text", cut("first " + token + " 1234567")},
			{"function_call_arguments", cut(`{"to":"` + token + `","n":[12345678]}`)},
			{"function_call_arguments", cut(`{"x":"1234567"}`)},
			{"custom_tool_call_input", cut("run 123456789")},
			{"output_text", cut("second " + token)},
		}
		want, e := wholeParts(t, c, parts...)
		require.Nil(t, e)
		r := repeat(t, c, openai.Responses{}, toldIn(parts...))
		require.Nil(t, r.err)
		require.Len(t, r.wholes, len(parts))
		for key, all := range r.wholes {
			require.Len(t, all, map[bool]int{true: 4, false: 3}[key == "1.0" || key == "5.0"], key)
			for _, w := range all {
				require.Equal(t, want[key][0], w, "%s in pieces of %d", key, n)
				require.Equal(t, r.pieces[key], w)
			}
		}
	}
}

func TestEventsWhoseTextIsNotChangedLeaveAsTheyCame(t *testing.T) {
	for name, c := range chains(t) {
		t.Run(name, func(t *testing.T) {
			events := toldIn(
				says{"output_text", []string{"a ", "12", "34 \u00e9", " {{PII", " b"}},
				says{"function_call_arguments", []string{`{"a":`, `"x\u00e9"}`}},
			)
			r := repeat(t, c, openai.Responses{}, events)
			require.Nil(t, r.err)
			for _, ev := range events {
				if !strings.Contains(ev, ".delta") {
					assert.Contains(t, r.out, ev)
				}
			}
		})
	}
}

// TestTextThatCameInNoPiecesIsLookedAtAsAWhole: some providers tell an item only
// when it is done, or only in the last event.
func TestTextThatCameInNoPiecesIsLookedAtAsAWhole(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()), link("restore", restoring(map[string]string{token: "eve"}).stage()))
	all := toldIn(
		says{"output_text", []string{"to " + token + " 12345678"}},
		says{"function_call_arguments", []string{`{"to":"` + token + `","n":12345678}`}},
	)
	for name, keep := range map[string]func(ev string) bool{
		"without pieces":         func(ev string) bool { return !strings.Contains(ev, ".delta") },
		"only when it is done":   func(ev string) bool { return strings.Contains(ev, "output_item.done") },
		"only in the last event": func(ev string) bool { return strings.Contains(ev, "response.completed") },
	} {
		t.Run(name, func(t *testing.T) {
			var events []string
			for _, ev := range all {
				if keep(ev) {
					events = append(events, ev)
				}
			}
			r := repeat(t, c, openai.Responses{}, events)
			require.Nil(t, r.err)
			assert.Empty(t, r.pieces)
			for _, w := range r.wholes["0.0"] {
				assert.Regexp(t, `^to eve \{\{PII_NUMBER_\w{16}\}\}$`, w)
			}
			for _, w := range r.wholes["1.0"] {
				assert.Regexp(t, `^\{"to":"eve","n":"\{\{PII_NUMBER_\w{16}\}\}"\}$`, w)
			}
			assert.NotContains(t, r.out, "12345678")
		})
	}
	blocked := repeat(t, newChain(t, vault{}, link("block", blocking("secret").stage())), openai.Responses{}, []string{
		event("output_item.done", `"output_index":0,"item":`+says{"output_text", []string{"a secret"}}.item(0)),
	})
	require.NotNil(t, blocked.err)
	assert.Empty(t, blocked.out)
}

// TestAWholeThatSaysMoreThanItsPiecesIsCutToThem: what the links have not seen is not sent.
func TestAWholeThatSaysMoreThanItsPiecesIsCutToThem(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	events := toldIn(says{"output_text", []string{"a ", "b"}})
	for i := range events {
		if !strings.Contains(events[i], ".delta") {
			events[i] = strings.ReplaceAll(events[i], `"a b"`, `"a b 12345678"`)
		}
	}
	r := repeat(t, c, openai.Responses{}, events)
	require.Nil(t, r.err)
	assert.Equal(t, []string{"a b", "a b", "a b", "a b"}, r.wholes["0.0"])
}

func TestLogProbabilitiesOfAChangedWholeAreTakenOut(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	for text, want := range map[string]string{"12345678": `"logprobs":null`, "1234567": `"logprobs":[{"token":"1234567"}]`} {
		events := toldIn(says{"output_text", []string{text}})
		for i := range events {
			events[i] = strings.ReplaceAll(events[i], `"logprobs":[]`, `"logprobs":[{"token":"`+text+`"}]`)
			events[i] = strings.ReplaceAll(events[i], `output_text.done",`, `output_text.done","logprobs":[{"token":"`+text+`"}],`)
		}
		r := repeat(t, c, openai.Responses{}, events)
		require.Nil(t, r.err)
		assert.Equal(t, 3, strings.Count(r.out, want), "%s gives %s", text, r.out)
	}
}

// ending is a dialect whose parts end with the event of their last text.
type ending struct{ openai.Responses }

func (d ending) ScanEvent(x *core.Exchange, ev *core.Event) error {
	err := d.Responses.ScanEvent(x, ev)
	for _, delta := range ev.Deltas {
		if strings.Contains(string(ev.Raw), "last") {
			ev.Ends = append(ev.Ends, delta.Part)
		}
	}
	return err
}

func TestNothingHeldOvertakesTheEventThatEndsItsPart(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	piece := func(text string) string {
		return event("output_text.delta", `"item_id":"item0","output_index":0,"content_index":0,"delta":`+quote(text))
	}
	r := repeat(t, c, ending{}, []string{piece("a 1"), piece("2"), piece("3 last 4567")})
	require.Nil(t, r.err)
	assert.Equal(t, "a 123 last 4567", r.pieces["0.0"])
	assert.Equal(t, 2, strings.Count(r.out, "data: "), "an event that has nothing left is not sent")
}

func TestTextThatIsHeldGoesOutInAnEventOfItsItem(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	for _, kind := range []string{"output_text", "refusal", "reasoning_summary_text", "custom_tool_call_input", "function_call_arguments"} {
		text := []string{"12", "34"}
		if kind == "function_call_arguments" {
			text = []string{`{"a":"12`, `34`}
		}
		events := toldIn(says{"output_text", []string{"x"}}, says{kind, text})
		for i := range events {
			events[i] = strings.Replace(events[i], `"type"`, fmt.Sprintf(`"sequence_number":%d,"type"`, i), 1)
		}
		r := repeat(t, c, openai.Responses{}, events)
		require.Nil(t, r.err)
		assert.Equal(t, strings.Join(text, ""), r.pieces["1.0"], "%s", r.out)
		assert.Equal(t, 1, strings.Count(r.out, "event: response."+kind+".done\n")-map[bool]int{true: 1}[kind == "output_text"])
	}
}

func TestReasoningItemsAreKeptWhenTextIsHeld(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	reasoning := says{"reasoning_summary_text", []string{"thinks"}}
	events := toldIn(reasoning, says{"output_text", []string{"12", "34"}})
	r := repeat(t, c, openai.Responses{}, events)
	require.Nil(t, r.err)
	assert.Contains(t, r.out, event("output_item.done", `"output_index":0,"item":`+reasoning.item(0)), "what is sealed in it too")
	assert.Equal(t, "1234", r.pieces["1.0"])
	assert.Equal(t, 2, strings.Count(r.out, `"encrypted_content":"12345678"`), "also in the last event")
}
