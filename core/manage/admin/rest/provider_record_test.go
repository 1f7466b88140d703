package rest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// upstreams is a gateway whose file has one provider, mock.
type upstreams struct {
	open func(p *store.Provider, credential string) (string, error)
}

func (upstreams) FileProviders() []admin.Provider {
	return []admin.Provider{{ID: "mock", Type: "mock", Source: store.SourceFile, Enabled: true, Credentials: []admin.ProviderCredential{}}}
}

func (upstreams) ProviderTypes() []string { return []string{"mock", "openai"} }

func (upstreams) CheckProvider(p *store.Provider) error {
	if p.BaseURL == "http://10.0.0.1" {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "base_url", Public: "base_url: it is private"}
	}
	return nil
}

func (upstreams) ReadProviderStatus(name string) admin.ProviderStatus {
	return admin.ProviderStatus{Serving: name == "mock", Health: "UP"}
}

func (u upstreams) TestProvider(_ context.Context, p *store.Provider, credential, _ string) (admin.ProviderTest, error) {
	if p.Type == "" {
		return admin.ProviderTest{OK: true, Status: 200}, nil
	}
	secret, err := u.open(p, credential)
	return admin.ProviderTest{OK: err == nil && secret == "sk-second", Status: 200, Models: []string{"m1", "m2"}}, err
}

// openWith returns what opens the secret of the first credential.
func openWith(box admin.Box) func(p *store.Provider, credential string) (string, error) {
	return func(p *store.Provider, credential string) (string, error) {
		for _, c := range p.Credentials {
			if credential == "" || c.ID == credential {
				plain, err := box.Open(c.Sealed, p.ID+"\x00"+c.ID)
				return string(plain), err
			}
		}
		return "", errors.New("no credential")
	}
}

func TestAProviderIsAddedTestedRotatedAndDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		r := a.do("POST", "/admin/v1/providers", `{"id":"eu","type":"openai","base_url":"https://eu.example.com/v1?secret=x","credential":{"name":"one","secret":"sk-first"}}`).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "/admin/v1/providers/eu", path)
		assert.NotContains(t, r.text, "sk-first")
		stored, err := a.db.Providers().Get(t.Context(), "eu")
		require.NoError(t, err)
		require.Len(t, stored.Credentials, 1)
		assert.NotContains(t, string(stored.Credentials[0].Sealed), "sk-first", "the secret is stored sealed")
		created := a.do("GET", "/admin/v1/audit/events?limit=1", nil).is(200)
		assert.Equal(t, "https://eu.example.com/(masked)", created.str(0, "payload", "changes", "base_url", "after"))
		assert.NotContains(t, created.text, "sk-first")

		a.do("POST", "/admin/v1/providers", `{"id":"eu","type":"openai"}`).requireRefusal(409, "conflict")
		a.do("POST", "/admin/v1/providers", `{"id":"mock","type":"openai"}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("PUT", "/admin/v1/providers/mock", `{"prefix":true}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("PUT", path, `{"base_url":"https://elsewhere.example.com/v1"}`).requireRefusal(409, "conflict")
		a.do("PUT", path, `{"base_url":"https://eu.example.com/v1?secret=x","prefix":true}`).is(200)
		a.do("POST", "/admin/v1/providers", `{"id":"us","type":"openai","base_url":"http://10.0.0.1"}`).requireRefusal(400, "invalid_value")
		a.do("POST", path+"/credentials", `{"name":"one","secret":"sk-x"}`).requireRefusal(409, "conflict")
		a.do("POST", path+"/credentials", `{"name":"two","secret":"sk x"}`).requireRefusal(400, "invalid_value")
		a.do("POST", path+"/credentials", `{"name":"two","secret":"k","access_key_id":"AKID"}`).requireRefusal(400, "invalid_value")

		assert.Equal(t, false, a.do("POST", path+"/test", `{}`).is(200).field("ok"))
		key := path + "/credentials/" + stored.Credentials[0].ID
		rotated := a.do("POST", key+"/rotate", `{"secret":"sk-second"}`).is(200)
		assert.NotContains(t, rotated.text, "sk-second")
		assert.Equal(t, true, a.do("POST", path+"/test", `{}`).is(200).field("ok"))
		a.do("POST", path+"/test", `{"credential":"nothing"}`).requireRefusal(404, "not_found")
		assert.Equal(t, 2, a.do("POST", path+"/models/fetch", nil).is(200).len("models"))

		assert.Equal(t, 2, a.do("POST", path+"/credentials", `{"name":"two","secret":"sk-third","weight":3}`).is(200).len("credentials"))
		a.do("PUT", key, `{"enabled":false}`).is(200)
		assert.Equal(t, 1, a.do("DELETE", key, nil).is(200).len("credentials"))
		a.do("DELETE", key, nil).requireRefusal(404, "not_found")
		assert.Equal(t, 2, a.do("GET", "/admin/v1/providers", nil).is(200).len("data"))
		assert.Equal(t, false, a.do("GET", path+"/status", nil).is(200).field("serving"))
		a.do("DELETE", path, nil).is(204)
		a.do("GET", path, nil).requireRefusal(404, "not_found")
		assert.NotContains(t, a.do("GET", "/admin/v1/audit/events?limit=100", nil).is(200).text, "sk-")
	})
}

func TestOnlyAnOwnerChangesProviders(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		a.sendAs("policy-admin", "GET", "/admin/v1/providers", nil).is(200)
		a.sendAs("policy-admin", "POST", "/admin/v1/providers", `{"id":"eu","type":"openai"}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("policy-admin", "POST", "/admin/v1/providers/mock/test", `{}`).requireRefusal(403, "FORBIDDEN")
		a.sendAs("admin@t", "GET", "/admin/v1/providers", nil).requireRefusal(403, "FORBIDDEN")
		assert.Equal(t, true, a.do("POST", "/admin/v1/providers/mock/test", `{}`).is(200).field("ok"))
	})
}
