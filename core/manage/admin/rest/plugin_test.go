package rest_test

import (
	"bytes"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// form is an uploaded form: its body, and its content type.
func form(t *testing.T, file string, parts map[string]string) (body string, header []string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, text := range parts {
		p, err := w.CreateFormFile(name, file)
		require.NoError(t, err)
		_, err = p.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String(), []string{"Content-Type", w.FormDataContentType()}
}

func TestAModuleIsUploadedDecidedAboutAndRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		body, header := form(t, "card.wasm", map[string]string{"module": "\x00asm1", "manifest": "card"})
		r := a.sendAs("policy-admin", "POST", "/admin/v1/plugins", body, header...).is(201)
		assert.Equal(t, "card.wasm", r.str("file"))
		assert.Equal(t, "card", r.str("name"))
		digest := r.str("digest")
		assert.Equal(t, digest, a.do("GET", "/admin/v1/plugins", nil).is(200).str("data", 0, "digest"))

		path := "/admin/v1/plugins/card.wasm"
		assert.Equal(t, "card", a.do("GET", path, nil).is(200).str("labels", 0))
		a.do("GET", "/admin/v1/plugins/none.wasm", nil).requireRefusal(404, "not_found")
		a.do("POST", path+"/rollback", nil).requireRefusal(409, "conflict")
		old := strings.Repeat("e", 64)
		a.plane.earlier = old
		assert.Equal(t, old, a.do("POST", path+"/rollback", nil).is(200).str("digest"))
		a.plane.folder["card.wasm"] = digest
		a.do("POST", path+"/promote", map[string]string{"digest": strings.ToUpper(digest)}).is(204)
		assert.True(t, a.plane.promoted)
		a.do("POST", path+"/reject", map[string]string{"digest": digest}).is(204)
		assert.False(t, a.plane.promoted)
		a.do("POST", path+"/promote", map[string]string{"digest": strings.Repeat("0", 64)}).requireRefusal(409, "conflict")
		a.do("POST", path+"/promote", `{"digest":"x"}`).requireRefusal(400, "invalid_value")
		a.do("DELETE", path, nil).is(204)
		a.do("DELETE", path, nil).requireRefusal(404, "not_found")

		body, header = form(t, "card.wasm", map[string]string{"module": "MZ"})
		assert.Contains(t, a.do("POST", "/admin/v1/plugins", body, header...).requireRefusal(400, "plugin_refused"), "not a WebAssembly module")
		body, header = form(t, "card.exe", map[string]string{"module": "\x00asm"})
		a.do("POST", "/admin/v1/plugins", body, header...).requireRefusal(400, "invalid_value")
		body, header = form(t, "card.wasm", map[string]string{"manifest": "x"})
		a.do("POST", "/admin/v1/plugins", body, header...).requireRefusal(400, "missing_required_parameter")
		a.do("POST", "/admin/v1/plugins", `{}`).is(400)
		a.sendAs("viewer@t", "GET", "/admin/v1/plugins", nil).requireRefusal(403, "FORBIDDEN")
		a.do("DELETE", "/admin/v1/plugins/..%2f..%2fx.wasm", nil).is(404)
	})
}

// A change of a plugin changes the configuration, although no record of the store changes.
func TestEachChangeOfAPluginAdvancesTheConfigurationAndIsTold(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		version := func() int64 {
			v, err := a.db.Config().ReadVersion(t.Context())
			require.NoError(t, err)
			return v
		}
		told := func() int {
			return len(slices.DeleteFunc(a.events(""), func(kind string) bool { return kind != "CONFIG_CHANGED" }))
		}
		at, events := version(), told()
		changed := func(what string) {
			t.Helper()
			now := version()
			assert.Greater(t, now, at, what)
			events++
			assert.Equal(t, events, told(), what)
			at = now
		}
		body, header := form(t, "card.wasm", map[string]string{"module": "\x00asm1", "manifest": "card"})
		digest := a.do("POST", "/admin/v1/plugins", body, header...).is(201).str("digest")
		changed("an upload")
		const path = "/admin/v1/plugins/card.wasm"
		a.do("POST", path+"/promote", map[string]string{"digest": digest}).is(204)
		changed("a promotion")
		a.do("POST", path+"/reject", map[string]string{"digest": digest}).is(204)
		changed("a rejection")
		a.plane.earlier = strings.Repeat("e", 64)
		a.do("POST", path+"/rollback", nil).is(200)
		changed("a rollback")
		a.do("DELETE", path, nil).is(204)
		changed("a removal")
		a.do("DELETE", path, nil).is(404)
		assert.Equal(t, at, version(), "refused requests change nothing")
	})
}
