package batch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestTenantsSeeTheirOwnFilesAndBatchesOnly(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1))
	id := g.requireBatch("dev", file)
	for _, path := range []string{"/v1/files/" + file, "/v1/files/" + file + "/content", "/v1/batches/" + id} {
		assert.Equal(t, 404, g.get("foreign", path).status, path)
	}
	assert.Equal(t, 404, g.call("foreign", "DELETE", "/v1/files/"+file, "", nil).status)
	assert.Equal(t, 404, g.post("foreign", "/v1/batches/"+id+"/cancel", "").status)
	assert.Equal(t, 404, g.submit("foreign", file).status)
	assert.Empty(t, g.get("foreign", "/v1/files").json(t)["data"])
	assert.Empty(t, g.get("foreign", "/v1/batches").json(t)["data"])
	assert.Equal(t, 404, g.get("foreign", "/v1/files?after="+file).status)
	assert.Equal(t, 200, g.get("mate", "/v1/batches/"+id).status)
}

func TestASuspendedTenantReadsAndCancelsButStartsNothing(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1))
	id := g.requireBatch("dev", file)
	for _, a := range []answer{g.upload("suspended", buildRequests(1)), g.submit("suspended", file)} {
		assert.Equal(t, 403, a.status)
		code, _ := a.fault(t)
		assert.Equal(t, core.CodeTenantSuspended, code)
	}
	assert.Len(t, g.vendor.forms, 1)
	for _, path := range []string{"/v1/files", "/v1/files/" + file, "/v1/files/" + file + "/content", "/v1/batches", "/v1/batches/" + id} {
		assert.Equal(t, 200, g.get("suspended", path).status, path)
	}
	assert.Equal(t, 200, g.post("suspended", "/v1/batches/"+id+"/cancel", "").status)
}

func TestAKeyNeedsTheScope(t *testing.T) {
	g := open(t, nil)
	for _, path := range []string{"/v1/files", "/v1/files/x", "/v1/files/x/content", "/v1/batches", "/v1/batches/x"} {
		a := g.get("chatter", path)
		assert.Equal(t, 403, a.status, path)
		code, message := a.fault(t)
		assert.Equal(t, core.CodeForbidden, code)
		assert.Contains(t, message, "batches:write")
		a = g.get("nobody", path)
		assert.Equal(t, 401, a.status, path)
		assert.Equal(t, "Bearer", a.header.Get("Www-Authenticate"))
	}
	assert.Equal(t, 403, g.upload("chatter", buildRequests(1)).status)
}

func TestListsComeInPages(t *testing.T) {
	g := open(t, nil)
	var files, batches []string
	for range 5 {
		f := g.requireUpload("dev", buildRequests(1))
		files, batches = append(files, f), append(batches, g.requireBatch("dev", f))
	}
	page := func(path string) (ids []string, more bool) {
		a := g.get("dev", path)
		require.Equal(t, 200, a.status, a.body)
		v := a.json(t)
		for _, o := range v["data"].([]any) {
			ids = append(ids, o.(map[string]any)["id"].(string))
		}
		if len(ids) > 0 {
			assert.Equal(t, ids[0], v["first_id"])
			assert.Equal(t, ids[len(ids)-1], v["last_id"])
		}
		return ids, v["has_more"].(bool)
	}
	for path, all := range map[string][]string{"/v1/files": files, "/v1/batches": batches} {
		ids, more := page(path + "?limit=2")
		assert.Equal(t, []string{all[4], all[3]}, ids)
		assert.True(t, more)
		ids, more = page(path + "?limit=2&after=" + all[2])
		assert.Equal(t, []string{all[1], all[0]}, ids)
		assert.False(t, more)
		ids, _ = page(path + "?order=asc&limit=1")
		assert.Equal(t, all[:1], ids)
		for _, q := range []string{"?limit=0", "?limit=x", "?limit=10001", "?order=up"} {
			assert.Equal(t, 400, g.get("dev", path+q).status, q)
		}
		assert.Equal(t, 404, g.get("dev", path+"?after=nope").status)
	}
	ids, _ := page("/v1/files?purpose=batch_output")
	assert.Empty(t, ids)
}

func TestAFileIsDeletedAtTheProviderToo(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1))
	a := g.call("dev", "DELETE", "/v1/files/"+file, "", nil)
	assert.Equal(t, map[string]any{"id": file, "object": "file", "deleted": true}, a.json(t))
	assert.Equal(t, 1, g.vendor.count("DELETE /v1/files/file-vendor1"))
	assert.Equal(t, 404, g.get("dev", "/v1/files/"+file).status)

	file = g.requireUpload("dev", buildRequests(1))
	g.vendor.script(func(v *vendor) { v.broken = 500 })
	assert.Equal(t, 500, g.call("dev", "DELETE", "/v1/files/"+file, "", nil).status)
	g.vendor.script(func(v *vendor) { v.broken = 0; clear(v.files) })
	assert.Equal(t, 200, g.call("dev", "DELETE", "/v1/files/"+file, "", nil).status, "the provider has lost it already")
}
