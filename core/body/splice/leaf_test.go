package splice

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestALeafIsAStringInObjectsOfOneMember(t *testing.T) {
	for doc, want := range map[string]string{
		`"x"`: "=x", `{"a":{"b":{"c":"x\u00e9\n"}}}`: "a.b.c=xé\n", `{"a":""}`: "a=",
		`{}`: "", `{"a":{}}`: "", `{"a":1}`: "", `{"a":null}`: "", `{"a":["x"]}`: "", `{"a":"x","b":"y"}`: "", `{"a":{"b":"x","c":"y"}}`: "", `{"a":"x`: "", `{"a":"\ud800"}`: "",
	} {
		var s Scanner
		s.Reset([]byte(doc))
		path, at, escaped, ok := s.FindLeaf(nil)
		if want == "" {
			assert.False(t, ok && s.End(), doc)
			continue
		}
		assert.True(t, ok && s.End(), doc)
		assert.Equal(t, want, string(path)+"="+ReadTextAt([]byte(doc), at, escaped), doc)
	}
}
