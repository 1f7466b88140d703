package socket

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestTheKeysOfOneTenantShareALimitOfSockets(t *testing.T) {
	s := New(Options{Limits: Limits{PerKey: 1}})
	var all []*conn
	for i := range keysOfTenant + 1 {
		c := &conn{s: s, who: &core.Principal{Tenant: "t", KeyID: fmt.Sprint("k", i)}}
		if e := s.add(c); i == keysOfTenant {
			require.NotNil(t, e)
			assert.Equal(t, core.RateLimited, e.Kind)
			break
		} else {
			require.Nil(t, e)
		}
		all = append(all, c)
	}
	require.Nil(t, s.add(&conn{s: s, who: &core.Principal{Tenant: "u", KeyID: "k9"}}), "another tenant has its own")
	s.remove(all[0])
	assert.Nil(t, s.add(all[0]))
}
