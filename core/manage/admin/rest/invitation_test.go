package rest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAnInvitationSetsAPasswordOnce(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		tenant := a.tenant("own")
		a.boss()
		invited := func(email string) (id, code string) {
			id = a.do("POST", "/admin/v1/users", map[string]any{"email": email, "name": "N", "roles": []string{"viewer"}, "tenant_id": tenant}).is(201).str("id")
			r := a.do("POST", "/admin/v1/users/"+id+"/invitation", map[string]any{"hours": 2}).is(201)
			assert.Equal(t, "/invitation#"+r.str("code"), r.str("path"))
			return id, r.str("code")
		}
		users := a.mounted.Service.Users()
		id, code := invited("ada@example.com")
		require.NotNil(t, a.do("GET", "/admin/v1/users/"+id, nil).is(200).field("invited_until"))
		_, err := users.AcceptInvitation(t.Context(), code+"A", password)
		require.ErrorContains(t, err, "invitation")
		_, err = users.AcceptInvitation(t.Context(), code, "short")
		require.Error(t, err)
		u, err := users.AcceptInvitation(t.Context(), code, password)
		require.NoError(t, err)
		assert.False(t, u.MustChange, "the user chose it")
		require.NoError(t, auth.CheckPassword(password, u.Password))
		_, err = users.AcceptInvitation(t.Context(), code, "another long password")
		require.ErrorContains(t, err, "was used")
		r := a.do("GET", "/admin/v1/users/"+id, nil).is(200)
		assert.Nil(t, r.field("invited_until"))
		assert.Equal(t, true, r.field("has_password"))
		a.do("POST", "/admin/v1/users/"+id+"/invitation", map[string]any{}).requireRefusal(409, "conflict")

		id, old := invited("bob@example.com")
		member := "/admin/v1/tenants/" + tenant + "/members/" + id + "/invitation"
		a.sendAs("viewer@t", "POST", member, map[string]any{}).requireRefusal(403, "FORBIDDEN")
		code = a.do("POST", member, map[string]any{}).is(201).str("code")
		_, err = users.AcceptInvitation(t.Context(), old, password)
		require.Error(t, err, "a new invitation ends the earlier one")
		a.do("PUT", "/admin/v1/users/"+id, map[string]any{"status": "disabled"}).is(200)
		_, err = users.AcceptInvitation(t.Context(), code, password)
		require.Error(t, err, "the user is disabled")
		a.do("PUT", "/admin/v1/users/"+id, map[string]any{"status": "active"}).is(200)
		_, err = users.AcceptInvitation(t.Context(), code, password)
		require.Error(t, err, "an invitation ends when the user is disabled")
		code = a.do("POST", member, map[string]any{}).is(201).str("code")
		a.do("PUT", "/admin/v1/users/"+id, map[string]any{"email": "bob.b@example.com"}).is(200)
		_, err = users.AcceptInvitation(t.Context(), code, password)
		require.Error(t, err, "the link was sent to another address")
		code = a.do("POST", member, map[string]any{}).is(201).str("code")
		a.now.Add(int64(73 * time.Hour / time.Microsecond))
		_, err = users.AcceptInvitation(t.Context(), code, password)
		require.ErrorContains(t, err, "expired")
		_, err = a.mounted.Service.Store.Users().Change(t.Context(), id, func(u *store.User) error { u.Subject = "https://idp bob"; return nil })
		require.NoError(t, err)
		a.do("POST", member, map[string]any{}).requireRefusal(409, "conflict") // or an admin of the workspace could act as this person
		a.do("POST", "/admin/v1/users/nobody/invitation", map[string]any{}).requireRefusal(404, "not_found")
		a.do("POST", "/admin/v1/users/"+id+"/invitation", map[string]any{"hours": 10000}).requireRefusal(400, "invalid_value")
	})
}

func TestAPasswordThatSomebodyElseChoseMustBeChanged(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		id := a.boss()
		assert.Equal(t, true, a.do("GET", "/admin/v1/users/"+id, nil).is(200).field("must_change_password"))
		who := &auth.Actor{ID: "user:" + id, UserID: id, Roles: []auth.Role{auth.RoleOwner}, Via: auth.ViaSession}
		require.NoError(t, a.mounted.Service.Users().SetOwnPassword(t.Context(), who, "a password of my own"))
		assert.Equal(t, false, a.do("GET", "/admin/v1/users/"+id, nil).is(200).field("must_change_password"))
		a.do("PUT", "/admin/v1/users/"+id, map[string]any{"password": "one that an owner sets"}).is(200)
		assert.Equal(t, true, a.do("GET", "/admin/v1/users/"+id, nil).is(200).field("must_change_password"))
	})
}
