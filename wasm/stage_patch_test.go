package wasm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// newScriptChain creates a chain of a stage that runs the steps.
func newScriptChain(t *testing.T, s script) *chain.Chain {
	t.Helper()
	c, err := chain.New(
		[]chain.Link{{Name: "link", Stage: s.stage(t), Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}},
		mint{},
	)
	require.NoError(t, err)
	return c
}

func TestAStagePutsAPlaceholderInThePlaceOfAText(t *testing.T) {
	x := newConversation(t)
	d := newScriptChain(t, script{steps: "1 P 1 0 7 NAME;1 e 3 0 2 43;"}).RunRequest(context.Background(), x)
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.Equal(t, `["be brief","<NAME:Grüße>","aus Köln","43"]`, string(x.Request.Raw))
}

func TestAStagePutsPlaceholdersIntoAnAnswerAsItComes(t *testing.T) {
	s := script{follow: true, steps: "7 H 1;7 P 0 0 1 WORD;"}.stage(t)
	out := stagetest.Streamed(t, s, stagetest.Text{Phase: core.Response, Role: core.RoleAssistant}, []string{"abc", ""})
	assert.Equal(t, core.Rewrite, out.Action)
	v, err := s.Check(context.Background(), answerTexts(t, []bool{false, true}, "ab", "cd"), core.Response, nil)
	require.NoError(t, err)
	assert.Equal(t, []core.Edit{{Segment: 0, Start: 0, End: 1, Type: "WORD", Value: "a"}}, v.Edits)
}

func TestAStageAsksForAnotherModelAndForFewerTokens(t *testing.T) {
	x := newConversation(t)
	c := newScriptChain(t, script{steps: "1 C 50;1 M gpt-4o-mini;1 C 70;1 e 0 0 2 Be;"})
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, "gpt-4o-mini", x.Model())
	assert.Equal(t, int64(50), x.TokenCap())
	assert.Contains(t, string(x.Request.Raw), "Be brief")

	x = newConversation(t)
	require.Equal(t, core.Block, newScriptChain(t, script{steps: "1 M other;1 d no no;"}).RunRequest(context.Background(), x).Action)
	assert.Equal(t, "gpt-4o", x.Model(), "a denial drops it")
}

// A chosen model may be at a provider that no route opens to clients.
func TestAStageThatHandsBackTheModelItWasShownHasNotChosenIt(t *testing.T) {
	for name, chosen := range map[string]bool{"gpt-4o": false, "GPT-4o": false, "gpt-4o-mini": true} {
		x := newConversation(t)
		require.Equal(t, core.Pass, newScriptChain(t, script{steps: "1 M " + name + ";"}).RunRequest(context.Background(), x).Action)
		assert.Equal(t, chosen, x.IsModelChosen(), name)
	}
	x := newConversation(t)
	x.ApplyPatch(core.Patch{Model: "other"})
	require.Equal(t, core.Pass, newScriptChain(t, script{steps: "1 M gpt-4o;"}).RunRequest(context.Background(), x).Action)
	assert.Equal(t, "other", x.Model(), "the choice of an earlier link stays, because the stage was shown the client's name")
}

func TestWhatMayNotBeChangedIsAFault(t *testing.T) {
	for steps, says := range map[string]string{
		"1 P 1 0 7 name;": "capitals", "1 P 1 0 0 NAME;": "redacted nothing", "1 P 1 0 3 NAME;": "inside a character", "1 P 9 0 1 NAME;": "segment that there is not",
		"1 P 1 0 7 NAME;1 e 1 0 7 x;": "overlap", "1 M -;": "empty", "1 C 0;": "less than one", "1 C -5;": "less than one",
	} {
		_, err := script{steps: steps}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
		requireFault(t, err, says)
	}
	_, err := script{steps: "3 M x;"}.stage(t).Check(context.Background(), newConversation(t), core.Response, nil)
	requireFault(t, err, "phase other than the request")
	_, err = script{steps: "3 C 5;"}.stage(t).Check(context.Background(), newConversation(t), core.Response, nil)
	requireFault(t, err, "in which nothing is sent any more")
	v, err := script{steps: "2 C 5;"}.stage(t).Check(context.Background(), newConversation(t), core.Target, nil)
	require.NoError(t, err)
	assert.Equal(t, int64(5), v.Patch.MaxTokens, "a target may be sent a lower limit")
	for _, missing := range []string{abi.CapabilityRedact, abi.CapabilityPatch} {
		m := allManifest()
		m.Capabilities = nil
		for _, c := range allManifest().Capabilities {
			if c != missing {
				m.Capabilities = append(m.Capabilities, c)
			}
		}
		_, err := Load(context.Background(), LoadOptions{Source: testModule(t, "stage"), Name: "x.wasm", Manifest: m})
		require.ErrorContains(t, err, `does not list the capability "`+missing+`"`)
	}
}
