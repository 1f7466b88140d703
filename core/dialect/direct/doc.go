// Package direct holds the APIs that reach a provider in the client's own form and are never translated: rerank,
// moderations, images, speech and transcription. One table, [Shapes], says for each which members its requests have, what
// a call can use, and what its answers say about that. Another such API is one row of the table and, if it is charged in
// another way, its reader of usage.
//
// Bodies are JSON or multipart/form-data. Sound and pictures are never texts: guards see prompts, documents and
// transcripts, and the bytes of files pass as they came.
package direct
