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
	more     powers
}

func (c *talk) begin(s *FullStage, x *core.Exchange, j *job) {
	c.s, c.x, c.phase, c.body, c.texts, c.kept, c.waits = s, x, j.phase, j.body, j.texts, j.kept, j.waits
	c.visible, c.listed, c.work, c.read = c.visible[:0], false, 0, 0
}

// end drops the references to the exchange. The verdict owns the guest's results by now.
func (c *talk) end() {
	visible := c.visible
	if cap(visible) > mostVisible {
		visible = nil
	}
	doc := c.doc
	if cap(doc) > mostInput {
		doc = nil
	}
	*c = talk{visible: visible[:0], num: c.num[:0], doc: doc[:0]}
}

// mostInput bounds the memory, in bytes, that an instance retains for inputs of policies.
const mostInput = 1 << 20

// mostVisible bounds the memory, in bytes, that an instance retains for lists of segments.
const mostVisible = 16 << 10

// abiError is a guest's violation of the contract, which ends the call from inside a host function. It contains nothing that the guest
// could have written.
type abiError string

func (e abiError) Error() string { return string(e) }

// endWithBreach ends the call with an abiError.
func endWithBreach(reason string) { panic(abiError(reason)) }

// talking returns the call of hg_stage from which a host function was called.
func talking(ctx context.Context) (*talk, *instance) {
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
		i.call.check()
	}
}

// bytesAt returns a part of the guest's memory. It is valid until the guest resumes.
func bytesAt(i *instance, ptr, n uint64) []byte {
	b, ok := i.mem.Read(uint32(ptr), uint32(n))
	if !ok {
		endWithBreach("it named an address outside its memory")
	}
	return b
}

// give copies as much of text as fits into cap bytes at ptr, and returns its full length.
func give(i *instance, ptr, cap uint64, text string) uint64 {
	n := min(len(text), int(uint32(cap)))
	copy(bytesAt(i, ptr, uint64(n)), text)
	return uint64(len(text))
}

// stageFunc returns an import for stages.
func stageFunc(fn func(c *talk, i *instance, stack []uint64), results []api.ValueType, params ...api.ValueType) hostFunc {
	return hostFunc{params: params, results: results, stage: true, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		c, i := talking(ctx)
		fn(c, i, stack)
	}}
}

var (
	noResult = []api.ValueType(nil)
	oneI32   = []api.ValueType{i32}
	oneI64   = []api.ValueType{i64}
)

var stageFuncs = map[string]hostFunc{
	abi.ImportField:       stageFunc(hostField, oneI32, i32, i32, i32).reading("reads.fields"),
	abi.ImportSegCount:    stageFunc(hostSegCount, oneI32).reading("reads.text"),
	abi.ImportSegInfo:     stageFunc(hostSegInfo, oneI64, i32).reading("reads.text"),
	abi.ImportSegRead:     stageFunc(hostSegRead, oneI32, i32, i32, i32, i32).reading("reads.text"),
	abi.ImportEdit:        stageFunc(hostEdit, noResult, i32, i32, i32, i32, i32).reading("reads.text"),
	abi.ImportDeny:        stageFunc(hostDeny, noResult, i32, i32, i32, i32, i32),
	abi.ImportRespond:     stageFunc(hostRespond, noResult, i32, i32),
	abi.ImportAnnotate:    stageFunc(hostAnnotate, noResult, i32, i32, i32, i32),
	abi.ImportRule:        stageFunc(hostRule, noResult, i32, i32, i32, i32),
	abi.ImportRetry:       stageFunc(hostRetry, noResult, i32, i32, i32),
	abi.ImportRespondBody: stageFunc(hostRespondBody, noResult, i32, i32),
	abi.ImportKeepSet:     stageFunc(hostKeepSet, noResult, i32, i32),
	abi.ImportKeepGet:     stageFunc(hostKeepGet, oneI32, i32, i32),

	abi.ImportRedact:    stageFunc(hostRedact, noResult, i32, i32, i32, i32, i32).needing(abi.CapabilityRedact).reading("reads.text"),
	abi.ImportSetModel:  stageFunc(hostSetModel, noResult, i32, i32).needing(abi.CapabilityPatch),
	abi.ImportCapTokens: stageFunc(hostCapTokens, noResult, i64).needing(abi.CapabilityPatch),
	abi.ImportRoute:     stageFunc(hostRoute, noResult, i32, i32, i32, i32, i32).needing(abi.CapabilityPatch),

	abi.ImportStateTake:   stageFunc(hostStateTake, oneI64, i32, i32).needing(abi.CapabilityState),
	abi.ImportStateSettle: stageFunc(hostStateSettle, oneI32, i64, i32, i32).needing(abi.CapabilityState),
	abi.ImportStateGet:    stageFunc(hostStateGet, oneI32, i32, i32, i32, i32).needing(abi.CapabilityState),
	abi.ImportStatePut:    stageFunc(hostStatePut, oneI32, i32, i32, i32, i32, i64).needing(abi.CapabilityState),
	abi.ImportStateScope:  stageFunc(hostStateScope, oneI32, i32, i32).needing(abi.CapabilityState),

	abi.ImportThreshold:    stageFunc(hostThreshold, oneI32, i32, i32, i32).needing(abi.CapabilityNotify),
	abi.ImportHostCall:     stageFunc(hostCall, oneI64, i32, i32, i32, i32, i32, i32).needing(abi.CapabilityCall),
	abi.ImportHostCallRead: stageFunc(hostCallRead, oneI32, i32, i32, i32).needing(abi.CapabilityCall),
	abi.ImportRestore:      stageFunc(hostRestore, oneI32, i32, i32, i32, i32).needing(abi.CapabilityRestore),
}

func (f hostFunc) needing(capability string) hostFunc {
	f.capability = capability
	return f
}

func (f hostFunc) reading(what string) hostFunc {
	f.reads = what
	return f
}

func hostKeepSet(c *talk, i *instance, stack []uint64) {
	if uint32(stack[1]) > abi.MaxKeep {
		endWithBreach("it keeps more for an exchange than it may")
	}
	b := bytesAt(i, stack[0], stack[1])
	k := c.keeping()
	k.data = append(k.data[:0], b...)
	c.charge(i, len(b))
}

func hostKeepGet(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	var data []byte
	if c.kept != nil {
		data = c.kept.data
	}
	stack[0] = give(i, stack[0], stack[1], zerocopy.String(data))
}

// keeping returns the exchange's state, creating it on first use.
func (c *talk) keeping() *exchangeState {
	if c.kept == nil {
		c.kept = new(exchangeState)
	}
	return c.kept
}
