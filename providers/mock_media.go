package providers

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mockImages answers with small pictures whose colour depends on the prompt.
func mockImages(body []byte) *upstream.Response {
	var r struct {
		Prompt string
		N      int
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	return mockPictures(r.Prompt, max(r.N, 1))
}

// mockImageEdits answers as mockImages does. It does not look at the pictures.
func mockImageEdits(r *upstream.Request) *upstream.Response {
	form, e := readMockForm(r)
	if e != nil {
		return e
	}
	n, _ := strconv.Atoi(form.values["n"]) // checked by the gateway; absent: 1
	return mockPictures(form.values["prompt"], max(n, 1))
}

func mockPictures(prompt string, n int) *upstream.Response {
	h := fnv.New32a()
	_, _ = h.Write([]byte(prompt)) // a hash never fails
	sum := h.Sum32()
	picture := image.NewRGBA(image.Rect(0, 0, 1, 1))
	picture.Set(0, 0, color.RGBA{uint8(sum), uint8(sum >> 8), uint8(sum >> 16), 255})
	var b bytes.Buffer
	_ = png.Encode(&b, picture) // a buffer takes all writes
	data := make([]any, n)
	for i := range data {
		data[i] = map[string]any{"b64_json": base64.StdEncoding.EncodeToString(b.Bytes()), "revised_prompt": prompt}
	}
	return mockJSON(http.StatusOK, map[string]any{"created": 1767225600, "data": data})
}

// mockSpoken is the chunk of a WAV file in which the mock stores its spoken text, so that it can transcribe its own sound.
const mockSpoken = "said"

// mockSpeech answers with a tone as a WAV file, a tenth of a second for each letter.
func mockSpeech(body []byte) *upstream.Response {
	var r struct {
		Input  string
		Format string `json:"stream_format"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return mockError(http.StatusBadRequest, "invalid_json", "the mock could not read the request")
	}
	const rate = 8000
	samples := make([]byte, len(r.Input)*rate/10)
	for i := range samples {
		samples[i] = 128 + byte(i/20%2)*16 // 200 Hz
	}
	wave := []byte("RIFF\x00\x00\x00\x00WAVE")
	chunk := func(name string, data []byte) {
		wave = binary.LittleEndian.AppendUint32(append(wave, name...), uint32(len(data)))
		if wave = append(wave, data...); len(data)%2 == 1 {
			wave = append(wave, 0)
		}
	}
	format := binary.LittleEndian.AppendUint16([]byte{1, 0, 1, 0}, rate) // PCM, one channel
	chunk("fmt ", append(format, 0, 0, rate&255, rate>>8, 0, 0, 1, 0, 8, 0))
	chunk(mockSpoken, []byte(r.Input))
	chunk("data", samples)
	binary.LittleEndian.PutUint32(wave[4:], uint32(len(wave)-8))
	half := len(wave) / 2
	if r.Format == "sse" {
		return mockSpeechEvents(wave, len(r.Input))
	}
	return &upstream.Response{
		Status: http.StatusOK, ContentLength: -1, Header: []upstream.Field{{Name: "Content-Type", Value: "audio/wav"}},
		Body: &scripted{pieces: []string{string(wave[:half]), string(wave[half:])}},
	}
}

// mockSpeechEvents streams sound as events, and counts a token of sound for each letter.
func mockSpeechEvents(wave []byte, letters int) *upstream.Response {
	half := len(wave) / 6 * 3
	delta := func(sound []byte) string {
		return `data: {"type":"speech.audio.delta","audio":"` + base64.StdEncoding.EncodeToString(sound) + "\"}\n\n"
	}
	n := strconv.Itoa(letters)
	return &upstream.Response{
		Status: http.StatusOK, ContentLength: -1, Header: []upstream.Field{{Name: "Content-Type", Value: "text/event-stream"}},
		Body: &scripted{pieces: []string{
			delta(wave[:half]), delta(wave[half:]),
			`data: {"type":"speech.audio.done","usage":{"input_tokens":` + n + `,"output_tokens":` + n + `,"total_tokens":` +
				strconv.Itoa(2*letters) + "}}\n\n",
		}},
	}
}

// mockTranscript returns the text of sound that the mock has created. For other sound it returns the length.
func mockTranscript(r *upstream.Request) *upstream.Response {
	form, e := readMockForm(r)
	if e != nil {
		return e
	}
	text := fmt.Sprintf("The mock heard %d bytes.", len(form.file))
	if i := bytes.Index(form.file, []byte(mockSpoken)); i >= 0 && i+8 <= len(form.file) {
		n := int(binary.LittleEndian.Uint32(form.file[i+4:]))
		if rest := form.file[i+8:]; n <= len(rest) {
			text = string(rest[:n])
		}
	}
	seconds := float64(len(text)) / 10
	plain := ""
	switch form.values["response_format"] {
	case "text":
		plain = text + "\n"
	case "srt":
		plain = "1\n00:00:00,000 --> 00:00:02,000\n" + text + "\n"
	case "vtt":
		plain = "WEBVTT\n\n00:00.000 --> 00:02.000\n" + text + "\n"
	case "verbose_json":
		return mockJSON(http.StatusOK, map[string]any{
			"task": "transcribe", "language": "english", "duration": seconds, "text": text,
			"segments": []any{map[string]any{"id": 0, "start": 0.0, "end": seconds, "text": text, "tokens": []int{50364}}},
		})
	default:
		return mockJSON(http.StatusOK, map[string]any{"text": text, "usage": map[string]any{"type": "duration", "seconds": seconds}})
	}
	return &upstream.Response{
		Status: http.StatusOK, ContentLength: int64(len(plain)),
		Header: []upstream.Field{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}}, Body: &scripted{pieces: []string{plain}},
	}
}

// form has the fields of a form that the mock reads.
type form struct {
	values map[string]string
	file   []byte // the last one
}

func readMockForm(r *upstream.Request) (*form, *upstream.Response) {
	unreadable := mockError(http.StatusBadRequest, "invalid_form", "the mock could not read the form")
	media := ""
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "Content-Type") {
			media = f.Value
		}
	}
	_, params, err := mime.ParseMediaType(media)
	if err != nil {
		return nil, unreadable
	}
	out := &form{values: map[string]string{}}
	parts := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, unreadable
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, unreadable
		}
		if part.FileName() != "" {
			out.file = data
		} else {
			out.values[part.FormName()] = string(data)
		}
	}
}
