package admin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeInvitation is the code of refusing an invitation that cannot be used.
const CodeInvitation = "INVITATION_INVALID"

// NewInvitation contains the settings of an invitation.
type NewInvitation struct {
	Hours int64 `json:"hours,omitempty" minimum:"1" maximum:"720" doc:"How long the invitation is valid. Default: 72." example:"72"`
}

// Invitation lets a user set a password once.
type Invitation struct {
	UserID    string    `json:"user_id" example:"k3vqx7mz2hj4n6ta"`
	Code      string    `json:"code" doc:"The secret of the invitation. It is shown only here."`
	Path      string    `json:"path" doc:"The page of the console that accepts the invitation." example:"/invitation#K3VQX7MZ2HJ4N6TA"`
	ExpiresAt time.Time `json:"expires_at"`
}

// defaultInvitation is the life of an invitation.
const defaultInvitation = 72 * time.Hour

// Invite creates an invitation for a user without a password. It replaces an earlier one.
func (s Users) Invite(ctx context.Context, who *auth.Actor, id string, n NewInvitation) (Invitation, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersWrite, "")
	if err != nil {
		return Invitation{}, err
	}
	return s.createInvitation(ctx, who, tenant, id, n, "user")
}

// Invite creates an invitation for a user of a tenant.
func (s Members) Invite(ctx context.Context, who *auth.Actor, tenant, id string, n NewInvitation) (Invitation, error) {
	if err := s.authorize(ctx, who, auth.MembersWrite, tenant); err != nil {
		return Invitation{}, err
	}
	return s.svc.Users().createInvitation(ctx, who, tenant, id, n, "member")
}

// createInvitation invites a user of the tenant within, or any user if within is "".
func (s Users) createInvitation(
	ctx context.Context,
	who *auth.Actor,
	within, id string,
	n NewInvitation,
	resource string,
) (Invitation, error) {
	life := defaultInvitation
	if n.Hours > 0 {
		life = time.Duration(n.Hours) * time.Hour
	}
	code := rand.Text()
	until := s.svc.Now().Add(life).UTC().Truncate(time.Second)
	var was changedRecord
	u, err := s.svc.Store.Users().Change(ctx, id, func(u *store.User) error {
		switch {
		case within != "" && u.TenantID != within:
			return store.ErrNotFound
		case u.Password != "":
			return newConflictError(CodeConflict, "the user has a password already; set another one instead")
		case u.Subject != "" || !u.SignedInAt.IsZero(): // whoever has the link would act as this person
			return newConflictError(CodeConflict, "the user signs in at the identity provider already; create another user for a password")
		case u.Status != store.UserActive:
			return newConflictError(CodeConflict, "the user is disabled; enable the user first")
		}
		was.storeView(viewUser(u))
		u.Invitation, u.InvitedUntil = hashInvitation(code), until
		return nil
	})
	if err != nil {
		return Invitation{}, mapUserError(err, "user")
	}
	out := Invitation{UserID: id, Code: code, Path: "/invitation#" + code, ExpiresAt: until}
	return out, s.svc.publishChange(ctx, who, updated, resource, id, u.TenantID, was.view, viewUser(&u))
}

// AcceptInvitation sets the first password of the user who has the code of an invitation, which ends with it.
func (s Users) AcceptInvitation(ctx context.Context, code, password string) (*store.User, error) {
	c := UserChange{Password: &password}
	invited, err := s.svc.Store.Users().GetByInvitation(ctx, hashInvitation(code))
	if err != nil {
		return nil, mapInvitationError(err)
	}
	if err := s.checkInvitation(&invited, code); err != nil { // before the slow hash
		return nil, err
	}
	hash, err := c.hashPassword()
	if err != nil {
		return nil, err
	}
	var was changedRecord
	u, err := s.svc.Store.Users().Change(ctx, invited.ID, func(u *store.User) error {
		if err := s.checkInvitation(u, code); err != nil { // somebody may have used it meanwhile
			return err
		}
		was.storeView(viewUser(u))
		return c.apply(u, hash)
	})
	if err != nil {
		return nil, mapInvitationError(err)
	}
	who := &auth.Actor{ID: "user:" + u.ID, UserID: u.ID, Name: u.Name, Tenant: u.TenantID, Via: auth.ViaSession}
	return &u, s.svc.publishChange(ctx, who, updated, "user", u.ID, u.TenantID, was.view, viewUser(&u))
}

// checkInvitation returns an error if the code is not that of a valid invitation of the user.
func (s Users) checkInvitation(u *store.User, code string) error {
	if u.Invitation != hashInvitation(code) || u.Password != "" || u.Status != store.UserActive || !s.svc.Now().Before(u.InvitedUntil) {
		return newInvitationError()
	}
	return nil
}

// mapInvitationError says the same of an unknown invitation as of one that is used or over.
func mapInvitationError(err error) error {
	if e := core.ConvertError(mapUserError(err, "user")); e.Kind == core.NotFound {
		return newInvitationError()
	}
	return err
}

func newInvitationError() error {
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusBadRequest, Code: CodeInvitation, Param: "code",
		Public: "the invitation is unknown, was used, or has expired; ask for another one",
	}
}

func hashInvitation(code string) string {
	sum := sha256.Sum256([]byte("headgate invitation\x00" + code))
	return hex.EncodeToString(sum[:])
}
