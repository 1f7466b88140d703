package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACaptureThatCannotWorkIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`capture: {enabled: true, dir: ""}`: `capture.dir: is empty; write dir: capture`,
		`capture: {tenants: [a, ""]}`:       `capture.tenants[1]: is empty; write a tenant's id`,
		`capture: {share: 0}`:               `capture.share: must be above 0 and at most 1`,
		`capture: {share: 1.5}`:             `capture.share: must be above 0 and at most 1`,
		`capture: {keep: 1m}`:               `capture.keep`,
		`capture: {max_size: 1KiB}`:         `capture.max_size`,
	} {
		_, _, err := load("{providers: {mock: {}}, " + text + "}")
		require.ErrorContains(t, err, says, text)
	}
	_, _, err := load(`{providers: {mock: {}}, capture: {dir: ""}}`)
	require.NoError(t, err, "nothing is captured")
}
