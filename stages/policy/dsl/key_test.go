package dsl

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAKeyIsMatchedByItsIdNotItsName(t *testing.T) {
	s := parseRule(t, `{id: r, conditions: {key.in: [trusted]}, action: DENY}`)
	assert.Equal(t, Denied, Decide(s, facts(t, `{"key_id":"trusted","key_name":"other"}`, true)).Status)
	assert.Equal(t, Allowed, Decide(s, facts(t, `{"key_id":"other","key_name":"trusted"}`, true)).Status)
}
