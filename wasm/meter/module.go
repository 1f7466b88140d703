package meter

// Kind is the kind of an import or export. The zero value is not set.
type Kind uint8

// The kinds of an Extern.
const (
	KindFunc Kind = iota + 1
	KindTable
	KindMemory
	KindGlobal
)

// ValType is a Wasm value type in its binary encoding. The zero value is not a type.
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

func (v ValType) isValid() bool { return v >= V128 && v <= I32 || v == FuncRef || v == ExternRef }

// Extern is one import or export of the original module.
type Extern struct {
	// Module is empty for an export.
	Module, Name string
	Kind         Kind
	// Params and Results are the exact signature of a function, and nil for everything else. Functions of one type share them, so do not
	// modify them.
	Params, Results []ValType
}

// Module is a checked and metered module.
type Module struct {
	// Bytes is the metered binary. Of the custom sections it keeps only the names of the functions.
	Bytes []byte
	// Imports and Exports describe the original module in order, without the injected import.
	Imports, Exports []Extern
	// Custom holds the contents of the custom sections by name, the first of each. The slices share the memory of the source given to
	// Rewrite.
	Custom map[string][]byte
	// MemoryMin and MemoryMax are in pages of 64 KiB, MemoryMax as rewritten; both are zero without a memory.
	MemoryMin, MemoryMax uint32
	// OwnMemory is true if the original module imports its memory. The rewritten module has its own memory instead and exports it as
	// "memory".
	OwnMemory bool
	// TableMin is the initial size of all tables together, in entries.
	TableMin uint32
	// Functions is the number of functions that the original module defines.
	Functions int
	// State describes what the module may change besides its memory.
	State State
	// HasStart is true if instantiating the module runs a start function, which needs a deadline like any call.
	HasStart bool
	// LargestBody is the size of the largest function body in bytes. LargestMetered is the same after rewriting.
	LargestBody, LargestMetered int
}
