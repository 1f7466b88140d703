package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// talk is one call of hg_stage: what the guest may see, and its results so far. Each instance has one and reuses it for every call, so
// that a call without results allocates nothing.
type talk struct {
	s     *FullStage // nil if no call is under way
	x     *core.Exchange
	phase uint32
	body  *core.Payload
	away  context.Context // ends the reading of a field for a plugin elsewhere; nil otherwise
	texts []streamedText
	kept  *exchangeState

	visible []int32 // segments that the guest may see; computed on first use
	listed  bool
	work    int    // bytes processed for the guest since the last check of the clock
	read    uint64 // bytes of text

	doc    []byte // the input of a compiled policy
	num    []byte // a field's computed value
	made   abi.Field
	value  string // of the computed field
	gotKey string // key of the value of state that was read last
	got    []byte

	decided  core.Action // Block, Answer or Retry; 0 if undecided
	refusal  *core.Error
	reply    string
	edits    []core.Edit
	with     int // bytes that the edits insert
	patch    core.Patch
	findings []core.Finding
	header   []core.Field
	waits    bool // nothing of the answer was sent, so that the model can be asked again
	found    foundValues
	more     powers
}

func (c *talk) begin(s *FullStage, x *core.Exchange, j *job) {
	c.s, c.x, c.phase, c.body, c.texts, c.kept, c.waits = s, x, j.phase, j.body, j.texts, j.kept, j.waits
	c.visible, c.listed, c.work, c.read, c.found = c.visible[:0], false, 0, 0, j.found
}

// end drops the references to the exchange. The verdict owns the guest's results by now.
func (c *talk) end() {
	visible := c.visible
	if cap(visible) > maxVisible {
		visible = nil
	}
	doc := c.doc
	if cap(doc) > maxInput {
		doc = nil
	}
	*c = talk{visible: visible[:0], num: c.num[:0], doc: doc[:0]}
}

// maxInput bounds the memory, in bytes, that an instance retains for inputs of policies.
const maxInput = 1 << 20

// maxVisible bounds the memory, in bytes, that an instance retains for lists of segments.
const maxVisible = 16 << 10

// abiError is a guest's violation of the contract, which ends the call from inside a host function. It contains nothing that the guest
// could have written.
type abiError string

func (e abiError) Error() string { return string(e) }

// endWithBreach ends the call with an abiError.
func endWithBreach(reason string) { panic(abiError(reason)) }

// findTalk returns the call of hg_stage from which a host function was called.
func findTalk(ctx context.Context) (*talk, *instance) {
	i := ctx.(*callContext).inst
	if i.talk.s == nil {
		endWithBreach("it called a function for stages outside of hg_stage")
	}
	return &i.talk, i
}

// workPiece is the work for a guest, in bytes, between two checks of the clock. A call counts as workCall.
const (
	workPiece = 64 << 10
	workCall  = 64
)

// charge counts n bytes of work, and ends the call if its time is up.
func (c *talk) charge(i *instance, n int) {
	if c.work += n + workCall; c.work >= workPiece {
		c.work = 0
		c.checkTime(i)
	}
}

// timeUp is what checkTime panics with if a field is read for a plugin elsewhere.
type timeUp struct{}

// checkTime ends the call if its time is up. The instance is nil if a field is read for a plugin elsewhere.
func (c *talk) checkTime(i *instance) {
	switch {
	case i != nil:
		i.call.check()
	case c.away != nil && c.away.Err() != nil:
		panic(timeUp{})
	}
}

// readBytes returns a part of the guest's memory. It is valid until the guest resumes.
func readBytes(i *instance, ptr, n uint64) []byte {
	b, ok := i.mem.Read(uint32(ptr), uint32(n))
	if !ok {
		endWithBreach("it named an address outside its memory")
	}
	return b
}

// copyText copies as much of text as fits into cap bytes at ptr, and returns its full length.
func copyText(i *instance, ptr, cap uint64, text string) uint64 {
	n := min(len(text), int(uint32(cap)))
	copy(readBytes(i, ptr, uint64(n)), text)
	return uint64(len(text))
}

// newStageFunc returns an import for stages.
func newStageFunc(fn func(c *talk, i *instance, stack []uint64), results []api.ValueType, params ...api.ValueType) hostFunc {
	return hostFunc{params: params, results: results, stage: true, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		c, i := findTalk(ctx)
		fn(c, i, stack)
	}}
}

var (
	noResult = []api.ValueType(nil)
	oneI32   = []api.ValueType{i32}
	oneI64   = []api.ValueType{i64}
)

