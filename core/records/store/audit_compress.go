package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The writer stores segments as Zstandard frames (RFC 8878) if it compresses; older versions stored them plain. The
// magic number distinguishes them: read as a plain record it would have 40 bytes and a tenant of at least 253.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// segmentDictionary is the dictionary of the frames. Most segments hold a few exchanges, which repeat little else. A
// frame names its dictionary, so a changed dictionary needs a new number and the old dictionary must stay readable.
const (
	segmentDictionaryID = 1
	segmentDictionary   = `{"request_id":"","trace_id":"","shape":"anthropic.messages","api_key":"gw_","api_key_id":"","status":401,"address":""}` +
		`AUTH_FAILURE{"request_id":"","decision":"DENIED","rules":[{"rule":"","phase":"request"}]}defaultPOLICY_DECISION` +
		`{"request_id":"","api_key_id":"","types":{"CREDIT_CARD":1,"EMAIL":1,"PERSON":1,"PHONE":1},"total":2}defaultPII_REDACTED` +
		`,"operation":"POST /v1/files","findings":[{"link":"pii","label":"EMAIL","count":1},{"link":"guardrail","label":"","count":1,"shadow":true}]}` +
		`,"faults":[{"link":"","phase":"response","fault":"timeout"}]}"outcome":"blocked","by":"","code":"content_filter","complete":true,` +
		`"status":429,"outcome":"refused","code":"rate_limit_exceeded","complete":false,"latency_ms":0,"tokens_estimated":true}` +
		`"shape":"openai.responses","user":"","actor":"user:"default` + "\x0f" + `GATEWAY_REQUEST{"request_id":"","shape":"openai.chat","api_key":"gw_",` +
		`"api_key_id":"","model":"gpt-4o-mini","stream":true,"messages":2}default` + "\x0f" + `GATEWAY_REQUEST{"request_id":"","shape":"openai.chat",` +
		`"api_key":"gw_","api_key_id":"","model":"claude-sonnet","stream":false,"messages":1}default` + "\x10" + `GATEWAY_RESPONSE{"request_id":"",` +
		`"model":"gpt-4o-mini","provider":"openai","status":200,"outcome":"served","complete":true,"latency_ms":1000,"api_key":"gw_",` +
		`"tokens_prompt":100,"tokens_completion":100,"tokens_total":200}`
)

// maxSegment bounds the decompressed size of a frame, which may have been tampered with.
const maxSegment = 64 << 20

// segmentDecoder decompresses frames. DecodeAll is safe for concurrent use.
var segmentDecoder = mustOption(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
	zstd.WithDecoderMaxMemory(maxSegment), zstd.WithDecoderDictRaw(segmentDictionaryID, []byte(segmentDictionary))))

// newSegmentEncoder returns an encoder, which takes about 1 MiB and is not safe for concurrent use.
func newSegmentEncoder() *zstd.Encoder {
	// The hash and signature of a segment cover its records, so frames need no checksum.
	return mustOption(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(segmentBytes),
		zstd.WithEncoderDictRaw(segmentDictionaryID, []byte(segmentDictionary))))
}

// framesMigration is the PostgreSQL migration that permits compressed segments; framesAfter is the delay after it.
const (
	framesMigration = 90
	framesAfter     = 24 * time.Hour
)

// FindCompressionStart returns the time from which segments may be stored compressed. On SQLite that is always. On
// PostgreSQL, gateways of the previous version, which cannot read frames, may run on the migrated database until they
// are replaced, so they get a day.
func (al Audit) FindCompressionStart(ctx context.Context) (time.Time, error) {
	if !al.db.postgres {
		return time.Unix(0, 0), nil
	}
	var applied time.Time
	err := al.db.read.GetContext(ctx, &applied,
		"SELECT max(tstamp) FROM goose_db_version WHERE version_id = ? AND is_applied", framesMigration)
	if err != nil {
		return time.Time{}, fmt.Errorf("find when audit segments may be compressed: %w", mapDriverError(err))
	}
	return applied.Add(framesAfter), nil
}

// mustOption is for constant options, which cannot fail.
func mustOption[T any](v T, err error) T {
	if err != nil {
		panic("store: " + err.Error())
	}
	return v
}

// decompressSegment returns the records of stored data. It returns data that is neither a frame nor plain records
// unchanged; reading its first record then fails with that record's number.
func decompressSegment(data []byte) []byte {
	if !bytes.HasPrefix(data, zstdMagic) {
		return data
	}
	plain, err := segmentDecoder.DecodeAll(data, nil)
	if err != nil {
		return data
	}
	return plain
}
