package direct

import "github.com/headgate-dev/headgate/core/llm"

// Names of the shapes.
const (
	RerankName        = "rerank"
	ModerationsName   = "openai.moderations"
	ImagesName        = "openai.images"
	ImageEditsName    = "openai.image_edits"
	SpeechName        = "openai.speech"
	TranscriptionName = "openai.transcriptions"
	TranslationName   = "openai.translations"
)

// Shapes are all shapes of this package, by name.
var Shapes = map[string]*Shape{
	RerankName: {
		// What Cohere, Jina and Voyage have in common, with the members of each.
		name: RerankName, task: llm.TaskRank, needs: []string{"query", "documents"}, most: boundRerankUsage, units: countRerankUnits,
		members: map[string]member{
			"query": {kind: prompt}, "documents": {kind: prompts, most: 10_000},
			"top_n": {kind: integer, least: 1}, "top_k": {kind: integer, least: 1}, "return_documents": {kind: flag}, "truncation": {kind: flag},
			"max_chunks_per_doc": {kind: integer, least: 1}, "max_tokens_per_doc": {kind: integer, least: 1}, "rank_fields": {kind: names},
			"priority": {kind: integer}, "stream": {kind: stream},
		},
	},
	ModerationsName: {
		name: ModerationsName, task: llm.TaskModerate, needs: []string{"input"}, most: boundTextUsage, model: "omni-moderation-latest",
		members: map[string]member{"input": {kind: prompts, most: 2048}, "stream": {kind: stream}},
	},
	ImagesName: {
		name: ImagesName, task: llm.TaskDraw, needs: []string{"prompt"}, most: boundImageUsage, units: countImageUnits, members: pictures,
	},
	ImageEditsName: {
		name: ImageEditsName, task: llm.TaskDraw, form: true, needs: []string{"image", "prompt"},
		most: boundImageUsage, units: countImageUnits, members: edited,
	},
	SpeechName: {
		name: SpeechName, task: llm.TaskSpeak, sound: true, needs: []string{"input", "voice"}, most: boundSpeechUsage, units: countSpeechUnits,
		members: map[string]member{
			"input": {kind: prompt}, "instructions": {kind: prompt}, "voice": {kind: nameOrObject}, "response_format": {kind: name},
			"speed": {kind: number, least: 0, most: 4}, "stream_format": {kind: streamFormat}, "stream": {kind: stream},
		},
	},
	TranscriptionName: {
		name: TranscriptionName, task: llm.TaskTranscribe, form: true, needs: []string{"file"},
		most: boundTranscriptionUsage, units: estimateTranscriptionUnits, members: heard,
	},
	TranslationName: {
		name: TranslationName, task: llm.TaskTranscribe, form: true, needs: []string{"file"}, most: boundTranscriptionUsage, units: estimateTranscriptionUnits, members: heard,
	},
}

// pictures are the members of requests for pictures.
var pictures = map[string]member{
	"prompt": {kind: prompt}, "n": {kind: answers, least: 1, most: 10}, "user": {kind: user}, "stream": {kind: stream},
	"size": {kind: name}, "quality": {kind: name}, "style": {kind: name}, "response_format": {kind: name}, "background": {kind: name},
	"moderation": {kind: name}, "output_format": {kind: name}, "output_compression": {kind: integer}, "partial_images": {kind: integer},
	"input_fidelity": {kind: name},
}

// edited are the members of edits of pictures.
var edited = func() map[string]member {
	m := map[string]member{"image": {kind: file, many: true, most: 16}, "mask": {kind: file}}
	for name, one := range pictures {
		m[name] = one
	}
	return m
}()

// heard are the members of transcriptions and translations.
var heard = map[string]member{
	"file": {kind: file}, "prompt": {kind: prompt}, "language": {kind: name}, "response_format": {kind: textFormat}, "stream": {kind: stream},
	"temperature": {kind: number, least: 0, most: 2}, "timestamp_granularities": {kind: names, many: true},
	"include": {kind: names, many: true}, "chunking_strategy": {kind: name},
	"known_speaker_names": {kind: prompt, many: true}, "known_speaker_references": {kind: names, many: true},
}
