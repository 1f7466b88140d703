package console

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

func TestADeletionAsksForTheNameAndChangesNothingWithoutIt(t *testing.T) {
	s := serveSite(t, nil)
	owner := s.signedIn(s.user("ada", auth.RoleOwner))
	s.user("vera", auth.RoleViewer)
	require.Equal(t, 303, owner.post("/workspaces", url.Values{"name": {"Two  words"}, "tier": {"standard"}}).status)
	workspace := regexp.MustCompile(`href="(/workspaces/[^"]+)">Two  words`).FindStringSubmatch(owner.get("/workspaces").body)[1]
	for name, of := range map[string]struct{ path, page, typed string }{
		"member":    {"/workspaces/t1/members/u-vera/remove", "/workspaces/t1/members", "vera"},
		"workspace": {workspace + "/delete", workspace, "Two  words"},
		"user":      {"/users/u-vera/delete", "/users/u-vera", "vera"},
	} {
		t.Run("the "+name, func(t *testing.T) {
			assert.Contains(t, owner.get(of.page).body, "Type "+of.typed+" to confirm")
			for _, typed := range []string{"", "something else"} {
				wrong := owner.post(of.path, url.Values{"typed": {typed}})
				assert.Equal(t, 400, wrong.status)
				assert.Contains(t, wrong.body, "The name does not match, and nothing was changed. Type "+of.typed+".")
			}
			require.Equal(t, 200, owner.get(of.page).status, "it is still there")
		})
	}
	require.Equal(t, 303, owner.post("/users/u-vera/delete", url.Values{"typed": {"vera"}}).status)
	assert.Equal(t, 404, owner.get("/users/u-vera").status)
	require.Equal(t, 303, owner.post(workspace+"/delete", url.Values{"typed": {" Two words"}}).status)
	assert.Equal(t, 404, owner.get(workspace).status)
}
