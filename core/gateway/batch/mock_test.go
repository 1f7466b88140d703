package batch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAFileOfTheMockReadsBackAsUploaded(t *testing.T) {
	g := open(t, nil)
	content := strings.ReplaceAll(request("a", "mock-echo", "Grüße"), `,"body"`, `  ,  "body"`) + "\r\n \n"
	file := g.requireUpload("dev", content)
	assert.Equal(t, content, g.get("dev", "/v1/files/"+file+"/content").body)
	assert.Equal(t, "mock-echo", g.get("dev", "/v1/batches/"+g.requireBatch("dev", file)).json(t)["model"])
}

func TestEveryBatchOfTheMockIsDoneAtTheFirstPoll(t *testing.T) {
	g := open(t, nil)
	a := g.submit("dev", g.requireUpload("dev", request("a", "mock-echo", "x")))
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "validating", a.json(t)["status"])
	j := g.get("dev", "/v1/batches/"+a.json(t)["id"].(string)).json(t)
	assert.Equal(t, "completed", j["status"])
	out := g.get("dev", "/v1/files/"+j["output_file_id"].(string)+"/content")
	assert.Equal(t, 2, strings.Count(out.body, "\n"))
	assert.Equal(t, 2, strings.Count(out.body, `"usage"`))
	assert.Eventually(t, func() bool { return len(g.usage()) == 1 }, generous, time.Millisecond)
	assert.Equal(t, []int64{22, 12}, []int64{g.usage()[0].Input, g.usage()[0].Output})
	assert.Equal(t, "mock", g.usage()[0].Provider)

	a = g.submit("dev", g.requireUpload("dev", request("a", "mock-echo", "x")))
	c := g.post("dev", "/v1/batches/"+a.json(t)["id"].(string)+"/cancel", "")
	assert.Equal(t, "cancelled", c.json(t)["status"])
}

func TestTheMockKeepsItsNewestFilesAndKnowsNoOthers(t *testing.T) {
	g := open(t, nil)
	first := g.requireUpload("dev", request("a", "mock-echo", "x"))
	second := g.requireUpload("dev", request("b", "mock-echo", "x"))
	for range 255 {
		g.requireUpload("dev", request("c", "mock-echo", "x"))
	}
	a := g.get("dev", "/v1/files/"+first+"/content")
	assert.Equal(t, 404, a.status)
	code, _ := a.fault(t)
	assert.Equal(t, core.CodeNotFound, code)
	assert.Equal(t, 404, g.submit("dev", first).status)
	assert.Equal(t, 200, g.get("dev", "/v1/files/"+second).status)
	assert.Len(t, g.get("dev", "/v1/files").json(t)["data"], 256)
}
