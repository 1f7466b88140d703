package abi

// Roles of segments.
const (
	RoleSystem    uint8 = 1
	RoleUser      uint8 = 2
	RoleAssistant uint8 = 3
	RoleTool      uint8 = 4
)

// Kinds of segments.
const (
	SegText       uint8 = 1
	SegToolArgs   uint8 = 2
	SegToolResult uint8 = 3
	SegReasoning  uint8 = 4
	SegRefusal    uint8 = 5
	SegDefinition uint8 = 6
	SegOther      uint8 = 7
)

// SegJoined, among the flags of a segment, means that its text continues the preceding segment of the body without a break: a model reads
// both as one.
const SegJoined uint8 = 1 << 0

// SegInfo is the result of seg_info. Len is the segment's length in bytes.
type SegInfo struct {
	Role, Kind uint8
	Source     Source
	Flags      uint8
	Len        uint32
}

// PackSeg encodes the result of seg_info: role<<56 | kind<<48 | source<<40 | flags<<32 | length.
func PackSeg(s SegInfo) uint64 {
	return uint64(s.Role)<<56 | uint64(s.Kind)<<48 | uint64(s.Source)<<40 | uint64(s.Flags)<<32 | uint64(s.Len)
}

// UnpackSeg decodes the result of seg_info.
func UnpackSeg(r uint64) SegInfo {
	return SegInfo{Role: uint8(r >> 56), Kind: uint8(r >> 48), Source: Source(r >> 40), Flags: uint8(r >> 32), Len: uint32(r)}
}
