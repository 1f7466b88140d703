package openai_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// namespaces writes a request with namespaces of many tools each.
func namespaces(n int, name, about string, tools int) []byte {
	inner := strings.TrimSuffix(strings.Repeat(`{"type":"function","name":"f"},`, tools), ",")
	var b strings.Builder
	b.WriteString(`{"model":"m","input":"x","tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"type":"namespace","name":"` + name + strconv.Itoa(i) + `","description":"` + about + `","tools":[` + inner + `]}`)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func TestTheNameOfANamespaceIsCopiedToSoManyToolsOnly(t *testing.T) {
	long := strings.Repeat("n", 500)
	x := &core.Exchange{}
	x.Request.Raw = namespaces(8, long, "", 1000)
	require.Nil(t, openai.Responses{}.Scan(x), "4 MB")
	assert.Equal(t, long+"7__f", x.Head.Tools[len(x.Head.Tools)-1])

	for _, raw := range [][]byte{namespaces(10, long, "", 1000), namespaces(1, long, "", 100_000)} {
		x = &core.Exchange{}
		x.Request.Raw = raw
		e := openai.Responses{}.Scan(x)
		require.NotNil(t, e)
		assert.Equal(t, core.CodeInvalidValue, e.Code)
		assert.Regexp(t, `^tools\[\d\]\.name$`, e.Param)
		size := 0
		for _, name := range x.Head.Tools {
			size += len(name)
		}
		assert.Less(t, size, 6<<20)
	}
}

func TestTheDescriptionOfANamespaceIsCopiedToSoManyToolsOnly(t *testing.T) {
	for _, raw := range [][]byte{namespaces(1, "n", strings.Repeat("d", 100_000), 100), namespaces(20, "n", strings.Repeat("d", 1000), 1000)} {
		x := &core.Exchange{}
		x.Request.Raw = raw
		require.Nil(t, openai.Responses{}.Scan(x), "providers of Responses get it as it is")
		_, e := openai.Responses{}.Decode(x)
		require.NotNil(t, e)
		assert.Equal(t, core.CodeInvalidValue, e.Code)
		assert.Equal(t, "tools", e.Param)
	}
}

// Comparing each tool with each other, and with each allowed one, would take longer than a test may.
func TestManyToolsAreTranslatedInLinearTime(t *testing.T) {
	const n = 300_000
	var tools, allowed strings.Builder
	for i := range n {
		tools.WriteString(`{"type":"function","name":"f` + strconv.Itoa(i) + `"},`)
		allowed.WriteString(`{"type":"function","name":"g` + strconv.Itoa(i) + `"},`)
	}
	x := &core.Exchange{}
	x.Request.Raw = []byte(`{"model":"m","input":"x","tools":[` + tools.String() + `{"type":"function","name":"f0"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` +
		allowed.String() + `{"type":"function","name":"f7"}]}}`)
	require.Nil(t, openai.Responses{}.Scan(x))
	r, e := openai.Responses{}.Decode(x)
	require.Nil(t, e)
	require.Len(t, r.Tools, 1)
	assert.Equal(t, "f7", r.Tools[0].Name)
}
