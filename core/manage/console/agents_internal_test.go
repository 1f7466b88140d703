package console

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// anyAddress allows every address.
type anyAddress struct{ admin.Subscribers }

func (anyAddress) CheckURL(string) error { return nil }

// clearBox seals nothing.
type clearBox struct{ admin.Box }

func (clearBox) Seal(plain []byte, _ string) []byte { return plain }

func TestAddressesOfPushNotificationsAreEditedAndShownMasked(t *testing.T) {
	s := serveSite(t, nil)
	s.c.Service.Subscribers, s.c.Service.AgentBox = anyAddress{}, clearBox{}
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	const first, second = "https://hooks.example.com/a2a/secret-path", "https://other.example.com"
	form := url.Values{"name": {"planner"}, "url": {"https://agents.example.com/planner"}, "push_to": {first + "\r\n" + second + "\r\n"}}
	require.Equal(t, 303, b.post("/agents", form).status)
	stored := func() []string {
		r, err := store.NewAgents(s.db).Get(t.Context(), "planner")
		require.NoError(t, err)
		return r.PushTo
	}
	assert.Equal(t, []string{first, second}, stored())
	page := b.get("/agents/planner").body
	assert.Contains(t, page, "https://hooks.example.com/…, https://other.example.com")
	assert.Contains(t, page, first+"\n"+second, "the form of somebody who may change it has the whole addresses")

	reader := s.signedIn(s.user("eve", auth.RoleAuditor)).get("/agents/planner").body
	assert.Contains(t, reader, "https://hooks.example.com/…")
	assert.NotContains(t, reader, "secret-path")

	require.Equal(t, 303, b.post("/agents/planner", url.Values{"enabled": {"on"}, "price_per_call": {"0.5"}, "push_to": {first + "\n" + second}}).status)
	assert.Equal(t, []string{first, second}, stored())
	refused := b.post("/agents/planner", url.Values{"enabled": {"on"}, "push_to": {second + "?token=x"}})
	assert.Equal(t, 400, refused.status)
	assert.Contains(t, refused.body, "Contains a query")
	require.Equal(t, 303, b.post("/agents/planner", url.Values{"enabled": {"on"}, "push_to": {""}}).status)
	assert.Empty(t, stored())
}
