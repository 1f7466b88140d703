package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsWrongWithTheConsoleIsSaid(t *testing.T) {
	for text, says := range map[string]string{
		"{listen: nowhere}":                                           "console.listen: \"nowhere\" is not an address",
		"{listen: \"0.0.0.0:8090\"}":                                  "console.url: is not set, and console.listen is open to other machines",
		"{url: headgate.example.com}":                                 "is not an address of a console",
		"{url: \"https://headgate.example.com/console\"}":             "is not an address of a console",
		"{url: \"https://headgate.example.com\", tls: {key_file: k}}": "console.tls: has a certificate without a key",
	} {
		_, _, err := load("{providers: {mock: {}}, console: " + text + "}")
		require.ErrorContains(t, err, says, text)
	}
	for _, text := range []string{"{listen: off}", "{}", "{listen: \"0.0.0.0:8090\", url: \"https://headgate.example.com/\"}"} {
		_, _, err := load("{providers: {mock: {}}, console: " + text + "}")
		require.NoError(t, err, text)
	}
}

func TestAConsoleAloneNeedsADatabaseOfOthers(t *testing.T) {
	for text, says := range map[string]string{
		"{role: console, console: {listen: off}}":                                  "the role is console",
		"{role: console, store: {url: \"sqlite::memory:\"}}":                       "is in memory",
		"{role: console, fleet: {control_plane: \"https://control.example.com\"}}": "is for nodes",
		"{role: consol}": "console",
	} {
		_, _, err := load(text)
		require.ErrorContains(t, err, says, text)
	}
	cfg, _, err := load("{role: console, server: {listen: \"0.0.0.0:8080\"}, providers: {mock: {}}}")
	require.NoError(t, err, "it serves no internal API, and needs no secret for it")
	assert.False(t, cfg.Role.Governs())
	assert.True(t, cfg.Role.Administers())
	assert.False(t, cfg.Role.Keeps())
}
