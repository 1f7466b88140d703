package stream

import (
	"unsafe"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// reported keeps the records alive while the host reads them.
var reported []byte

//go:wasmexport hg_stream
func hook(part uint32, text unsafe.Pointer, n, flags uint32) (result uint64) {
	defer func() {
		if recover() != nil { // its value may hold the text
			guest.Log(abi.LevelError, "the filter panicked")
			result = abi.Pack(0, abi.BytesError)
		}
	}()
	if detector != nil {
		var answer uint64
		if reported, answer = detect(part, unsafe.Slice((*byte)(text), n), flags); Told(flags&abi.StreamOpMask) == Open {
			return answer
		}
		return abi.Pack(uint32(uintptr(unsafe.Pointer(unsafe.SliceData(reported)))), uint32(len(reported)))
	}
	if Told(flags&abi.StreamOpMask) == Open {
		return 0
	}
	hold, err := Run(part, Told(flags&abi.StreamOpMask) == Close)
	if err != nil {
		guest.Log(abi.LevelError, err.Error())
		return abi.Pack(0, abi.BytesError)
	}
	return abi.Pack(0, uint32(hold))
}