var stageFuncs = map[string]hostFunc{
	abi.ImportField:       newStageFunc(handleField, oneI32, i32, i32, i32).requireReading("reads.fields"),
	abi.ImportSegCount:    newStageFunc(handleSegCount, oneI32).requireReading("reads.text"),
	abi.ImportSegInfo:     newStageFunc(handleSegInfo, oneI64, i32).requireReading("reads.text"),
	abi.ImportSegRead:     newStageFunc(handleSegRead, oneI32, i32, i32, i32, i32).requireReading("reads.text"),
	abi.ImportEdit:        newStageFunc(handleEdit, noResult, i32, i32, i32, i32, i32).requireReading("reads.text"),
	abi.ImportDeny:        newStageFunc(handleDeny, noResult, i32, i32, i32, i32, i32),
	abi.ImportRespond:     newStageFunc(handleRespond, noResult, i32, i32),
	abi.ImportAnnotate:    newStageFunc(handleAnnotate, noResult, i32, i32, i32, i32),
	abi.ImportRule:        newStageFunc(handleRule, noResult, i32, i32, i32, i32),
	abi.ImportRetry:       newStageFunc(handleRetry, noResult, i32, i32, i32),
	abi.ImportRespondBody: newStageFunc(handleRespondBody, noResult, i32, i32),
	abi.ImportKeepSet:     newStageFunc(handleKeepSet, noResult, i32, i32),
	abi.ImportKeepGet:     newStageFunc(handleKeepGet, oneI32, i32, i32),

	abi.ImportRedact: newStageFunc(handleRedact, noResult, i32, i32, i32, i32,
		i32).requireCapability(abi.CapabilityRedact).requireReading("reads.text"),
	abi.ImportRedactFound: newStageFunc(handleRedactFound, oneI32,
		i32).requireCapability(abi.CapabilityRedact).requireReading("reads.text"),
	abi.ImportWithhold:  newStageFunc(handleWithhold, noResult),
	abi.ImportSetModel:  newStageFunc(handleSetModel, noResult, i32, i32).requireCapability(abi.CapabilityPatch),
	abi.ImportCapTokens: newStageFunc(handleCapTokens, noResult, i64).requireCapability(abi.CapabilityPatch),
	abi.ImportRoute:     newStageFunc(handleRoute, noResult, i32, i32, i32, i32, i32).requireCapability(abi.CapabilityPatch),

	abi.ImportStateTake:   newStageFunc(handleStateTake, oneI64, i32, i32).requireCapability(abi.CapabilityState),
	abi.ImportStateSettle: newStageFunc(handleStateSettle, oneI32, i64, i32, i32).requireCapability(abi.CapabilityState),
	abi.ImportStateGet:    newStageFunc(handleStateGet, oneI32, i32, i32, i32, i32).requireCapability(abi.CapabilityState),
	abi.ImportStatePut:    newStageFunc(handleStatePut, oneI32, i32, i32, i32, i32, i64).requireCapability(abi.CapabilityState),
	abi.ImportStateScope:  newStageFunc(handleStateScope, oneI32, i32, i32).requireCapability(abi.CapabilityState),

	abi.ImportThreshold:    newStageFunc(handleThreshold, oneI32, i32, i32, i32).requireCapability(abi.CapabilityNotify),
	abi.ImportHostCall:     newStageFunc(handleCall, oneI64, i32, i32, i32, i32, i32, i32).requireCapability(abi.CapabilityCall),
	abi.ImportHostCallRead: newStageFunc(handleCallRead, oneI32, i32, i32, i32).requireCapability(abi.CapabilityCall),
	abi.ImportRestore:      newStageFunc(handleRestore, oneI32, i32, i32, i32, i32).requireCapability(abi.CapabilityRestore),
	abi.ImportAnswerKeep:   newStageFunc(handleAnswerKeep, noResult, i32).requireCapability(abi.CapabilityBody).requireReading("reads.text"),
	abi.ImportBodyRead:     newStageFunc(handleBodyRead, oneI32, i32, i32).requireCapability(abi.CapabilityBody).requireReading("reads.text"),
}

func (f hostFunc) requireCapability(capability string) hostFunc {
	f.capability = capability
	return f
}

func (f hostFunc) requireReading(what string) hostFunc {
	f.reads = what
	return f
}

func handleKeepSet(c *talk, i *instance, stack []uint64) {
	if uint32(stack[1]) > abi.MaxKeep {
		endWithBreach("it keeps more for an exchange than it may")
	}
	b := readBytes(i, stack[0], stack[1])
	k := c.ensureState()
	k.data = append(k.data[:0], b...)
	c.charge(i, len(b))
}

func handleKeepGet(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	var data []byte
	if c.kept != nil {
		data = c.kept.data
	}
	stack[0] = copyText(i, stack[0], stack[1], zerocopy.String(data))
}

// ensureState returns the exchange's state, creating it on first use.
func (c *talk) ensureState() *exchangeState {
	if c.kept == nil {
		c.kept = new(exchangeState)
	}
	return c.kept
}
