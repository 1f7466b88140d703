package chain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// argChoppings cut the arguments between all their characters, those of escapes too.
func argChoppings(s string) [][]string {
	all := choppings(s)
	if r := []rune(s); len(r) > 3 {
		all = append(all, []string{string(r[:1]), string(r[1 : len(r)-1]), string(r[len(r)-1:])})
	}
	return all
}

func TestToolArgumentsGiveTheSameHoweverTheyAreCut(t *testing.T) {
	value := `a "b" \ c` + "\n" + `é 😀 }`
	c := newChain(t, vault{}, link("restore", restoring(map[string]string{token: value}).stage()), link("redact", redacting().stage()))
	for name, tc := range map[string]struct {
		args string
		want any // decoded; nil: as it came
	}{
		"a placeholder alone":                {`{"to":"` + token + `"}`, map[string]any{"to": value}},
		"a placeholder spelled in escapes":   {`{"to":"\u007b{PII_EMAIL_0a1b2c3d4e5f6a7\u0062}}"}`, map[string]any{"to": value}},
		"escapes beside it":                  {`{"to":"\n\"\\\/\u00e9\ud83d\ude00` + token + `\ud83d\ude00\u00e9\t"}`, map[string]any{"to": "\n\"\\/é😀" + value + "😀é\t"}},
		"a surrogate pair with no neighbour": {`{"a":"\ud83d\ude00"}`, nil},
		"a name of a member":                 {`{"` + token + `":"x"}`, map[string]any{value: "x"}},
		"a nested value":                     {`{"a":[{"b":[1,"` + token + `",true,null]}],"c":{}}`, map[string]any{"a": []any{map[string]any{"b": []any{1.0, value, true, nil}}}, "c": map[string]any{}}},
		"two values":                         {`{"a":"` + token + `","b":"` + token + token + `"}`, map[string]any{"a": value, "b": value + value}},
		"a short number":                     {`{"n":12345,"m":-1.5e3}`, nil},
		"numbers that touch the end":         {`[1234567]`, nil},
		"a very long number":                 {`{"n":` + strings.Repeat("1", 100) + `}`, nil},
		"white space":                        {" {\n\t\"a\" : \"x\" , \"b\" : [ ] }\r\n", nil},
		"a string alone":                     {`"` + token + `"`, value},
		"nothing":                            {`{}`, nil},
		"half a placeholder":                 {`{"a":"{{PII_EMAIL_0a1b"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range argChoppings(tc.args) {
				var events []string
				for _, p := range pieces {
					events = append(events, argsOf(0, p))
				}
				r := stream(t, c, append(events, chunk(0, "", `"tool_calls"`), doneEvent))
				require.Nil(t, r.err)
				got := r.parts["0.args0"]
				require.True(t, json.Valid([]byte(got)), "%q gives %q", pieces, got)
				want := tc.want
				if want == nil {
					require.NoError(t, json.Unmarshal([]byte(tc.args), &want))
				}
				var decoded any
				require.NoError(t, json.Unmarshal([]byte(got), &decoded))
				require.Equal(t, want, decoded, "%q", pieces)
			}
		})
	}
}

func TestANumberInToolArgumentsThatIsRedactedBecomesAString(t *testing.T) {
	c := redactingChain(t)
	for _, pieces := range argChoppings(`{"s":"x","card":4111111111111111,"12345678":"","z":[12345678,"","y"]}`) {
		var events []string
		for _, p := range pieces {
			events = append(events, argsOf(0, p))
		}
		r := stream(t, c, append(events, doneEvent))
		require.Nil(t, r.err)
		require.Regexp(
			t,
			`^\{"s":"x","card":"\{\{PII_NUMBER_\w{16}\}\}","\{\{PII_NUMBER_\w{16}\}\}":"","z":\["\{\{PII_NUMBER_\w{16}\}\}","","y"\]\}$`,
			r.parts["0.args0"],
			"%q",
			pieces,
		)
	}
}

func TestParallelToolCallsThatComeInTurnsAreToldApart(t *testing.T) {
	c := newChain(t, vault{}, link("restore", restoring(map[string]string{token: `q"q`}).stage()))
	r := stream(t, c, []string{
		argsOf(0, `{"a":"{{PII_EMAIL`), argsOf(1, `{"b":"`), argsOf(0, `_0a1b2c3d4e5f6a7b}}"`), argsOf(1, token+`"}`), argsOf(0, `}`),
		chunk(0, "", `"tool_calls"`), doneEvent,
	})
	require.Nil(t, r.err)
	assert.JSONEq(t, `{"a":"q\"q"}`, r.parts["0.args0"])
	assert.JSONEq(t, `{"b":"q\"q"}`, r.parts["0.args1"])
}

func TestArgumentsThatEndInTheMiddleAreReleased(t *testing.T) {
	for name, args := range map[string]string{
		"in a string":           `{"a":"x 1234`,
		"in an escape":          `{"a":"x \u00`,
		"in a pair":             `{"a":"x \ud83d`,
		"in a number":           `{"a":1234567`,
		"in a literal":          `{"a":tru`,
		"text that is not JSON": `no "json" {{PII_ 1234567`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range argChoppings(args) {
				var events []string
				for _, p := range pieces {
					events = append(events, argsOf(0, p))
				}
				r := stream(t, redactingChain(t), events)
				require.Nil(t, r.err)
				require.Equal(t, args, r.parts["0.args0"], "%q", pieces)
			}
		})
	}
}

func TestACustomToolsInputIsTextNotJSON(t *testing.T) {
	custom := func(s string) string {
		return chunk(0, `"tool_calls":[{"index":0,"custom":{"input":`+quote(s)+`}}]`, "null")
	}
	r := stream(t, redactingChain(t), []string{custom(`SELECT 1234`), custom(`5678 "`), doneEvent})
	require.Nil(t, r.err)
	assert.Regexp(t, `^SELECT \{\{PII_NUMBER_\w+\}\} "$`, r.parts["0.input0"])
}

// Whole, text that is not JSON is shown to the links too; see Payload.AddJSON.
func TestArgumentsThatAreASentenceAreLookedAtAsText(t *testing.T) {
	for name, args := range map[string]string{
		"a sentence":            "the card is 4111111111111111, thanks",
		"behind white space":    " \n the card is 4111111111111111",
		"with quotes in it":     `card "4111111111111111" and 4111111111111112`,
		"a word like a literal": "nul 4111111111111111",
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range argChoppings(args) {
				if name == "a word like a literal" && len(pieces[0]) < 4 {
					continue // it begins as JSON may begin
				}
				var events []string
				for _, p := range pieces {
					events = append(events, argsOf(0, p))
				}
				r := stream(t, redactingChain(t), append(events, doneEvent))
				require.Nil(t, r.err)
				assert.NotContains(t, r.parts["0.args0"], "411111111111111", "%q", pieces)
				assert.Contains(t, r.parts["0.args0"], "{{PII_NUMBER_")
			}
		})
	}
}
