package console

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStaticFilesAreCompressedForThoseWhoTakeIt(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0, br": false, "deflate": false, "gzip;q=1": true,
	} {
		assert.Equal(t, want, acceptsGzip(header), header)
	}
	files, err := readStatics()
	require.NoError(t, err)
	for name, f := range files {
		short := f.compress()
		if short == nil {
			continue
		}
		assert.Less(t, len(short), len(f.bytes), name)
		r, err := gzip.NewReader(bytes.NewReader(short))
		require.NoError(t, err)
		whole, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, f.bytes, whole, name)
	}
	assert.NotNil(t, files["console.css"].compress())
}
