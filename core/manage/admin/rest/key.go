package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type KeyPath struct {
	TenantPath
	KeyID string `path:"keyId" maxLength:"128" doc:"The key's id."`
}

// keys adds the operations on gateway keys.
func (a *API) keys() {
	const tag, list, item = "Keys", "/tenants/{id}/keys", "/tenants/{id}/keys/{keyId}"
	s := a.Service
	handle(a, Operation{
		ID: "createKey", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Make a key; its plaintext is in this answer alone",
		Permission: auth.KeysCreate, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Body admin.NewKey
	},
	) (*made[admin.Key], error) {
		k, err := s.Keys().Create(ctx, who, in.ID, in.Body)
		return showNewKey(k, err)
	})
	handleList(a, Operation{
		ID: "listKeys", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the keys of a tenant", Permission: auth.KeysRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		TenantPath
		Page
	}, p admin.Page,
	) (admin.List[admin.Key], error) {
		return s.Keys().List(ctx, who, in.ID, p)
	})
	handle(a, Operation{
		ID: "getKey", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read a key", Permission: auth.KeysRead,
	}, func(ctx context.Context, who *auth.Actor, in *KeyPath) (*one[admin.Key], error) {
		return show(s.Keys().Get(ctx, who, in.ID, in.KeyID))
	})
	handle(a, Operation{
		ID: "revokeKey", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "End a key at once",
		Permission: auth.KeysManage, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		KeyPath
		Match
	},
	) (*none, error) {
		return done(s.Keys().Revoke(ctx, who, in.ID, in.KeyID, in.of()))
	})
	handle(a, Operation{
		ID: "rotateKey", Method: http.MethodPost, Path: item + "/rotate", Tag: tag, Summary: "Make a key that takes the place of another, which stays valid for a while",
		Permission: auth.KeysManage, Status: http.StatusCreated, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		KeyPath
		Match
	},
	) (*made[admin.Key], error) {
		return showNewKey(s.Keys().Rotate(ctx, who, in.ID, in.KeyID, in.of()))
	})
}

// showNewKey is the answer with a new key. Its tag is that of the key as it is read later, without the plaintext.
func showNewKey(k admin.Key, err error) (*made[admin.Key], error) {
	out, err := showNew("/tenants/"+k.TenantID+"/keys/"+k.ID, k, err)
	if err == nil {
		k.Key = ""
		out.ETag = admin.Tag(k)
	}
	return out, err
}
