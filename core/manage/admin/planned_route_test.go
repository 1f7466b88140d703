package admin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestTheRouterKnowsARouteOfTheStore(t *testing.T) {
	assert.True(t, admin.ConvertRoute(&store.Route{ModelPattern: "gpt-*"}).Stored)
}
