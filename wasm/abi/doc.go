// Package abi is Headgate ABI 1: the names, numbers and layouts that the host and its guests share. It imports nothing, so a guest in Go
// can use it directly. Guests in other languages copy the numbers, which never change within a major version.
//
// A guest is a core WebAssembly module that exports its memory and the hooks below. The name of the export hg_abi_1 holds the major
// version. Its result holds feature bits, the minor version: a host refuses a module that sets a bit it does not know. ABI 1 defines none
// yet, so guests return 0. A host also refuses an unknown export whose name starts with hg_, so that a misspelt hook is found when the
// module is loaded. A module may support several major versions; the host then uses one that it knows.
//
// docs/plugin-abi.md is the normative text.
package abi

// Version is the major version of the ABI.
const Version = 1

// Features are the feature bits defined in this version.
const Features uint32 = 0

// Prefix begins the name of every export that belongs to the ABI. VersionPrefix begins the name of the export that states a major
// version.
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
	// ExportAlloc is hg_alloc(len i32) -> i32. It returns the address at which the host may write len bytes, or 0 if there is no memory.
	// The guest owns this one buffer, which is valid until the next hg_alloc; the host reuses it while it is large enough.
	ExportAlloc = "hg_alloc"
	// ExportConfigure is hg_configure(ptr, len i32) -> i32, optional. It receives the settings as JSON, once per instance and before any
	// other hook. 0 accepts them. Any other result refuses the module; the guest should log the reason.
	ExportConfigure = "hg_configure"
	// ExportDetect is hg_detect(ptr, len, flags i32) -> i64. It returns the matches in a text, as ptr<<32 | bytes of an array of span
	// records.
	ExportDetect = "hg_detect"
	// ExportStage is hg_stage(phase i32) -> i32: a full stage; see StageDone.
	ExportStage = "hg_stage"
	// ExportStream is hg_stream(handle, ptr, len, flags i32) -> i64: a filter that keeps state over one streamed answer; see StreamOpen.
	ExportStream = "hg_stream"
	// ExportInitialize is _initialize(), optional. The host calls it once per instance, before any other export.
	ExportInitialize = "_initialize"
)

// HostModule is the module name from which guests import host functions.
const HostModule = "headgate"

// Host functions. tick belongs to the meter: a guest that imports it itself is refused. Addresses and lengths are unsigned, in bytes. An
// invalid call (an address outside the guest's memory, an index out of range, a call that the current phase does not allow) ends the
// guest's call as a fault of kind abi.
const (
	ImportTick   = "tick"   // () -> i32
	ImportLog    = "log"    // (level, ptr, len i32)
	ImportNow    = "now_ms" // () -> i64: milliseconds since 1970; capability now
	ImportRandom = "random" // (ptr, len i32); capability random

	// Functions for stages. A manifest that reads no fields must not import field; one that reads no text must not import seg_count,
	// seg_info, seg_read or edit.
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

	// Rules, other answers.
	ImportRule        = "rule"         // (id_ptr, id_len, reason_ptr, reason_len i32)
	ImportRetry       = "retry"        // (role, ptr, len i32); phase response
	ImportRespondBody = "respond_body" // (ptr, len i32); phase request

	// Capability redact.
	ImportRedact = "redact" // (seg, start, end, type_ptr, type_len i32)

	// Capability patch, in phase request only.
	ImportSetModel  = "set_model"  // (ptr, len i32)
	ImportCapTokens = "cap_tokens" // (n i64)
	ImportRoute     = "route"      // (model_ptr, model_len, region_ptr, region_len, weight i32)

	// Capability state; see Limit.
	ImportStateTake   = "state_take"   // (ptr, n i32) -> i64: a hold, or TakeShort, TakeFailed, TakeFull
	ImportStateSettle = "state_settle" // (hold i64, ptr, n i32) -> i32: 0, or NoValue, or Unavailable
	ImportStateGet    = "state_get"    // (key_ptr, key_len, ptr, cap i32) -> i32: the full length, or NoValue, or Unavailable
	ImportStatePut    = "state_put"    // (key_ptr, key_len, ptr, len i32, ttl_ms i64) -> i32: 0, or Unavailable
	ImportStateScope  = "state_scope"  // (ptr, len i32) -> i32: 0, or NotGranted

	// Capability redact, for a value that another link found.
	ImportRedactFound = "redact_found" // (place i32) -> i32: 0, NoValue, or NotGranted
	ImportWithhold    = "withhold"     // (); phases request and target

	// Capability notify.
	ImportThreshold = "threshold" // (name_ptr, name_len, percent i32) -> i32: 0, or Unavailable

	// Capability call.
	ImportHostCall     = "host_call"      // (upstream_ptr, upstream_len, path_ptr, path_len, body_ptr, body_len i32) -> i64: see CallResult
	ImportHostCallRead = "host_call_read" // (off, ptr, cap i32) -> i32: bytes written

	// Capability restore.
	ImportRestore = "restore" // (token_ptr, token_len, ptr, cap i32) -> i32: the full length, or NoValue, or Unavailable

	// Capability body.
	ImportAnswerKeep = "answer_keep" // (max i32); phase request
	ImportBodyRead   = "body_read"   // (ptr, cap i32) -> i32: the full length, or NoValue, or NotGranted
)

// Results of imports that otherwise return a length. No length is this large.
const (
	// NoValue means that the value does not exist: a field that this host does not know, a key without a value, a hold that is already
	// settled.
	NoValue uint32 = 0xFFFFFFFF
	// NotGranted means that the guest must not see this field: its manifest does not ask for it, or the operator does not grant it.
	NotGranted uint32 = 0xFFFFFFFE
	// Unavailable means that the store did not answer. As far as the host knows, nothing was changed.
	Unavailable uint32 = 0xFFFFFFFD
)

// Capabilities that a manifest may ask for.
const (
	CapabilityNow    = "now"
	CapabilityRandom = "random"
	CapabilityState  = "state"
	CapabilityRedact = "redact"
	CapabilityPatch  = "patch"
	// CapabilityNotify lets a stage emit threshold events, CapabilityCall call upstreams that the operator names, and CapabilityRestore
	// read the values of the caller's placeholders.
	CapabilityNotify  = "notify"
	CapabilityCall    = "call"
	CapabilityRestore = "restore"
	// CapabilityBody lets a stage read whole bodies, and keep an answer until the exchange ends.
	CapabilityBody = "body"
)

// ManifestSection is the custom section that holds the manifest, as JSON.
const ManifestSection = "headgate.manifest"

// Kinds of guests, as the manifest names them.
const (
	KindDetector = "detector"
	KindStage    = "stage"
	// KindRego is a policy compiled by OPA. It uses OPA's ABI, not this one.
	KindRego = "rego"
	// KindExtism is a detector that uses Extism's ABI.
	KindExtism = "extism"
	// KindHTTP is a stage that uses the HTTP handler ABI of http-wasm.
	KindHTTP = "http-wasm"
)
