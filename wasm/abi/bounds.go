package abi

// Bounds. To go beyond one is a fault of kind abi, if nothing else is said.
const (
	// MaxMatch is the longest match, in bytes, that a detector may report. It
	// bounds how much of a streamed answer the host holds back.
	MaxMatch = 4096
	// MaxKeep is how many bytes a stage may keep for one exchange.
	MaxKeep = 4096
	// MaxCode and MaxMessage are the longest code and message of deny, in bytes. A
	// longer message is cut.
	MaxCode    = 64
	MaxMessage = 500
	// MaxAnnotations is how often one call of hg_stage may annotate, MaxKeyLen the
	// longest key and MaxAnnotation the longest value, in bytes.
	MaxAnnotations = 32
	MaxKeyLen      = 64
	MaxAnnotation  = 256
	// MaxEdits is how many edits one call of hg_stage may make, and MaxWith how many
	// bytes they may put in, together.
	MaxEdits = 4096
	MaxWith  = 1 << 20
	// MaxModel is the longest name of a model that set_model takes, in bytes.
	MaxModel = 256
	// MaxAnswer is the longest text of respond, in bytes.
	MaxAnswer = 1 << 20
	// MaxLimits is how many limits one state_take may have, and MaxHolds how many
	// takes of one exchange may be unsettled.
	MaxLimits = 32
	MaxHolds  = 16
	// MaxStateKey is the longest key of state, and MaxStateValue the longest value,
	// in bytes.
	MaxStateKey   = 256
	MaxStateValue = 1 << 20
	// MaxTTL is the longest time to live of a value, and MaxPeriod the longest
	// period of a limit, in milliseconds: 30 and 366 days.
	MaxTTL    = 30 * 24 * 3600 * 1000
	MaxPeriod = 366 * 24 * 3600 * 1000
)
