// Package abi is Headgate ABI 1: the names, numbers and layouts that the host
// and its guests share. It imports nothing, so that a guest in Go can use it
// as it stands; guests in other languages copy the numbers, which never
// change within a major version.
//
// A guest is a core WebAssembly module that exports its memory and the hooks
// below. The major version is in the name of an export, hg_abi_1; what it
// returns are feature bits, the minor version: a host refuses a module that sets
// one that it does not know. ABI 1 has none yet, so guests return 0. A host refuses
// an export whose name begins with hg_ and which it does not know, so a misspelt
// hook is found when the module is loaded. A module may speak several major
// versions; the host then uses one that it knows.
//
// docs/plugin-abi.md is the normative text.
package abi

// Version is the major version of the ABI.
const Version = 1

// Features are the feature bits that exist in this version.
const Features uint32 = 0

// Prefix begins the name of every export that belongs to the ABI, and VersionPrefix
// that of the export that names a major version.
const (
	Prefix        = "hg_"
	VersionPrefix = "hg_abi_"
)

// Exports of a guest.
const (
	// ExportMemory is the guest's only memory.
	ExportMemory = "memory"
	// ExportVersion is hg_abi_1() -> i32: the feature bits that the guest uses.
	ExportVersion = "hg_abi_1"
	// ExportAlloc is hg_alloc(len i32) -> i32: where the host may write len
	// bytes. There is one such buffer, owned by the guest and valid until the
	// next hg_alloc; the host uses it again while it is large enough. 0 says
	// that there is no memory.
	ExportAlloc = "hg_alloc"
	// ExportConfigure is hg_configure(ptr, len i32) -> i32, optional: the
	// settings as JSON, once per instance and before any other hook. 0 accepts
	// them; anything else refuses the module, and a line through log says why.
	ExportConfigure = "hg_configure"
	// ExportDetect is hg_detect(ptr, len, flags i32) -> i64: the matches in a
	// text, as ptr<<32 | bytes of an array of span records.
	ExportDetect = "hg_detect"
	// ExportStage is hg_stage(phase i32) -> i32: a full stage; see StageDone.
	ExportStage = "hg_stage"
	// ExportStream is hg_stream(handle, ptr, len, flags i32) -> i64: a filter
	// with state of its own for one streamed answer; see StreamOpen.
	ExportStream = "hg_stream"
	// ExportInitialize is _initialize(), optional: run once per instance,
	// before everything else.
	ExportInitialize = "_initialize"
)

// HostModule is the name that host functions are imported from.
const HostModule = "headgate"

// Functions of the host. tick is the meter's: a guest that imports it itself is
// refused. Addresses and lengths are unsigned, in bytes. What a guest gets wrong
// (an address outside its memory, an index that there is not, a call that has no
// meaning in the phase at hand) ends its call as a fault of kind abi.
const (
	ImportTick   = "tick"   // () -> i32
	ImportLog    = "log"    // (level, ptr, len i32)
	ImportNow    = "now_ms" // () -> i64: milliseconds since 1970; capability now
	ImportRandom = "random" // (ptr, len i32); capability random

	// For stages. A manifest that reads no fields may not import field; one that
	// reads no text may not import seg_count, seg_info, seg_read and edit.
	ImportField    = "field"     // (id, ptr, cap i32) -> i32: the full length, or NotGranted, or NoValue
	ImportSegCount = "seg_count" // () -> i32: segments that the guest may see
	ImportSegInfo  = "seg_info"  // (i i32) -> i64: see PackSeg
	ImportSegRead  = "seg_read"  // (i, off, ptr, cap i32) -> i32: bytes written
	ImportDeny     = "deny"      // (code_ptr, code_len, msg_ptr, msg_len, retry_ms i32)
	ImportEdit     = "edit"      // (seg, start, end, ptr, len i32)
	ImportAnnotate = "annotate"  // (key_ptr, key_len, val_ptr, val_len i32)
	ImportRespond  = "respond"   // (ptr, len i32)
	ImportKeepSet  = "keep_set"  // (ptr, len i32)
	ImportKeepGet  = "keep_get"  // (ptr, cap i32) -> i32: the full length

	// Capability redact.
	ImportRedact = "redact" // (seg, start, end, type_ptr, type_len i32)

	// Capability patch; in the phase request.
	ImportSetModel  = "set_model"  // (ptr, len i32)
	ImportCapTokens = "cap_tokens" // (n i64)

	// Capability state; see Limit.
	ImportStateTake   = "state_take"   // (ptr, n i32) -> i64: a hold, or TakeShort, TakeFailed, TakeFull
	ImportStateSettle = "state_settle" // (hold i64, ptr, n i32) -> i32: 0, or NoValue, or Unavailable
	ImportStateGet    = "state_get"    // (key_ptr, key_len, ptr, cap i32) -> i32: the full length, or NoValue, or Unavailable
	ImportStatePut    = "state_put"    // (key_ptr, key_len, ptr, len i32, ttl_ms i64) -> i32: 0, or Unavailable
)

// Results of imports in the place of a length. No length is as large.
const (
	// NoValue says that there is no such thing: a field that this host does not
	// know, a key that nothing is kept under, a hold that is settled already.
	NoValue uint32 = 0xFFFFFFFF
	// NotGranted says that the guest may not see this field: its manifest does not
	// ask for it, or the operator does not grant it.
	NotGranted uint32 = 0xFFFFFFFE
	// Unavailable says that the store did not answer. Nothing was changed as far
	// as is known.
	Unavailable uint32 = 0xFFFFFFFD
)

// Capabilities that a manifest may ask for.
const (
	CapabilityNow    = "now"
	CapabilityRandom = "random"
	CapabilityState  = "state"
	CapabilityRedact = "redact"
	CapabilityPatch  = "patch"
)

// ManifestSection is the custom section that holds the manifest, as JSON.
const ManifestSection = "headgate.manifest"

// Kinds of guests, as the manifest names them.
const (
	KindDetector = "detector"
	KindStage    = "stage"
	// KindRego is a policy that OPA has compiled. It speaks OPA's ABI, not this one.
	KindRego = "rego"
	// KindExtism is a detector that speaks Extism's ABI.
	KindExtism = "extism"
)
