package node

import (
	"context"
	"fmt"
	"os"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// adminTokenVar is the environment variable with the initial token for automation.
const adminTokenVar = "HEADGATE_ADMIN_TOKEN"

// NewAutomationUser returns the user whose tokens the variable and "headgate pat create" make: an owner who cannot sign in.
func NewAutomationUser() store.User {
	return store.User{
		ID: "automation", Email: "automation@headgate.invalid", Name: "Automation", Roles: []string{string(auth.RoleOwner)},
		Status: store.UserActive,
	}
}

// storeAdminToken stores the environment's token as that of an owner. The same token again changes nothing; a different
// one revokes its predecessor.
func storeAdminToken(ctx context.Context, rec *Records, tel *telemetry.Telemetry) error {
	token, set := os.LookupEnv(adminTokenVar)
	if !set || token == "" {
		return nil
	}
	if err := auth.CheckPAT(token); err != nil {
		return fmt.Errorf("%s: %w", adminTokenVar, err)
	}
	u := NewAutomationUser()
	p, added, err := rec.DB.PATs().Upsert(ctx, u, store.PAT{
		ID: NewID(), UserID: u.ID, Name: adminTokenVar, Prefix: auth.CutVisiblePATPrefix(token), Hash: auth.Hash(token), Roles: u.Roles,
		Source: store.SourceEnv,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", adminTokenVar, err)
	case !p.RevokedAt.IsZero():
		tel.Log.Warn().Str("id", p.ID).Msg("the token in " + adminTokenVar + " was revoked, and stays so; set a new one")
	case added:
		var e audit.Payload
		e.AddStr("actor", "environment")
		e.AddStr("user", p.UserID)
		e.AddStr("id", p.ID)
		e.AddStr("name", p.Name)
		e.AddStr("prefix", p.Prefix)
		e.AddStrs("roles", p.Roles)
		return rec.audit.Append(ctx, audit.Event{Type: audit.PATCreated, Payload: e.Bytes()})
	}
	return nil
}
