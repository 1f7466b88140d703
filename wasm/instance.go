package wasm

import (
	"context"
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Match is one thing that a detector found. Start and End are byte offsets.
type Match struct {
	Start, End int
	Label      int // index into the manifest's labels
	Score      float32
}

// instance is one running guest. One goroutine uses it at a time.
type instance struct {
	v         *Version
	mod       api.Module
	mem       api.Memory
	alloc     api.Function
	detector  api.Function
	configure api.Function

	call  callContext
	stack [4]uint64
	in    uint32 // the guest's input buffer
	room  uint32 // its size
	size  uint32 // of the memory, when last looked at
	clock time.Duration
	old   bool // idle when the pool last looked

	matches []Match // scratch
	hits    []hit   // scratch
}

// minInput is the smallest input buffer that is asked for.
const minInput = 4 << 10

// newInstance makes an instance and configures it. ctx bounds it together with
// the time allowed.
func (v *Version) newInstance(ctx context.Context, allowed time.Duration) (*instance, error) {
	i := &instance{v: v}
	i.call = callContext{closing: &v.closing, inst: i}
	i.call.arm(ctx, allowed)
	defer i.call.disarm()
	mod, err := v.runtime.InstantiateModule(&i.call, v.compiled, wazero.NewModuleConfig().
		WithName("").WithStartFunctions(abi.ExportInitialize))
	if err != nil {
		return nil, i.fault(err)
	}
	i.mod, i.mem = mod, mod.Memory()
	i.alloc, i.detector = mod.ExportedFunction(abi.ExportAlloc), mod.ExportedFunction(abi.ExportDetect)
	v.live.Add(1)
	i.measure()
	if v.configurable {
		i.configure = mod.ExportedFunction(abi.ExportConfigure)
		if err := i.settings(v.config); err != nil {
			i.close()
			return nil, err
		}
	}
	return i, nil
}

// close ends the instance. Dropping it is not enough: the runtime keeps a list.
func (i *instance) close() {
	_ = i.mod.Close(context.Background()) // nothing of ours hangs on it
	i.v.live.Add(-1)
	i.v.memory.Add(-int64(i.size))
	i.size = 0
}

// measure notes the size of the memory and gives it.
func (i *instance) measure() uint32 {
	if n := i.mem.Size(); n != i.size {
		i.v.memory.Add(int64(n) - int64(i.size))
		i.size = n
	}
	return i.size
}

// full reports that the guest has come near its memory limit, so that what
// failed was most likely for want of memory.
func (i *instance) full() bool {
	return i.mem != nil && uint64(i.mem.Size()) >= uint64(i.v.limits.Memory)/4*3
}

func (i *instance) settings(config []byte) error {
	if len(config) == 0 {
		config = []byte("{}")
	}
	if err := i.write(string(config)); err != nil {
		return err
	}
	i.stack[0], i.stack[1] = uint64(i.in), uint64(len(config))
	if err := i.configure.CallWithStack(&i.call, i.stack[:2]); err != nil {
		return i.fault(err)
	}
	if code := uint32(i.stack[0]); code != 0 {
		return &Error{Plugin: i.v.Name, Kind: core.FaultError, Reason: "it does not accept its settings", Err: errSettings}
	}
	return nil
}

var errSettings = errors.New("hg_configure refused; the guest's log line says why")

// write puts text into the guest's input buffer, and asks for a larger one when
// it does not fit.
func (i *instance) write(text string) error {
	if n := uint64(len(text)); n > uint64(i.room) || i.room == 0 {
		if n > math.MaxUint32/2 {
			return i.v.abiFault("a text of %d bytes is too long for a guest", n)
		}
		size := uint32(minInput)
		for uint64(size) < n {
			size *= 2
		}
		i.in, i.room = 0, 0
		i.stack[0] = uint64(size)
		if err := i.alloc.CallWithStack(&i.call, i.stack[:1]); err != nil {
			return i.fault(err)
		}
		ptr := uint32(i.stack[0])
		if ptr == 0 {
			return &Error{Plugin: i.v.Name, Kind: core.FaultMemory, Reason: "hg_alloc gave no memory"}
		}
		if uint64(ptr)+uint64(size) > uint64(i.mem.Size()) {
			return i.v.abiFault("hg_alloc gave a buffer outside the memory")
		}
		i.in, i.room = ptr, size
	}
	if !i.mem.WriteString(i.in, text) {
		return i.v.abiFault("the input buffer lies outside the memory")
	}
	return nil
}

// detect asks the guest about a text, and counts. The matches are valid until
// the next call. After an error the instance must be closed.
func (i *instance) detect(text string, flags uint32) ([]Match, error) {
	i.v.calls.Add(1)
	i.v.bytes.Add(uint64(len(text)))
	return i.judge(text, flags)
}

// judge asks the guest about a text.
func (i *instance) judge(text string, flags uint32) ([]Match, error) {
	v := i.v
	if err := i.write(text); err != nil {
		return nil, err
	}
	i.stack[0], i.stack[1], i.stack[2] = uint64(i.in), uint64(len(text)), uint64(flags)
	if err := i.detector.CallWithStack(&i.call, i.stack[:3]); err != nil {
		return nil, i.fault(err)
	}
	ptr, n := abi.Unpack(i.stack[0])
	switch {
	case n == 0:
		return nil, nil
	case n == abi.BytesError:
		return nil, &Error{Plugin: v.Name, Kind: core.FaultError, Reason: "it reported an error"}
	case n%abi.SpanSize != 0 || n > abi.MaxSpans*abi.SpanSize:
		return nil, v.abiFault("hg_detect gave %d bytes of spans", n)
	}
	records, ok := i.mem.Read(ptr, n)
	if !ok {
		return nil, v.abiFault("hg_detect gave spans outside the memory")
	}
	return i.read(text, records)
}

// read checks the records and turns them into matches.
func (i *instance) read(text string, records []byte) ([]Match, error) {
	v := i.v
	out := i.matches[:0]
	last := uint32(0)
	for k := 0; len(records) > 0; k++ {
		s := abi.GetSpan(records)
		records = records[abi.SpanSize:]
		score := math.Float32frombits(s.Score)
		switch {
		case s.Label == abi.LabelOverflow && len(records) == 0:
			return nil, &Error{Plugin: v.Name, Kind: core.FaultError, Reason: "it found more than it can report", excused: true}
		case s.Start >= s.End || uint64(s.End) > uint64(len(text)):
			return nil, v.abiFault("span %d lies outside the text or is empty", k)
		case s.Start < last:
			return nil, v.abiFault("span %d is not in order", k)
		case !boundary(text, int(s.Start)) || !boundary(text, int(s.End)):
			return nil, v.abiFault("span %d begins or ends inside a character", k)
		case int(s.Label) >= len(v.Manifest.Labels):
			return nil, v.abiFault("span %d has a label that the manifest does not list", k)
		case !(score >= 0 && score <= 1):
			return nil, v.abiFault("span %d has a score that is not between 0 and 1", k)
		case int(s.End-s.Start) > v.Manifest.MaxMatch:
			return nil, v.abiFault("span %d is longer than max_match", k)
		case v.Manifest.Token && hasSpace(text[s.Start:s.End]):
			return nil, v.abiFault("span %d holds white space, which the manifest rules out", k)
		}
		last = s.Start
		out = append(out, Match{Start: int(s.Start), End: int(s.End), Label: int(s.Label), Score: score})
	}
	i.matches = out
	return out, nil
}

func boundary(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func hasSpace(s string) bool {
	for i := range len(s) {
		if isSpace(s[i]) {
			return true
		}
	}
	return false
}
