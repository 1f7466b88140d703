package core_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

func TestAPayloadWithoutABodyHoldsTextsThatAreReadLikeOthers(t *testing.T) {
	var p core.Payload
	p.Hold(core.Segment{Role: core.RoleUser, Kind: core.KindText}, `as "it" is\n`)
	p.Hold(core.Segment{Role: core.RoleUser, Kind: core.KindText, Joined: true}, "and more")
	assert.Equal(t, `as "it" is\n`, p.Text(0), "nothing is decoded")
	assert.Equal(t, core.Run{First: 0, N: 2, Text: `as "it" is\nand more`}, p.Run(0))
	p.Reset()
	assert.Empty(t, p.Segments)
}
