package direct

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// wav returns a WAV file with n bytes of samples.
func wav(format, channels uint16, samples uint32, bits uint16, n int) string {
	b := append([]byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00"), "fmt \x10\x00\x00\x00"...)
	b = binary.LittleEndian.AppendUint16(b, format)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, samples)
	b = binary.LittleEndian.AppendUint32(b, 1) // bytes of a second: decoders do not read it
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, bits)
	return string(b) + "data\xff\xff\xff\xff" + strings.Repeat("x", n)
}

func TestTheLengthOfSoundIsReadFromWhatADecoderPlays(t *testing.T) {
	// MPEG 1, layer III, 128 kbit/s at 44.1 kHz: 417 bytes for 26.122 ms; and MPEG 2 at 8 kbit/s and 16 kHz: 36 bytes for 36 ms.
	fast := "\xff\xfb\x90\x00" + strings.Repeat("x", 413)
	slow := "\xff\xf3\x18\x00" + strings.Repeat("x", 32)
	for _, c := range []struct {
		name, file string
		least      int64
		most       int64
	}{
		{"ten seconds of WAV", wav(1, 1, 16_000, 16, 320_000), 10_000, 10_010},
		{"stereo in floats", wav(3, 2, 48_000, 32, 384_000), 1000, 1010},
		{"compressed samples in a WAV file count as unknown", wav(0x31, 1, 8000, 16, 1000), 1000, 1100},
		{"a rate of nothing is the lowest rate", wav(1, 1, 1, 8, 1000), 1000, 1100},
		{"a WAV file that ends in its header", "RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\x7f", 20, 20},
		{"a chunk that is longer than the file", "RIFF\x00\x00\x00\x00WAVELIST\xff\xff\xff\xfffmt ", 20, 30},
		{"a hundred frames of MP3", strings.Repeat(fast, 100), 2612, 2620},
		{"with tags", "ID3\x04\x00\x00\x00\x00\x01\x00" + strings.Repeat("t", 128) + strings.Repeat(fast, 100) + "TAG" + strings.Repeat(" ", 125), 2612, 2620},
		{"fast frames in front of slow ones hide nothing", fast + strings.Repeat(slow, 100), 3626, 3640},
		{"a fast frame in front of something else hides nothing", fast + strings.Repeat("x", 10_000), 10_026, 10_030},
		{"unknown", strings.Repeat("x", 5000), 5000, 5000},
		{"empty", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := boundSoundMillis([]byte(c.file))
			assert.GreaterOrEqual(t, got, c.least)
			assert.LessOrEqual(t, got, c.most)
		})
	}
}
