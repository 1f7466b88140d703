package guest

import (
	"unsafe"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// input is the one buffer that the host writes texts to.
var input []byte

//go:wasmexport hg_abi_1
func hookVersion() int32 { return 0 }

//go:wasmexport hg_alloc
func hookAlloc(n uint32) uint32 {
	if uint32(cap(input)) < n || cap(input) == 0 {
		input = make([]byte, max(n, 64))
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(input))))
}

//go:wasmexport hg_configure
func hookConfigure(_, n uint32) int32 {
	if err := RunConfigure(append([]byte(nil), input[:n]...)); err != nil {
		Log(abi.LevelError, err.Error())
		return 1
	}
	return 0
}

//go:wasmexport hg_detect
func hookDetect(_, n, flags uint32) (result uint64) {
	defer func() {
		if recover() != nil { // its value may hold the text
			Log(abi.LevelError, "the detector panicked")
			result = abi.Pack(0, abi.BytesError)
		}
	}()
	r := collect(input[:n:n], Flags(flags))
	return abi.Pack(uint32(uintptr(unsafe.Pointer(unsafe.SliceData(r)))), uint32(len(r)))
}

// abi:begin imports: from wasm/abi/description/abi.json by go generate

//go:wasmimport headgate log
func hostLog(level uint32, text unsafe.Pointer, textLen uint32)

//go:wasmimport headgate now_ms
func hostNow() int64

//go:wasmimport headgate random
func hostRandom(to unsafe.Pointer, toCap uint32)

// abi:end

// Log writes a line to the gateway's log. The host limits their rate. What a
// prompt holds does not belong there.
func Log(level abi.Level, text string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

// Now is the time in milliseconds since 1970. The manifest must ask for the
// capability now.
func Now() int64 { return hostNow() }

// Random fills b with random bytes. The manifest must ask for the capability
// random.
func Random(b []byte) { hostRandom(unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b))) }
