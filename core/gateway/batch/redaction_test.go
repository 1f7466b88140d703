package batch_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/stages/pii"
)

const card = "4111 1111 1111 1111"

var cardToken = regexp.MustCompile(`\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}`)

type tokens struct{ v *vault.Vault }

func scope(x *core.Exchange) vault.Scope {
	return vault.Scope{User: x.Head.User, Tenant: x.Principal.Tenant, Key: x.Principal.Lineage}
}

func (t tokens) Mint(ctx context.Context, x *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	return t.v.Mint(ctx, scope(x), typ, value)
}

func (t tokens) Resolve(ctx context.Context, x *core.Exchange, token string) (string, bool, error) {
	return t.v.Resolve(ctx, scope(x), token)
}

type block string

func (b block) Decode(into any) error { return yaml.Unmarshal([]byte(b), into) }

// redacting puts the PII stage and a vault into a gate, behind other links of the
// gateway's chain.
func redacting(t *testing.T, g *gate, settings string, others ...chain.Link) {
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite::memory:")
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	t.Cleanup(func() {
		assert.NoError(t, w.Close(ctx))
		assert.NoError(t, db.Close(ctx))
	})
	master, _, err := vault.LoadMaster(ctx, db, "")
	require.NoError(t, err)
	v, err := vault.New(db, w, master, vault.Options{})
	require.NoError(t, err)
	st, err := pii.New(block(settings), tokens{v})
	require.NoError(t, err)
	all, err := chain.New(append(others, chain.Link{
		Name:    "pii",
		Stage:   st,
		Phases:  core.NewPhaseSet(core.Request, core.Response),
		Mode:    chain.Enforce,
		OnFault: chain.FaultBlocks,
		Redacts: true,
	}), tokens{v})
	require.NoError(t, err)
	chain, err := all.ForRedaction()
	require.NoError(t, err)
	r := batch.NewRedaction(chain, g.notePanic)
	g.rule(func(to *batch.Rules) { to.Redactor, to.Restorer = r, r })
}

func TestValuesLeaveAsPlaceholdersAndComeBackToTheSameKey(t *testing.T) {
	g := open(t, nil)
	redacting(t, g, "{}")
	content := request("a", "gpt-4o", "my card is "+card) + request("jo@example.com", "gpt-4o", "hello") + request("c", "gpt-4o", "none")
	file := g.requireUpload("dev", content)
	sent := g.vendor.last()
	assert.NotContains(t, sent, "4111")
	assert.NotContains(t, sent, "jo@example.com", "a custom_id goes to the provider too")
	token := cardToken.FindString(sent)
	require.NotEmpty(t, token)
	assert.Equal(t, strings.ReplaceAll(content, `"gpt-4o"`, `"gpt-4o-2024"`), g.get("dev", "/v1/files/"+file+"/content").body)
	assert.Equal(t, sent, g.get("mate", "/v1/files/"+file+"/content").body, "another key reads placeholders")

	id := g.requireBatch("dev", file)
	email := regexp.MustCompile(`\{\{PII_EMAIL_[0-9a-f]{16}\}\}`).FindString(sent)
	require.NotEmpty(t, email)
	args := `{"custom_id":"a","response":{"body":{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{\"to\":\"` + token + `\",\"n\":1.0e0}"}}]}}]}}}` + "\n"
	g.vendor.finish(result("a", "card "+token+" it is", 1, 1) + result(email, "hi", 1, 1) + args + "no JSON " + token + "\n" + `{"n":1.0e0}`)
	out := g.get("dev", "/v1/batches/"+id).json(t)["output_file_id"].(string)
	assert.Equal(
		t,
		result(
			"a",
			"card "+card+" it is",
			1,
			1,
		)+result(
			"jo@example.com",
			"hi",
			1,
			1,
		)+strings.Replace(
			args,
			token,
			card,
			1,
		)+"no JSON "+token+"\n"+`{"n":1.0e0}`,
		g.get("dev", "/v1/files/"+out+"/content").body,
	)
	assert.Contains(t, g.get("mate", "/v1/files/"+out+"/content").body, token)

	r := g.records()
	assert.Contains(t, r[0], `"findings":[{"link":"pii","label":"CREDIT_CARD","count":1},{"link":"pii","label":"EMAIL","count":1}]`)
	assert.NotContains(t, strings.Join(r, ""), "4111")
}

func TestABlockNamesTheLine(t *testing.T) {
	g := open(t, nil)
	redacting(t, g, "action: block")
	for _, content := range []string{
		request("a", "gpt-4o", "x") + request("b", "gpt-4o", card),
		request("a", "mock-echo", "x") + request("b", "mock-echo", card),
		request("a", "gpt-4o", "x") + request("jo@example.com", "gpt-4o", "x"),
	} {
		a := g.upload("dev", content)
		assert.Equal(t, 400, a.status, a.body)
		code, message := a.fault(t)
		assert.Equal(t, core.CodeContentFilter, code)
		assert.True(t, strings.HasPrefix(message, "line 2: "), message)
		assert.NotContains(t, message, "4111")
	}
	assert.Empty(t, g.vendor.forms)
}

func TestLinesTooLongToRestoreAreSentAsTheyAre(t *testing.T) {
	g := open(t, func(o *batch.Options) { o.MaxLine = 100_000 })
	redacting(t, g, "{}")
	file := g.requireUpload("dev", request("a", "gpt-4o", card))
	token := cardToken.FindString(g.vendor.last())
	long := result("a", strings.Repeat("x", 250_000)+token, 1, 1)
	g.vendor.finish(long + result("b", token, 1, 1))
	id := g.requireBatch("dev", file)
	g.vendor.finish(long + result("b", token, 1, 1))
	out := g.get("dev", "/v1/batches/"+id).json(t)["output_file_id"].(string)
	assert.Equal(t, long+result("b", card, 1, 1), g.get("dev", "/v1/files/"+out+"/content").body)
}
