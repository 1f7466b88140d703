package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"os"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// adminTokenVar names the variable that holds the first token for automation.
const adminTokenVar = "HEADGATE_ADMIN_TOKEN"

// oneToken lets in who has the token of the environment, as an owner.
type oneToken struct{ hash [sha256.Size]byte }

func adminToken() oneToken {
	if v := os.Getenv(adminTokenVar); v != "" {
		return oneToken{sha256.Sum256([]byte(v))}
	}
	return oneToken{}
}

func (t oneToken) Authenticate(_ context.Context, r *http.Request) (*auth.Actor, error) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !ok || !strings.EqualFold(scheme, "Bearer") || t.hash == [sha256.Size]byte{} || subtle.ConstantTimeCompare(sum[:], t.hash[:]) != 1 {
		return nil, &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "send a personal access token as a bearer token in the Authorization header"}
	}
	return &auth.Actor{ID: "pat:environment", Name: adminTokenVar, Roles: []auth.Role{auth.RoleOwner}, Via: auth.ViaPAT}, nil
}

// unlicensed is an installation without a licence.
type unlicensed struct{}

func (unlicensed) Licensed(string) bool { return false }

func (unlicensed) MoreTenants(n int) bool { return n < 3 }
