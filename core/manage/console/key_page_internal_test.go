package console

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

var keyFields = url.Values{"name": {"ci"}, "scopes": {"completions:write", "models:read"}}

func TestANewKeyComesWithSnippetsThatContainIt(t *testing.T) {
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Gateway = "http://127.0.0.1:8080" })
	s.user("tom", auth.RoleAdmin)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	made := b.post("/workspaces/t1/keys", keyFields)
	require.Equal(t, 200, made.status)
	plain := cutBetween(t, made.body, `readonly value="`, `"`)
	for _, name := range []string{"curl", "Python", "JavaScript", "Claude Code", "Codex"} {
		_, from, ok := strings.Cut(made.body, "<summary>"+name+"</summary>")
		require.True(t, ok, name)
		text, _, _ := strings.Cut(from, "</pre>")
		assert.Contains(t, text, plain, name)
		assert.Contains(t, text, "http://127.0.0.1:8080", name)
		assert.NotRegexp(t, `&lt;(base|model|shell|python|script|imports|export)&gt;`, text, name)
	}
	assert.Contains(t, made.body, "ANTHROPIC_BASE_URL=http://127.0.0.1:8080\n")
	assert.Contains(t, made.body, "ANTHROPIC_MODEL=mock-echo\n")

	id := cutBetween(t, b.get("/workspaces/t1").body, `href="/workspaces/t1/keys/`, `"`)
	page := b.get("/workspaces/t1/keys/" + id)
	require.Equal(t, 200, page.status)
	assert.NotContains(t, page.body, plain, "the plaintext is shown once")
	for _, part := range []string{
		"$HEADGATE_KEY", `data-copy-text="` + id + `"`, "completions:write, models:read", "Last used", "never", "Spent in 30 days",
		"/budgets?tenant=t1&amp;key=" + id + "#new", "/requests?tenant=t1&amp;key=" + id, "Save key",
	} {
		assert.Contains(t, page.body, part)
	}
	assert.Equal(t, 404, b.get("/workspaces/t1/keys/none").status)
}

func TestAKeyIsEditedOnItsPage(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	require.Equal(t, 200, b.post("/workspaces/t1/keys", keyFields).status)
	id := cutBetween(t, b.get("/workspaces/t1").body, `href="/workspaces/t1/keys/`, `"`)
	path := "/workspaces/t1/keys/" + id
	tag := cutBetween(t, b.get(path).body, `name="tag" value="`, `"`)
	form := url.Values{
		"tag": {tag}, "name": {"nightly"}, "tier": {"bulk"}, "tags": {"batch, ci"}, "scopes": {"completions:write"}, "expires_at": {"2999-01-31"},
	}
	require.Equal(t, 303, b.post(path, form).status)
	k, err := s.db.Keys().Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, []any{"nightly", "bulk", []string{"batch", "ci"}, []string{"completions:write"}, "2999-01-31T23:59:59Z"},
		[]any{k.Name, k.Tier, k.Tags, k.Scopes, k.ExpiresAt.UTC().Format("2006-01-02T15:04:05Z")})
	stale := b.post(path, form)
	assert.Equal(t, 412, stale.status)
	assert.Contains(t, stale.body, "Somebody else changed this")
	assert.Equal(t, tag, cutBetween(t, stale.body, `name="tag" value="`, `"`), "sending it again must not overwrite the other change")
	form.Set("tag", cutBetween(t, b.get(path).body, `name="tag" value="`, `"`))
	form.Set("expires_at", "2001-01-01")
	refused := b.post(path, form)
	assert.Equal(t, 400, refused.status)
	assert.Contains(t, refused.body, `value="nightly"`)
	assert.Equal(t, form.Get("tag"), cutBetween(t, refused.body, `name="tag" value="`, `"`), "the version that the form was opened with")
	form.Set("expires_at", "")
	require.Equal(t, 303, b.post(path, form).status)
	assert.Equal(t, 403, s.signedIn(s.user("vera", auth.RoleViewer)).post(path, form).status)
	for _, typed := range []string{"", "Nightly"} {
		wrong := b.post(path+"/revoke", url.Values{"typed": {typed}})
		assert.Equal(t, 400, wrong.status)
		assert.Contains(t, wrong.body, "The name does not match, and nothing was changed. Type nightly.")
		assert.Contains(t, wrong.body, `<details class="confirm" open>`)
	}
	require.Contains(t, b.get(path).body, "Save key", "the key was not revoked")
	require.Equal(t, 303, b.post(path+"/revoke", url.Values{"typed": {" nightly "}}).status)
	assert.NotContains(t, b.get(path).body, "Save key")
	form.Set("tag", "")
	assert.Equal(t, 409, b.post(path, form).status, "a revoked key stays as it was")
}

// cutBetween returns the text between two marks.
func cutBetween(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, from)
	require.True(t, ok, "%q is missing", from)
	in, _, ok := strings.Cut(after, to)
	require.True(t, ok)
	return html.UnescapeString(in)
}
