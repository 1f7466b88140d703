package schema

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/schemas"
)

// source is a source of records that a test changes.
type source struct {
	now     []schemas.Record
	use     func([]schemas.Record)
	stopped bool
}

func (s *source) Watch(use func([]schemas.Record)) func() {
	s.use = use
	use(s.now)
	return func() { s.stopped = true }
}

func (s *source) set(list ...schemas.Record) { s.use(list) }

func TestRecordsComeAndGoWhileTheStageServes(t *testing.T) {
	number := schemas.Record{ID: "n", ModelPattern: "gpt-*", Schema: `{"type":"number"}`}
	object := schemas.Record{ID: "o", RouteID: "extraction", Schema: `{"type":"object"}`}
	src := &source{now: []schemas.Record{number}}
	st, err := New(nil, src)
	require.NoError(t, err)
	s := st.(*Stage)
	x := &core.Exchange{Head: core.Head{Model: "gpt-4.1"}, Target: core.TargetRef{Route: "extraction"}}
	require.NotNil(t, s.findSchema(x))
	assert.True(t, s.Applies(x))
	assert.Empty(t, s.findSchema(x).listFlaws("5"))
	before := s.findSchema(x)

	src.set(object, number)
	assert.Empty(t, s.findSchema(x).listFlaws("{}"), "the first that names the model or the route")
	assert.NotEmpty(t, s.findSchema(x).listFlaws("5"))
	src.set(number, object)
	assert.Same(t, before, s.findSchema(x), "what did not change is not compiled again")
	src.set(schemas.Record{ID: "bad", ModelPattern: "*", Schema: `{"type":5}`}, object)
	assert.Empty(t, s.findSchema(x).listFlaws("{}"), "an invalid one is omitted")
	src.set()
	assert.Nil(t, s.findSchema(x))
	assert.False(t, s.Applies(x))
	require.NoError(t, s.Close(context.Background()))
	assert.True(t, src.stopped)
}

func TestARecordThatCannotBeUsedIsToldWithItsPlace(t *testing.T) {
	good := schemas.Record{ModelPattern: "*", Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`}
	require.NoError(t, Check(good))
	for name, c := range map[string]struct {
		change func(r *schemas.Record)
		want   string
	}{
		"an unknown type":             {func(r *schemas.Record) { r.Schema = `{"properties":{"a":{"type":"strange"}}}` }, "/properties/a/type"},
		"a reference elsewhere":       {func(r *schemas.Record) { r.Schema = `{"$ref":"http://example.com/x"}` }, "$defs"},
		"not an object":               {func(r *schemas.Record) { r.Schema = `[]` }, "not a JSON object"},
		"empty":                       {func(r *schemas.Record) { r.Schema = `{}` }, "schema is missing"},
		"neither a model nor a route": {func(r *schemas.Record) { r.ModelPattern = "" }, "modelPattern or routeId"},
		"many retries":                {func(r *schemas.Record) { r.MaxRetries = 11 }, "0 to 10"},
	} {
		t.Run(name, func(t *testing.T) {
			r := good
			c.change(&r)
			err := Check(r)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), place)
		})
	}
}
