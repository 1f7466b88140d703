package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestInternalHostsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, text string
		flags      guest.Flags
		want       []string
	}{
		{"at the end of a sentence", "ask db-1.prod.internal.", 0, []string{"db-1.prod.internal"}},
		{"two of them", "a.corp b.internal", 0, []string{"a.corp", "b.internal"}},
		{"not another domain", "a.corp.com internal .internal", 0, nil},
		{"not while the name may go on", "a.corp", guest.Flags(abi.DetectAfter), nil},
		{"not when the name may have begun earlier", "a.corp x", guest.Flags(abi.DetectBefore), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range guest.Run([]byte(c.text), c.flags) {
				got = append(got, c.text[s.Start:s.End])
			}
			assert.Equal(t, c.want, got)
		})
	}
}
