package circuit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFaultsInARowOfOneKeyOrOfAllRaiseTheQuestion(t *testing.T) {
	var f Faults
	f.Init(3)
	f.CountSuccess("a")
	assert.False(t, f.HasFaults())
	other := "b"
	for f.findSlot(other) == f.findSlot("a") {
		other += "b"
	}
	for range 2 {
		assert.False(t, f.CountFault("a"))
		f.CountSuccess(other)
	}
	assert.True(t, f.CountFault("a"), "the successes of another key do not hide it")
	f.Reset()
	assert.False(t, f.HasFaults())
	assert.False(t, f.CountFault("a"))
	f.CountSuccess("a")
	assert.False(t, f.CountFault("a"))
	assert.False(t, f.CountFault("a"), "its own success resets the count")
	f.Reset()
	for _, key := range []string{"c", "d"} {
		assert.False(t, f.CountFault(key))
	}
	assert.True(t, f.CountFault("e"), "three in a row of all keys")
}
