package guest

import (
	"runtime"
	"unsafe"

	"github.com/headgate-dev/headgate/wasm/abi"
)

//go:wasmexport hg_stage
func hookStage(phase uint32) (result uint32) {
	defer func() {
		if recover() != nil { // its value may hold the text
			Log(abi.LevelError, "the stage panicked")
			result = abi.StageFailed
		}
	}()
	if err := RunStage(Phase(phase)); err != nil {
		Log(abi.LevelError, err.Error())
		return abi.StageFailed
	}
	return abi.StageDone
}

// abi:begin imports: from wasm/abi/description/abi.json by go generate

//go:wasmimport headgate field
func hostField(id uint32, to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate seg_count
func segCount() uint32

//go:wasmimport headgate seg_info
func segInfo(seg uint32) uint64

//go:wasmimport headgate seg_read
func hostSegRead(seg uint32, off uint32, to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate deny
func hostDeny(code unsafe.Pointer, codeLen uint32, message unsafe.Pointer, messageLen uint32, retryMs uint32)

//go:wasmimport headgate respond
func hostRespond(text unsafe.Pointer, textLen uint32)

//go:wasmimport headgate respond_body
func hostRespondBody(body unsafe.Pointer, bodyLen uint32)

//go:wasmimport headgate retry
func hostRetry(role uint32, text unsafe.Pointer, textLen uint32)

//go:wasmimport headgate rule
func hostRule(id unsafe.Pointer, idLen uint32, reason unsafe.Pointer, reasonLen uint32)

//go:wasmimport headgate edit
func hostEdit(seg uint32, start uint32, end uint32, insert unsafe.Pointer, insertLen uint32)

//go:wasmimport headgate redact
func hostRedact(seg uint32, start uint32, end uint32, kind unsafe.Pointer, kindLen uint32)

//go:wasmimport headgate redact_found
func hostRedactFound(place uint32) uint32

//go:wasmimport headgate withhold
func hostWithhold()

//go:wasmimport headgate set_model
func hostSetModel(model unsafe.Pointer, modelLen uint32)

//go:wasmimport headgate cap_tokens
func capTokens(n int64)

//go:wasmimport headgate route
func hostRoute(model unsafe.Pointer, modelLen uint32, region unsafe.Pointer, regionLen uint32, weight uint32)

//go:wasmimport headgate annotate
func hostAnnotate(key unsafe.Pointer, keyLen uint32, value unsafe.Pointer, valueLen uint32)

//go:wasmimport headgate keep_set
func hostKeepSet(from unsafe.Pointer, fromLen uint32)

//go:wasmimport headgate keep_get
func hostKeepGet(to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate state_take
func hostTake(limits unsafe.Pointer, n uint32) int64

//go:wasmimport headgate state_settle
func hostSettle(hold int64, used unsafe.Pointer, n uint32) uint32

//go:wasmimport headgate state_get
func hostGet(key unsafe.Pointer, keyLen uint32, to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate state_put
func hostPut(key unsafe.Pointer, keyLen uint32, from unsafe.Pointer, fromLen uint32, ttlMs int64) uint32

//go:wasmimport headgate state_scope
func hostStateScope(scope unsafe.Pointer, scopeLen uint32) uint32

//go:wasmimport headgate threshold
func hostThreshold(name unsafe.Pointer, nameLen uint32, percent uint32) uint32

//go:wasmimport headgate host_call
func hostSend(upstream unsafe.Pointer, upstreamLen uint32, path unsafe.Pointer, pathLen uint32, body unsafe.Pointer, bodyLen uint32) int64

//go:wasmimport headgate host_call_read
func hostReceive(off uint32, to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate restore
func hostRestore(token unsafe.Pointer, tokenLen uint32, to unsafe.Pointer, toCap uint32) uint32

//go:wasmimport headgate answer_keep
func hostAnswerKeep(max uint32)

//go:wasmimport headgate body_read
func hostBodyRead(to unsafe.Pointer, toCap uint32) uint32

// abi:end

func locateText(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

func locateBytes(b []byte) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b))
}

// findAddress returns where a string lies. Go moves nothing on the heap.
func findAddress(s string) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.StringData(s)))) }

func field(id uint32, to []byte) uint32 {
	p, n := locateBytes(to)
	return hostField(id, p, n)
}

func segRead(i, off uint32, to []byte) uint32 {
	p, n := locateBytes(to)
	return hostSegRead(i, off, p, n)
}

func deny(code, message string, retry uint32) {
	c, cn := locateText(code)
	m, mn := locateText(message)
	hostDeny(c, cn, m, mn, retry)
}

func respond(text string) {
	p, n := locateText(text)
	hostRespond(p, n)
}

func edit(i, start, end uint32, with string) {
	p, n := locateText(with)
	hostEdit(i, start, end, p, n)
}

func redact(i, start, end uint32, typ string) {
	p, n := locateText(typ)
	hostRedact(i, start, end, p, n)
}

func setModel(model string) {
	p, n := locateText(model)
	hostSetModel(p, n)
}

func annotate(key, value string) {
	k, kn := locateText(key)
	v, vn := locateText(value)
	hostAnnotate(k, kn, v, vn)
}

func keepSet(b []byte) {
	p, n := locateBytes(b)
	hostKeepSet(p, n)
}

func keepGet(to []byte) uint32 {
	p, n := locateBytes(to)
	return hostKeepGet(p, n)
}

func take(limits []Limit, records []byte) int64 {
	p, _ := locateBytes(records)
	hold := hostTake(p, uint32(len(limits)))
	runtime.KeepAlive(limits) // the records name the keys by address
	return hold
}

func settle(hold int64, used []int64) uint32 {
	return hostSettle(hold, unsafe.Pointer(unsafe.SliceData(used)), uint32(len(used)))
}

func stateGet(key string, to []byte) uint32 {
	k, kn := locateText(key)
	p, n := locateBytes(to)
	return hostGet(k, kn, p, n)
}

func statePut(key string, value []byte, ttl int64) uint32 {
	k, kn := locateText(key)
	p, n := locateBytes(value)
	return hostPut(k, kn, p, n, ttl)
}
