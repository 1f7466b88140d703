package policytest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// redactAll redacts whatever is found in answers.
const redactAll = `{id: r, phase: response, action: REDACT, params: {types: ["*"]}}`

func redactRequests(t *testing.T, by *Subject) {
	for _, kinds := range [][]string{{Detector, Policy}, {Policy, Detector}} {
		b := newBench(t, by, kinds, NewActive(FormatRule(`{id: r, conditions: {pii.types_any: [CREDIT_CARD]}, action: REDACT}`)))
		x, d := b.Send(FormatRequest("card 4111 1111 1111 1111, mail a@b.example"))
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5", "").Action)
		assert.Regexp(t, `card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}, mail a@b\.example"`, string(x.Request.Raw))
		require.Equal(t, core.Pass, b.SendTo(x, "other", "gpt-5", "").Action, "what is redacted is not redacted again")
	}
}

func redactSplitValue(t *testing.T, by *Subject) {
	b := newBench(t, by, []string{Detector, Policy}, NewActive(FormatRule(`{id: r, action: REDACT, params: {types: ["*"]}}`)))
	x, d := b.Send(
		`{"model":"gpt-5","messages":[{"role":"user","content":[{"type":"text","text":"card 4111 1111"},{"type":"text","text":" 1111 1111 end"}]}]}`,
	)
	require.Equal(t, core.Pass, d.Action)
	assert.Regexp(t, `"card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}"\},\{"type":"text","text":" end"`, string(x.Request.Raw))
}

func redactAnswers(t *testing.T, by *Subject) {
	b := newBench(t, by, []string{Policy, Detector}, NewActive(FormatRule(redactAll)))
	x, _ := b.Send(Hello)
	require.Equal(t, core.Pass, b.AnswerWhole(x, Answer).Action)
	assert.Regexp(t, `his card is \{\{PII_CREDIT_CARD_`, string(x.Response.Raw))
	x, _ = b.Send(Hello)
	for _, words := range []string{"his card is ", "so, again: his card is "} { // the model was asked again
		raw := strings.Replace(Answer, "his card is 5555 5555 5555 4444", words+"5555 5555 5555 4444, and that is all that there is to say about it", 1)
		require.Equal(t, core.Pass, b.AnswerWhole(x, raw).Action)
		assert.Regexp(t, words+`\{\{PII_CREDIT_CARD_\w{16}\}\}, and that is all`, string(x.Response.Raw))
	}
}

// answerText returns what a chain leaves of a whole answer with the text.
func (b *Bench) answerText(text string) string {
	b.T.Helper()
	x, _ := b.Send(Hello)
	defer b.Finish(x)
	require.Equal(b.T, core.Pass, b.AnswerWhole(x, `{"choices":[{"index":0,"message":{"role":"assistant","content":"`+text+`"}}]}`).Action)
	return x.Response.ReadText(0)
}

var contents = regexp.MustCompile(`"content":"([^"]*)"`)

// streamText returns what the client is sent of a text in pieces.
func (b *Bench) streamText(pieces []string) string {
	b.T.Helper()
	x, _ := b.Send(helloStream)
	defer b.Finish(x)
	out, e := b.Stream(x, pieces...)
	require.Nil(b.T, e)
	var text strings.Builder
	for _, m := range contents.FindAllStringSubmatch(out, -1) {
		text.WriteString(m[1])
	}
	return text.String()
}

const card = "His card is 5555 5555 5555 4444, his address lee@example.com, and hers ann@example.com or +44 20 7946 0958. That is all there is to say of it."

func redactStreams(t *testing.T, by *Subject) {
	for name, r := range map[string]string{
		"all":                              redactAll,
		"one type":                         `{id: r, phase: response, action: REDACT, params: {types: [EMAIL]}}`,
		"what its condition names":         `{id: r, conditions: {response.pii_types_any: [CREDIT_CARD]}, action: REDACT}`,
		"for a tenant":                     `{id: r, conditions: {tenant.in: [t-a]}, phase: response, action: REDACT, params: {types: ["*"]}}`,
		"for another tenant":               `{id: r, conditions: {tenant.in: [t-b]}, phase: response, action: REDACT, params: {types: ["*"]}}`,
		"when something else is found too": `{id: r, conditions: {response.pii_types_any: [PHONE]}, action: REDACT, params: {types: [CREDIT_CARD]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, by, []string{Policy, Detector}, NewActive(FormatRule(r)))
			want := b.answerText(card)
			assert.Equal(t, name == "for another tenant", want == card)
			for seed := range uint64(20) {
				pieces := stagetest.Chop(rand.New(rand.NewPCG(seed, 7)), card, int(seed)+1)
				require.Equal(t, want, b.streamText(pieces), "%q", pieces)
			}
		})
	}
}

func redactEarly(t *testing.T, by *Subject) {
	for name, r := range map[string]string{
		"the length":        `{id: r, conditions: {response.tokens_gt: 100000}, action: REDACT, params: {types: ["*"]}}`,
		"the finish reason": `{id: r, conditions: {response.finish_reason_in: [length]}, action: REDACT, params: {types: ["*"]}}`,
		"an exception":      `{id: r, phase: response, unless: {response.finish_reason_in: [stop]}, action: REDACT, params: {types: ["*"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, by, []string{Policy, Detector}, NewActive(FormatRule(r)))
			got := b.streamText([]string{card[:20], card[20:]})
			assert.NotContains(t, got, "5555 5555")
			assert.NotContains(t, got, "example.com")
		})
	}
}

func allowUnredacted(t *testing.T, by *Subject) {
	b := newBench(t, by, []string{Policy, Detector}, NewActive("version: 1\nname: p\nrules:\n  - "+redactAll+
		"\n  - {id: ok, conditions: {tenant.in: [t-a]}, action: ALLOW, params: {exempts: [r]}}\n"))
	assert.Equal(t, card, b.answerText(card))
	assert.Equal(t, card, b.streamText([]string{card[:20], card[20:]}))
}

func cutUnplaced(t *testing.T, by *Subject) {
	for name, types := range map[string]string{"wanted": `["*"]`, "not wanted": "[EMAIL]"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, phase: response, action: REDACT, params: {types: `+types+`}}`)))
			links := append(append([]chain.Link(nil), b.Chain.Links()...),
				chain.Link{Name: "finds", Stage: unplaced{}, Phases: core.NewPhaseSet(core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks})
			own := b.Chain // closes the link of the stage
			var err error
			b.Chain, err = chain.New(links, tokens{})
			require.NoError(t, err)
			defer func() { b.Chain = own }()
			x, _ := b.Send(helloStream)
			defer b.Finish(x)
			out, e := b.Stream(x, "he is EMP-1", " and more")
			if name == "not wanted" {
				assert.Nil(t, e)
				return
			}
			require.NotNil(t, e)
			assert.Equal(t, core.CodePolicyDenied, e.Code)
			assert.Contains(t, e.Public, "EMPLOYEE")
			assert.NotContains(t, out, "EMP-1")
		})
	}
}
