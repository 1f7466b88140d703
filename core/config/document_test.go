package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
)

type pages struct {
	Title string         `yaml:"title" required:"true" eg:"a title"`
	Parts []config.Block `yaml:"parts"`
}

func TestADocumentIsReadStrictlyAndItsBlocksKnowWhereTheyStand(t *testing.T) {
	var p pages
	require.NoError(t, config.DecodeDocument("book.yaml", []byte("title: ${A}\nparts:\n- name: x\n  inner: {deep: 1}\n- {}\n"), "", &p))
	assert.Equal(t, "${A}", p.Title, "variables mean nothing here")
	require.Len(t, p.Parts, 2)
	assert.Equal(t, []string{"name", "inner"}, p.Parts[0].Keys())
	assert.True(t, p.Parts[0].Has("name"))
	assert.False(t, p.Parts[0].Has("deep"))
	assert.False(t, config.Block{}.Has("x"))
	assert.Equal(
		t,
		"book.yaml:4:11: parts[0].inner.deep: is wrong; write 2",
		p.Parts[0].NewProblem("is wrong", "write 2", "inner", "deep").String(),
	)
	assert.Equal(t, "book.yaml:4:3: parts[0].inner.absent: is missing", p.Parts[0].NewProblem("is missing", "", "inner", "absent").String())
	assert.Equal(t, "book.yaml:5:3: parts[1]: is empty", p.Parts[1].NewProblem("is empty", "").String())
}

func TestADocumentThatCannotBeReadSaysWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "book.yaml: the file is empty; write a title",
		"# nothing\n":           "book.yaml: the file is empty; write a title",
		"title: x\npages: 3\n":  "book.yaml:2:1: pages: unknown key; write one of parts, title",
		"parts: {}\n":           "book.yaml:1:1: parts: is a mapping where a list is wanted",
		"title: [":              "book.yaml:2: this is not YAML",
		"title: x\ntitle: y\n":  "book.yaml:2:1: title: the key is written twice",
		"parts: [{a: 1}, 2]\n":  "parts[1]: is a single value where a mapping is wanted",
		"title: x\n---\nmore\n": "a second document begins here",
	} {
		err := config.DecodeDocument("book.yaml", []byte(text), "write a title", &pages{})
		require.ErrorContains(t, err, want, text)
	}
}
