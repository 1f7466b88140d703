package auth

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFailuresOfOneAddressBlockThatAddressAlone(t *testing.T) {
	th, now := newThrottle(), time.Unix(1e9, 0)
	for range failBurst {
		require.Zero(t, th.countAttempt("a", 1, now))
		tell, _ := th.recordFailure("a", true, now)
		require.True(t, tell)
	}
	assert.Positive(t, th.countAttempt("a", 1, now))
	assert.Zero(t, th.countAttempt("b", 1, now))
	wait := th.countAttempt("a", 1, now)
	assert.Zero(t, th.countAttempt("a", 1, now.Add(wait)), "after the time that is told it may try again")
	tell, unreported := th.recordFailure("a", true, now.Add(wait))
	assert.True(t, tell)
	assert.Equal(t, 2, unreported, "attempts that were turned away are counted")
}

func TestWhatIsNoGuessBlocksNobodyAndIsToldSoOften(t *testing.T) {
	th, now := newThrottle(), time.Unix(1e9, 0)
	told := 0
	for range 3 * failBurst {
		require.Zero(t, th.countAttempt("a", 1, now))
		if tell, _ := th.recordFailure("a", false, now); tell {
			told++
		}
	}
	assert.Equal(t, failBurst, told)
}

func TestAClockThatStepsBackGivesNothing(t *testing.T) {
	th, now := newThrottle(), time.Unix(1e9, 0)
	for range failBurst {
		th.recordFailure("a", true, now)
	}
	assert.Positive(t, th.countAttempt("a", 1, now.Add(-time.Hour)))
}

func TestManyAddressesFillNeitherTheMemoryNorTheChain(t *testing.T) {
	th, now := newThrottle(), time.Unix(1e9, 0)
	told := 0
	for i := range 3 * maxAddresses {
		if tell, _ := th.recordFailure(fmt.Sprint(i), i%2 == 0, now); tell {
			told++
		}
	}
	assert.Equal(t, eventBurst, told)
	assert.LessOrEqual(t, len(th.addresses.at), maxAddresses)
	tell, unreported := th.recordFailure("late", true, now.Add(time.Second))
	assert.True(t, tell)
	assert.Equal(t, 3*maxAddresses-eventBurst, unreported)
}

func TestAFullTableForgetsTheAddressThatWasUsedLongestAgo(t *testing.T) {
	th, now := newThrottle(), time.Unix(1e9, 0)
	for range failBurst {
		th.recordFailure("early", true, now)
	}
	for range failBurst {
		th.recordFailure("late", true, now)
	}
	for i := range maxAddresses - 1 {
		th.recordFailure(fmt.Sprint(i), true, now)
	}
	assert.Zero(t, th.countAttempt("early", 1, now))
	assert.Positive(t, th.countAttempt("late", 1, now), "the table does not forget all at once")
}

func TestAnAddressIsCountedByItsNetwork(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[2001:db8::1]:80": "2001:db8::/64", "[2001:db8::ffff:1]:81": "2001:db8::/64",
		"[::ffff:192.0.2.7]:9": "192.0.2.7", "[fe80::1%eth0]:9": "fe80::/64", "192.0.2.7": "192.0.2.7", "": "", "pipe": "",
	} {
		assert.Equal(t, want, cutAddress(remote), remote)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	r, now := newRecent[int](time.Minute, 10), time.Unix(1e9, 0)
	for i := range 100 {
		assert.True(t, r.add(i, now))
		assert.False(t, r.add(i, now.Add(59*time.Second)))
		assert.LessOrEqual(t, len(r.end.at), 10)
	}
	assert.True(t, r.has(99, now))
	assert.False(t, r.has(99, now.Add(time.Minute)))
	assert.True(t, r.add(99, now.Add(time.Minute)))
	r.drop(99)
	assert.False(t, r.has(99, now))
}
