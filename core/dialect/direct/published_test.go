package direct

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// SOURCES.tsv says where each answer is published; TestEveryGoldenFileNamesItsSource of core/dialect holds it to the files.
var published = map[string]struct {
	shape, request string
	texts          int    // how many texts guards see
	first          string // how the first of them begins
	want           llm.Usage
}{
	"cohere_rerank.json": {
		RerankName, `{"model":"rerank-v4.0-pro","query":"What is the capital of the United States?","documents":["a","b","c","d","e"],"top_n":3}`,
		0, "",
		llm.Usage{Reported: true, Units: llm.Units{Searches: 1}},
	},
	"jina_rerank.json": {
		RerankName, `{"model":"jina-colbert-v2","query":"Organic skincare products for sensitive skin","top_n":3,"documents":["a","b"]}`,
		3, "messages[0].text=Organic skincare for sensitive skin",
		llm.Usage{Reported: true, Input: 838, Units: llm.Units{Searches: 1}},
	},
	"voyage_rerank.json": {
		RerankName, `{"query":"query","documents":["documents"],"model":"model"}`,
		1, "messages[0].document=document",
		llm.Usage{Reported: true, Input: 1, Units: llm.Units{Searches: 1}},
	},
	"transcription.json": {
		TranscriptionName, formOf("file@audio.mp3=x", "model=gpt-4o-transcribe"),
		1, "messages[0].text=Imagine the wildest idea",
		llm.Usage{Reported: true, Input: 14, Output: 45, Media: 14, Units: llm.Units{Millis: 12_333}}, // 185 letters, 15 of them a second
	},
	"transcription_speakers.json": {
		TranscriptionName, formOf("file@meeting.wav=x", "model=gpt-4o-transcribe-diarize", "response_format=diarized_json"),
		7, "messages[0].text=Agent: Thanks for calling",
		llm.Usage{Reported: true, Units: llm.Units{Millis: 27_400}},
	},
	"moderation.json": {ModerationsName, `{"input":"I want to kill them."}`, 0, "", llm.Usage{}},
	"image.json": {
		ImagesName, `{"model":"gpt-image-1","prompt":"A cute baby sea otter","n":1,"size":"1024x1024"}`,
		0, "",
		llm.Usage{Reported: true, Input: 50, Output: 50, Media: 40, Units: llm.Units{Images: 1}},
	},
}

func TestPublishedAnswersAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/published/*.json")
	require.NoError(t, err)
	require.Len(t, files, len(published), "every published answer says what is read from it")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, ok := published[filepath.Base(file)]
			require.True(t, ok)
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			x := scanAnswer(t, c.shape, c.request, "application/json", string(body))
			assert.Equal(t, c.want, x.Usage)
			texts := textsOf(&x.Response)
			require.Len(t, texts, c.texts, "%q", texts)
			if c.texts > 0 {
				assert.True(t, strings.HasPrefix(texts[0], c.first), texts[0])
			}
		})
	}
}

func TestThePublishedStreamOfSpeechIsRead(t *testing.T) {
	body, err := os.ReadFile("testdata/published/speech.sse")
	require.NoError(t, err)
	x, e := scanRequest(SpeechName, `{"model":"gpt-4o-mini-tts","input":"hello","voice":"alloy","stream_format":"sse"}`)
	require.Nil(t, e)
	form, ok := Shapes[SpeechName].Accept(x, "text/event-stream")
	require.True(t, ok)
	require.Equal(t, Events, form)
	done, judged := false, 0
	for raw := range strings.SplitAfterSeq(string(body), "\n\n") {
		if raw == "" {
			continue
		}
		require.False(t, done, "the end is the last event")
		ev := core.Event{Raw: []byte(raw)}
		require.NoError(t, Shapes[SpeechName].ScanEvent(x, &ev))
		assert.False(t, ev.Failed)
		judged += len(ev.Wholes)
		done = ev.Done
	}
	assert.True(t, done)
	assert.Equal(t, 1, judged, "the documentation writes words where the sound is, and only base64 passes unseen")
	assert.Equal(t, llm.Usage{Reported: true, Input: 14, Output: 101, Units: llm.Units{Characters: 5}}, x.Usage)
}
