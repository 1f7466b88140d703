package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CreateFirstOwner creates the owner of an installation in which no user can sign in with a password yet. The caller must
// check that the request is allowed.
func (s Users) CreateFirstOwner(ctx context.Context, email, name, password string) (*store.User, error) {
	u := store.User{ID: s.svc.NewID(), Status: store.UserActive}
	c := UserChange{Email: &email, Name: &name, Roles: &[]string{string(auth.RoleOwner)}, Password: &password}
	hash, err := c.hashPassword()
	if err == nil {
		err = c.apply(&u, hash)
	}
	if err != nil {
		return nil, err
	}
	u, err = s.svc.Store.Users().InsertFirst(ctx, u)
	if err != nil {
		return nil, mapUserError(err, "tenant")
	}
	who := &auth.Actor{ID: "user:" + u.ID, UserID: u.ID, Name: u.Name, Via: auth.ViaSession}
	return &u, s.svc.publishChange(ctx, who, created, "user", u.ID, "", nil, viewUser(&u))
}
