package payload_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/payload"
)

func TestAPayloadWithoutABodyHoldsTextsThatAreReadLikeOthers(t *testing.T) {
	var p payload.Payload
	p.AddText(payload.Segment{Role: payload.RoleUser, Kind: payload.KindText}, `as "it" is\n`)
	p.AddText(payload.Segment{Role: payload.RoleUser, Kind: payload.KindText, Joined: true}, "and more")
	assert.Equal(t, `as "it" is\n`, p.ReadText(0), "nothing is decoded")
	assert.Equal(t, payload.Run{First: 0, N: 2, Text: `as "it" is\nand more`}, p.FindRun(0))
	p.Reset()
	assert.Empty(t, p.Segments)
}
