package meter

// Kind says what an import or export is. The zero value is not set.
type Kind uint8

// The kinds of an Extern.
const (
	KindFunc Kind = iota + 1
	KindTable
	KindMemory
	KindGlobal
)

// ValType is a Wasm value type in its binary encoding. The zero value is none.
type ValType byte

// The value types a module may use.
const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	V128      ValType = 0x7b
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

// String returns the name of the type in the text format.
func (v ValType) String() string {
	switch v {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	default:
		return "unknown"
	}
}

func (v ValType) known() bool { return v >= V128 && v <= I32 || v == FuncRef || v == ExternRef }

// Extern is one import or export of the original module.
type Extern struct {
	// Module is empty for an export.
	Module, Name string
	Kind         Kind
	// Params and Results are the exact signature of a function, and nil for
	// everything else. They are shared between functions of one type.
	Params, Results []ValType
}

// Module is a checked and metered module.
type Module struct {
	// Bytes is the metered binary. It keeps no custom section but the names of
	// the functions.
	Bytes []byte
	// Imports and Exports describe the original module, without the injected
	// import, in order.
	Imports, Exports []Extern
	// Custom holds the contents of the custom sections by name, the first of
	// each. The slices are parts of the source given to Rewrite.
	Custom map[string][]byte
	// MemoryMin and MemoryMax are in pages of 64 KiB, MemoryMax as rewritten;
	// both are zero without a memory.
	MemoryMin, MemoryMax uint32
	// OwnMemory tells that the module imports its memory, and that the rewritten one
	// has one of its own in its place, which it exports as "memory".
	OwnMemory bool
	// TableMin is the initial size of all tables together, in entries.
	TableMin uint32
	// Functions is the number of functions the original module defines.
	Functions int
	// State says what the module may change besides its memory.
	State State
	// HasStart tells that instantiating the module runs a start function, which
	// needs a deadline like any call.
	HasStart bool
	// LargestBody is the size of the largest function body in bytes, LargestMetered
	// the same after rewriting.
	LargestBody, LargestMetered int
}
