package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestModelsAreComparedWithTheSamePrompt(t *testing.T) {
	f, b := servePlayground(t, auth.RoleOwner)
	a := b.post("/try/compare", url.Values{
		"tenant": {"t1"}, "model": {"m1"}, "model2": {"broken"}, "model3": {"m3"}, "message": {"Hi"}, "system": {"Be brief."}, "temperature": {"0.5"},
		"role": {"user", "assistant"}, "content": {"A", "B"},
	})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Len(t, f.bodies, 3)
	for i, body := range f.bodies {
		_, rest, found := strings.Cut(body, `,"stream":false,`)
		require.True(t, found, body)
		assert.Equal(t, `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"A"},`+
			`{"role":"assistant","content":"B"},{"role":"user","content":"Hi"}],"temperature":0.5}`, rest)
		assert.Equal(t, "t1", f.grants[i].Tenant)
		assert.Equal(t, "user:u-ada", f.grants[i].Actor)
	}
	columns := strings.Split(a.body, `<article class="card">`)
	require.Len(t, columns, 4)
	for i, c := range []struct{ model, says string }{{"m1", "I am m1."}, {"broken", "The provider does not answer"}, {"m3", "I am m3."}} {
		for _, text := range []string{
			c.says, "p1 · " + c.model + "-sent", "120 ms", "11 in, 22 out", "0.50", "guard-of-" + c.model, `href="/requests/id-` + c.model,
		} {
			assert.Contains(t, columns[i+1], text, c.model)
		}
	}
	for _, kept := range []string{`value="broken"`, `>Hi</textarea>`, `name="content" value="B"`} {
		assert.Contains(t, a.body, kept, "the form can be sent again")
	}
	assert.NotContains(t, a.body, `name="content" value="Hi"`, "a comparison does not continue the conversation")
}

func TestTheCallsOfAComparisonRunAtOnce(t *testing.T) {
	f, b := servePlayground(t, auth.RoleOwner)
	f.waiting.Add(2)
	f.arrived = f.waiting.Done // the first call waits for the second
	a := b.post("/try/compare", url.Values{"tenant": {"t1"}, "model": {"m1"}, "model2": {"m2"}, "message": {"Hi"}})
	assert.Contains(t, a.body, "I am m1.")
	assert.Contains(t, a.body, "I am m2.")
}

func TestAnIncompleteAnswerFailsItsColumnOnly(t *testing.T) {
	_, b := servePlayground(t, auth.RoleOwner)
	a := b.post("/try/compare", url.Values{"tenant": {"t1"}, "model": {"torn"}, "model2": {"m2"}, "message": {"Hi"}})
	require.Equal(t, http.StatusOK, a.status)
	assert.Contains(t, a.body, "The answer of the provider is incomplete.")
	assert.Contains(t, a.body, "There is no trace of this call.")
	assert.Contains(t, a.body, "I am m2.")
}

func TestAComparisonIsRefusedWithoutACall(t *testing.T) {
	f, b := servePlayground(t, auth.RoleOwner)
	for says, form := range map[string]url.Values{
		"Write the name of a model to compare with.": {"model": {"m1"}, "message": {"Hi"}, "model3": {" "}},
		"Write a message.":                           {"model": {"m1"}, "model2": {"m2"}},
		"Write the name of a model.":                 {"model2": {"m2"}, "message": {"Hi"}},
	} {
		form.Set("tenant", "t1")
		assert.Contains(t, b.post("/try/compare", form).body, says)
	}
	form := url.Values{"tenant": {"elsewhere"}, "model": {"m1"}, "model2": {"m2"}, "message": {"Hi"}}
	assert.Equal(t, http.StatusNotFound, b.post("/try/compare", form).status)
	assert.Empty(t, f.bodies)
	f, b = servePlayground(t, auth.RoleViewer)
	form.Set("tenant", "t1")
	assert.Equal(t, http.StatusForbidden, b.post("/try/compare", form).status)
	assert.Empty(t, f.bodies)
}
