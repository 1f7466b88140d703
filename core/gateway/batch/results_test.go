package batch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// content returns the results of a batch of some lines, as the client gets them.
func (g *gate) content(lines, results string) string {
	g.t.Helper()
	id := g.requireBatch("dev", g.requireUpload("dev", lines))
	g.vendor.finish(results)
	out, ok := g.get("dev", "/v1/batches/"+id).json(g.t)["output_file_id"].(string)
	require.True(g.t, ok)
	return g.get("dev", "/v1/files/"+out+"/content").body
}

func TestALinkForAModelSeesItsResultsWhateverTheProviderCallsIt(t *testing.T) {
	for _, model := range []string{"fast", "own"} { // another name of the same model, and a deployment
		g := open(t, nil)
		guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}, For: chain.Filter{Models: []string{model}}})
		got := g.content(
			request("a", "gpt-4o", "x")+request("b", model, "x"),
			result("a", "fine", 1, 1)+result("b", "a secret", 1, 1),
		)
		assert.NotContains(t, got, "secret", model)
		assert.Contains(t, got, "fine")
		assert.Contains(t, got, `"custom_id":"b","response":null`)
		assert.Contains(t, strings.Join(g.records(), "\n"), `{"link":"words","label":"word","count":1}`)

		got = g.content(request("a", "gpt-4o", "x"), result("a", "a secret", 1, 1))
		assert.Contains(t, got, "secret", "a file of another model alone is none of the link's")
	}
}

func TestTextInPlacesOfIdentifiersOfAResultIsJudged(t *testing.T) {
	g := open(t, nil)
	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}})
	lines := request("a", "gpt-4o", "x")
	good := result("a", "fine", 1, 1)
	assert.Equal(t, good, g.content(lines, good))
	for _, member := range []string{"data", "status", "type", "id", "signature", "encrypted_content", "object"} {
		bad := strings.Replace(good, `"content":"fine"`, `"content":"fine","`+member+`":"this is a secret"`, 1)
		assert.NotContains(t, g.content(lines, bad), "secret", member)
		plain := strings.Replace(good, `"content":"fine"`, `"content":"fine","`+member+`":"c2VjcmV0/secret=="`, 1)
		assert.Contains(t, g.content(lines, plain), "c2VjcmV0", member)
	}
	name := strings.Replace(good, `"content":"fine"`, `"content":"fine","a secret":1`, 1)
	assert.NotContains(t, g.content(lines, name), "secret", "a name of a member")
}

// fallsOver panics at the end of each line.
type fallsOver struct{ wordGuard }

func (fallsOver) Finish(context.Context, *core.Exchange, any) { panic("over") }

func TestAPanicAtTheEndOfALineOfABatchIsReported(t *testing.T) {
	g := open(t, nil)
	redacting(t, g, "{}", chain.Link{
		Name: "first", Stage: fallsOver{wordGuard{word: "secret"}}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce, OnFault: chain.FaultBlocks, Redacts: true,
	})
	g.requireUpload("dev", request("a", "gpt-4o", "x"))
	require.NotEmpty(t, g.panics)
	assert.Equal(t, "first", g.panics[0].Link)

	g.panics = nil
	guarding(t, g, chain.Link{Stage: fallsOver{wordGuard{word: "secret"}}})
	g.requireUpload("dev", request("a", "gpt-4o", "x"))
	require.NotEmpty(t, g.panics)
	assert.Equal(t, "words", g.panics[0].Link)
	assert.Equal(t, "over", g.panics[0].Value)
	assert.NotEmpty(t, g.panics[0].Stack)
}

// restores puts a value in place of its token, as a stage that redacts does, and refuses a text with the value.
type restores struct{}

func (restores) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	for i := range x.Response.Segments {
		text := x.Response.ReadText(i)
		if p != core.Response || strings.Contains(text, "ann.lee") {
			return wordGuard{word: "ann.lee"}.Check(context.Background(), x, p, nil)
		}
		if at := strings.Index(text, "TOKEN"); at >= 0 {
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len("TOKEN"), With: "ann.lee"})
		}
	}
	return v, nil
}

func TestNoLinkSeesWhatAResultIsRestoredTo(t *testing.T) {
	g := open(t, nil)
	guarding(t, g, chain.Link{Stage: restores{}})
	got := g.content(request("a", "gpt-4o", "x")+request("b", "fast", "x"), result("a", "TOKEN", 1, 1)+result("b", "TOKEN", 1, 1))
	assert.Equal(t, 2, strings.Count(got, "ann.lee"), "each model's links judge what the provider sent")
	assert.NotContains(t, got, "TOKEN")
}
