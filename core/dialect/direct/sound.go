package direct

import (
	"bytes"
	"encoding/binary"
)

// boundSoundMillis returns the longest possible duration of a sound file, in milliseconds. In uncompressed WAV and MP3, the
// bytes that a decoder plays determine it. For all other files, whose headers a client could forge, it assumes the lowest
// bit rate of speech.
func boundSoundMillis(b []byte) int64 {
	if rate := readWAVRate(b); rate > 0 {
		return int64(len(b)) * 1000 / rate
	}
	return measureMP3(b)
}

// divideByLowestRate returns the duration of n bytes at the lowest bit rate, in milliseconds.
func divideByLowestRate(n int) int64 { return int64(n) * 1000 / bytesPerSecond }

// Formats of WAV files whose samples are not compressed.
const (
	wavInteger, wavFloat, wavExtensible = 1, 3, 0xFFFE
)

// readWAVRate returns the bytes per second of an uncompressed WAV file, or 0 for other files.
func readWAVRate(b []byte) int64 {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return 0
	}
	for at := 12; at+8 <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+4:]))
		body := b[at+8:]
		if string(b[at:at+4]) != "fmt " {
			if size > len(body) {
				return 0
			}
			at += 8 + size + size&1
			continue
		}
		if size < 16 || size > len(body) {
			return 0
		}
		format := binary.LittleEndian.Uint16(body)
		if format == wavExtensible && size >= 26 {
			format = binary.LittleEndian.Uint16(body[24:])
		}
		if format != wavInteger && format != wavFloat {
			return 0
		}
		channels, samples := int64(binary.LittleEndian.Uint16(body[2:])), int64(binary.LittleEndian.Uint32(body[4:]))
		return max(channels*samples*int64(binary.LittleEndian.Uint16(body[14:]))/8, bytesPerSecond)
	}
	return 0
}

// Bit rates of MPEG audio, layer III, in kbit/s, and samples of a second: of version 1, and of the lower ones.
var (
	mp3Rates = [2][16]int{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	}
	mp3Second = [4]int{11025, 0, 22050, 44100} // by version: 2.5, reserved, 2, 1
	mp3Share  = [4]int{44100, 48000, 32000, 0} // of the first of its version, times 44100
)

// measureMP3 adds up the frames of an MP3 file. Bytes that are neither a frame nor a tag count at the lowest bit rate.
func measureMP3(b []byte) int64 {
	at := 0
	if len(b) > 10 && string(b[:3]) == "ID3" {
		at = min(10+(int(b[6]&127)<<21|int(b[7]&127)<<14|int(b[8]&127)<<7|int(b[9]&127)), len(b))
	}
	micros := int64(0)
	for frames := 0; at < len(b); frames++ {
		size, lasts := readMP3Frame(b[at:])
		if size == 0 {
			if frames == 0 {
				return divideByLowestRate(len(b)) // some other format
			}
			if len(b)-at == 128 && bytes.HasPrefix(b[at:], []byte("TAG")) {
				break
			}
			return micros/1000 + divideByLowestRate(len(b)-at)
		}
		at += size
		micros += lasts
	}
	return micros / 1000
}

// readMP3Frame returns the size of the frame at the start of b, or 0, and its duration in microseconds.
func readMP3Frame(b []byte) (size int, micros int64) {
	if len(b) < 4 || b[0] != 0xFF || b[1]&0xE6 != 0xE2 {
		return 0, 0
	}
	version := int(b[1] >> 3 & 3)
	lower := 1
	if version == 3 {
		lower = 0
	}
	bits := mp3Rates[lower][b[2]>>4] * 1000
	second := mp3Second[version] * mp3Share[b[2]>>2&3] / 44100
	if bits == 0 || second == 0 {
		return 0, 0
	}
	samples := 1152 >> lower
	size = samples/8*bits/second + int(b[2]>>1&1)
	return size, int64(samples*1_000_000/second) + 1
}
