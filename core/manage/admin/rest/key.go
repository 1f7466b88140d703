package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// KeyPath names a key of a tenant.
type KeyPath struct {
	RecordPath
	KeyID string `path:"keyId" maxLength:"128" doc:"The id of the key."`
}

// KeyMatch names a key and the version to which a change applies.
type KeyMatch struct {
	KeyPath
	Match
}

// addKeys adds the operations on gateway keys.
func (a *API) addKeys() {
	const tag, list, item = "Keys", "/tenants/{id}/keys", "/tenants/{id}/keys/{keyId}"
	s := a.Service.Keys()
	registerOperation(a, Operation{
		ID: "createKey", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Create a key; only this answer contains its plaintext",
		Permission: auth.KeysCreate, Status: http.StatusCreated,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Body admin.NewKey
	},
	) (*createdAnswer[admin.Key], error) {
		return answerNewKey(s.Create(ctx, who, in.ID, in.Body))
	})
	registerPagedList(a, Operation{
		ID: "listKeys", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the keys of a tenant", Permission: auth.KeysRead,
	}, func(ctx context.Context, who *auth.Actor, in *PartsQuery, p admin.Page) (admin.List[admin.Key], error) {
		return s.List(ctx, who, in.ID, p)
	})
	registerOperation(a, Operation{
		ID: "getKey", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Get a key", Permission: auth.KeysRead,
	}, func(ctx context.Context, who *auth.Actor, in *KeyPath) (*recordAnswer[admin.Key], error) {
		return answerRecord(s.Get(ctx, who, in.ID, in.KeyID))
	})
	registerOperation(a, Operation{
		ID: "updateKey", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the given fields of a key",
		Permission: auth.KeysOwn, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		KeyMatch
		Body admin.KeyChange
	},
	) (*recordAnswer[admin.Key], error) {
		return answerRecord(s.Update(ctx, who, in.ID, in.KeyID, in.Body, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "revokeKey", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Revoke a key at once",
		Permission: auth.KeysOwn, Status: http.StatusNoContent, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *KeyMatch) (*emptyAnswer, error) {
		return answerEmpty(s.Revoke(ctx, who, in.ID, in.KeyID, in.convert()))
	})
	registerOperation(a, Operation{
		ID:         "rotateKey",
		Method:     http.MethodPost,
		Path:       item + "/rotate",
		Tag:        tag,
		Summary:    "Create a key that replaces another, which stays valid for a grace period",
		Permission: auth.KeysOwn,
		Status:     http.StatusCreated,
		Errors:     conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *KeyMatch) (*createdAnswer[admin.Key], error) {
		return answerNewKey(s.Rotate(ctx, who, in.ID, in.KeyID, in.convert()))
	})
}

// answerNewKey answers with a new key. Its ETag is that of the key as it is read later, without the plaintext.
func answerNewKey(k admin.Key, err error) (*createdAnswer[admin.Key], error) {
	out, err := answerCreated("/tenants/"+k.TenantID+"/keys/"+k.ID, k, err)
	if err == nil {
		k.Key = ""
		out.ETag = admin.ComputeTag(k)
	}
	return out, err
}
