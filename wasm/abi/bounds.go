package abi

// Bounds. Exceeding one is a fault of kind abi unless its comment says otherwise.
const (
	// MaxMatch is the longest match, in bytes, that a detector may report. It
	// bounds how much of a streamed answer the host holds back.
	MaxMatch = 4096
	// MaxKeep is the most bytes that a stage may keep for one exchange.
	MaxKeep = 4096
	// MaxCode and MaxMessage are the maximum lengths of the code and the message of deny, in bytes. A longer message is cut.
	MaxCode    = 64
	MaxMessage = 500
	// MaxAnnotations is the most annotations that one call of hg_stage may make. MaxKeyLen is the longest key and MaxAnnotation the
	// longest value, in bytes.
	MaxAnnotations = 32
	MaxKeyLen      = 64
	MaxAnnotation  = 256
	// MaxEdits is the most edits that one call of hg_stage may make, and MaxWith the most bytes that they may insert together.
	MaxEdits = 4096
	MaxWith  = 1 << 20
	// MaxModel is the longest model name that set_model accepts, in bytes.
	MaxModel = 256
	// MaxAnswer is the longest text of respond, in bytes, MaxBody the longest body of respond_body.
	MaxAnswer = 1 << 20
	MaxBody   = 8 << 20
	// MaxRules is the most rules that one call may report, MaxRoutes the most alternatives of one call, MaxWeight the highest weight of one.
	MaxRules  = 64
	MaxRoutes = 16
	MaxWeight = 1 << 20
	// MaxRetry is the most messages of one retry, MaxRetryText their length together, in bytes.
	MaxRetry     = 8
	MaxRetryText = 64 << 10
	// MaxThresholds is the most thresholds that one exchange may report.
	MaxThresholds = 4
	// MaxCalls is the most calls of host_call in one exchange, MaxCallBody the longest body, MaxCallAnswer the longest answer, and MaxPath
	// the longest path, in bytes.
	MaxCalls      = 8
	MaxCallBody   = 1 << 20
	MaxCallAnswer = 1 << 20
	MaxPath       = 2048
	// MaxLimits is the most limits in one state_take, and MaxHolds the most unsettled holds of one exchange.
	MaxLimits = 32
	MaxHolds  = 16
	// MaxStateKey is the longest key of state, and MaxStateValue the longest value,
	// in bytes.
	MaxStateKey   = 256
	MaxStateValue = 1 << 20
	// MaxTTL is the longest time to live of a value (30 days), and MaxPeriod the longest period of a limit (366 days), both in
	// milliseconds.
	MaxTTL    = 30 * 24 * 3600 * 1000
	MaxPeriod = 366 * 24 * 3600 * 1000
)
