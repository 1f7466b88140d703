package wasm

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
)

func reportClockResolution(_ *callContext, mem api.Memory, args []uint64) uint64 {
	if !mem.WriteUint64Le(uint32(args[1]), uint64(time.Millisecond)) {
		return errnoFault
	}
	return errnoSuccess
}

// clockStart is the initial time of the clock that a guest without the capability sees: the year 2000.
const clockStart = 946_684_800 * time.Second

func reportClockTime(c *callContext, mem api.Memory, args []uint64) uint64 {
	id := uint32(args[0])
	var at time.Duration
	switch {
	case id > 1:
		return errnoInval
	case slices.Contains(c.inst.v.Manifest.Capabilities, abi.CapabilityNow):
		at = time.Duration(time.Now().UnixNano())
		if id == 1 {
			at = readClock()
		}
	default:
		c.inst.clock += time.Millisecond
		at = clockStart + c.inst.clock
		if id == 1 {
			at = c.inst.clock
		}
	}
	if !mem.WriteUint64Le(uint32(args[2]), uint64(at)) {
		return errnoFault
	}
	return errnoSuccess
}

// reportPoll returns from every wait at once; waiting advances the guest's own clock.
func reportPoll(c *callContext, mem api.Memory, args []uint64) uint64 {
	const subscription, event = 48, 32
	in, out, n := uint32(args[0]), uint32(args[1]), uint32(args[2])
	if n == 0 || n > maxVectors {
		return errnoInval
	}
	subs, ok := mem.Read(in, n*subscription)
	if !ok {
		return errnoFault
	}
	for k := range n {
		s := subs[k*subscription:][:subscription]
		var e [event]byte
		copy(e[:8], s[:8]) // the guest's user data
		e[10] = s[8]       // type
		if s[8] == 0 {     // a clock
			wait := time.Duration(binary.LittleEndian.Uint64(s[24:]))
			if absolute := s[40]&1 != 0; !absolute && wait > 0 && wait < time.Hour {
				c.inst.clock += wait
			} else if absolute && wait > c.inst.clock && wait < c.inst.clock+time.Hour {
				c.inst.clock = wait
			}
		} else {
			e[8] = errnoBadf
		}
		if !mem.Write(out+k*event, e[:]) {
			return errnoFault
		}
	}
	if !mem.WriteUint32Le(uint32(args[3]), n) {
		return errnoFault
	}
	return errnoSuccess
}
