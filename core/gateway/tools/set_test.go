package tools_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

func TestAServerThatStaysInASetKeepsWhatItKnows(t *testing.T) {
	t.Parallel()
	pins := tools.NewPins(nil)
	stays := &tools.Server{Name: "stays", Price: 2}
	set := tools.NewSet(tools.Servers{"stays": stays, "goes": {Name: "goes"}})
	set.Adopt(nil, tools.Shared{Pins: pins})
	stays.NoteOutcome("", "find", 2, time.Now())
	set.Find("goes").NoteOutcome("", "", 0, time.Now())

	set.Replace(tools.Servers{"stays": stays, "comes": {Name: "comes", Pin: tools.PinRequired}})
	assert.Same(t, stays, set.Find("stays"))
	assert.EqualValues(t, 1, set.Find("stays").Health().Answered)
	assert.Nil(t, set.Find("goes"))
	assert.True(t, set.Find("comes").IsQuarantined("find"), "a new server has the pins of the set")
	assert.EqualValues(t, 2, set.PriceCall("mcp/stays", "mcp/stays/find"))
	set.Replace(tools.Servers{"stays": stays, "goes": {Name: "goes"}})
	assert.Zero(t, set.Find("goes").Health().Answered, "a later server of the name is another one")

	next := tools.NewSet(tools.Servers{"stays": {Name: "stays"}})
	next.Adopt(set, tools.Shared{Pins: pins})
	assert.EqualValues(t, 1, next.Find("stays").Health().Answered, "a reload forgets nothing")
	set.Find("goes").NoteOutcome("", "", 0, time.Now())
	next.Replace(tools.Servers{"stays": next.Find("stays"), "goes": {Name: "goes"}})
	assert.EqualValues(t, 1, next.Find("goes").Health().Answered, "nor of stored servers, which come after those of the file")
	next.Replace(tools.Servers{"stays": next.Find("stays")})
	next.Replace(tools.Servers{"stays": next.Find("stays"), "goes": {Name: "goes"}})
	assert.Zero(t, next.Find("goes").Health().Answered, "a later server of the name is another one, after a reload too")
	var none *tools.Set
	assert.True(t, none.IsEmpty())
	assert.Nil(t, none.Find("stays"))
}

func TestServersAreReplacedWhileCallsLookThemUp(t *testing.T) {
	t.Parallel()
	stays := &tools.Server{Name: "stays"}
	set := tools.NewSet(tools.Servers{"stays": stays})
	set.Adopt(nil, tools.Shared{})
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, name := range []string{"stays", "comes"} {
					if s := set.Find(name); s != nil {
						s.NoteOutcome("", "find", 1, time.Now())
						s.RecordTools("find")
						_ = s.IsQuarantined("find")
					}
				}
			}
		})
	}
	for range 200 {
		set.Replace(tools.Servers{"stays": stays, "comes": {Name: "comes"}})
		set.Replace(tools.Servers{"stays": stays})
	}
	close(stop)
	callers.Wait()
	assert.Same(t, stays, set.Find("stays"))
}
