package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// machine is a clock that can be set, with the monotonic time beside it.
type machine struct {
	wall time.Time
	ran  time.Duration
}

func (m *machine) run(d time.Duration) { m.wall, m.ran = m.wall.Add(d), m.ran+d }

func (m *machine) clock(before settledState) *settledClock {
	return newSettledClock(before, func() time.Time { return m.wall }, func() time.Duration { return m.ran })
}

func TestTheSettledClockTakesAStepForwardOnceItHasLasted(t *testing.T) {
	year := 365 * 24 * time.Hour
	m := &machine{wall: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}
	c := m.clock(settledState{})
	assert.Equal(t, m.wall, c.Now())
	m.run(72 * time.Hour) // the clock is not read for long
	assert.Equal(t, m.wall, c.Now())

	right := m.wall
	m.wall = m.wall.Add(year)
	assert.Equal(t, right, c.Now())
	m.run(23 * time.Hour)
	assert.Equal(t, right.Add(23*time.Hour), c.Now())
	m.wall = m.wall.Add(-year) // an operator corrects it
	assert.Equal(t, m.wall, c.Now())

	m.wall = m.wall.Add(year)
	m.run(time.Hour)
	_, waits := c.read()
	assert.True(t, waits)
	m.run(12 * time.Hour)
	c.Now()
	after := m.clock(c.state()) // a restart keeps the state
	assert.Equal(t, c.Now(), after.Now())
	m.run(12 * time.Hour)
	assert.Equal(t, m.wall, after.Now(), "the step has lasted")

	m.wall = m.wall.Add(-time.Hour)
	assert.Equal(t, m.wall, after.Now(), "a step back is applied at once: it deletes less")
}

func TestAMachineThatWasOffForDaysIsBelieved(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for off, believed := range map[time.Duration]bool{0: true, 6 * 24 * time.Hour: true, 8 * 24 * time.Hour: false, -time.Hour: true} {
		m := &machine{wall: now.Add(off)}
		assert.Equal(t, believed, m.clock(settledState{Now: now}).Now().Equal(m.wall), "off for %v", off)
	}
}
