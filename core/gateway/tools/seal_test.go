package tools_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// openBox seals nothing: the test is about what a session is bound to.
type openBox struct{}

func (openBox) Seal(plain []byte, context string) []byte {
	return append([]byte(context+"\x01"), plain...)
}

func (openBox) Open(sealed []byte, context string) ([]byte, error) {
	if bound := context + "\x01"; len(sealed) >= len(bound) && string(sealed[:len(bound)]) == bound {
		return sealed[len(bound):], nil
	}
	return nil, errors.New("sealed for another context")
}

func TestASessionBelongsToItsCallerAndToTheAddressOfARecord(t *testing.T) {
	t.Parallel()
	made := time.Unix(1_700_000_000, 0)
	record := func(version int64, made time.Time, address string) *tools.Server {
		return &tools.Server{Name: "web", Version: version, CreatedAt: made, Address: address, Sessions: openBox{}}
	}
	const here, there = "https://a.example.com/", "https://b.example.com/"
	file := &tools.Server{Name: "web", Sessions: openBox{}}
	caller := &core.Principal{Tenant: "t", KeyID: "k", Lineage: "l"}
	for name, c := range map[string]struct {
		sealedBy, openedBy *tools.Server
		caller             *core.Principal
		opens              bool
	}{
		"the record itself":               {record(1, made, here), record(1, made, here), caller, true},
		"the record after another change": {record(1, made, here), record(2, made, here), caller, true},
		"the record at another address":   {record(1, made, here), record(2, made, there), caller, false},
		"a later record of the same name": {record(1, made, here), record(1, made.Add(time.Hour), here), caller, false},
		"a server of the file":            {file, file, caller, true},
		"a record that takes its name":    {file, record(1, made, here), caller, false},
		"a rotated key":                   {file, file, &core.Principal{Tenant: "t", KeyID: "k2", Lineage: "l"}, true},
		"another key":                     {file, file, &core.Principal{Tenant: "t", KeyID: "k2"}, false},
		"another server":                  {file, &tools.Server{Name: "other", Sessions: openBox{}}, caller, false},
	} {
		id, ok := c.openedBy.UnsealSession(c.caller, c.sealedBy.SealSession(caller, "session-1"))
		assert.Equal(t, c.opens, ok, name)
		if ok {
			assert.Equal(t, "session-1", id, name)
		}
	}
}
